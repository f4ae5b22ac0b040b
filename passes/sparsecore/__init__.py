"""The sparsecore family: passes over tile programs.

`pipeline` has their order, and why. What they share: `_programs` finds the entry function of a
program, its phases and its buffers; `_instrument` adds ops and reports to it; `_fusion` matches the
loops that the passes `fuse_*` join.
"""
