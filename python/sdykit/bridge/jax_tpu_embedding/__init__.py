"""Google's jax-tpu-embedding on the simulated SparseCore: lowerings of its primitives for CPUs.

`registry.MODULES` says what is done to which module of the library when it is imported.
"""
