"""Make MPMD programs of JAX functions; `from_jax` in `jax_programs` is where to start.

`placement` checks the meshes and places that a user passes, `named_parts` turns marked functions
into ops of the dialect, and `child` runs jaxlib's C++ `partitioner` on them in a child process.
"""

from sdykit.mpmd.partitioning.jax_programs import Schedule, call, from_jax, named_computation

__all__ = ["Schedule", "call", "from_jax", "named_computation"]
