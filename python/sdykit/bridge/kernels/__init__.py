"""Kernels: machine code that XLA's FFI handler runs, made from the specs that programs carry.

`compile` is what the handler calls; `specs` holds the kinds of specs, `build` makes the kernel of a
compiled program, `directory` is where objects are kept. Read `compile` first.
"""
