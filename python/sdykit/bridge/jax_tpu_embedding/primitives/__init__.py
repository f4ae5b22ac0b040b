"""Lowerings of the library's primitives for CPU devices; `registry` says which is for which.

Read `lookups` and `gradients` first; `common` checks the operands that they share.
"""
