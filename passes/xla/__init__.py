"""Passes to and from the form in which XLA keeps shardings of sdy in HLO: as text.

The text is in frontend attributes. `pipeline` says which passes run in which order, and why;
`_frontend` has what they share: the names that XLA uses, reading and writing of the attributes.
"""
