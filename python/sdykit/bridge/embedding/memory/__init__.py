"""The HBM of JAX programs: arrays as entries of a ledger, and the ledger of a compiled program.

`programs` is the one to read; `calls` finds lookups and updates in a program, and what they are
passed.
"""
