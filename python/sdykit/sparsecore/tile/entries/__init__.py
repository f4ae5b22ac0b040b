"""The entries of a batch: an id, its sample and its gain.

`segments` finds those of buffers that were preprocessed, `ids` reads ids as they are.
"""
