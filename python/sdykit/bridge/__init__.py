"""Between JAX and sdykit: the only package that imports jax.

`sdykit.bridge._native` is the compiled module, built against the XLA FFI headers in jaxlib.
"""
