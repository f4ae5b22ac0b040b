"""The entries of a batch: an id, its sample and its gain.

`segments` finds those of preprocessed buffers, `ids` reads raw ids.
"""
