"""Google's jax-tpu-embedding on the simulated SparseCore: lowerings of its primitives for CPUs.

Read `registry` first: it names, for each module of the library, the function that is called with
the module once it is imported. These functions are in `primitives` (the lowerings), `preprocessing`
(checks of batches), `tables` (limits and memory of tables), `counts` (SparseCores of CPU devices)
and `keras_rs`.
"""
