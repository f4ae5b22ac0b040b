"""Between JAX and sdykit: JAX functions to modules, and tile programs as calls in JAX programs.

Start with `from_jax`, which lowers functions, or `ffi`, which calls tile programs; `embedding`
builds lookups and updates on the latter, `pipelining` steps in which they run
beside other work, `jax_tpu_embedding` lowers Google's library to these; `pallas` runs users' kernels.
`settings` holds the chip and its flags.
`sharding_api` (on `sharding`) annotates arrays, `kernels` makes machine code of calls, `plugin` is
what JAX loads by itself; `host_devices` lets many CPU devices run in one process. `_native` is the
compiled module, built against the XLA FFI headers in jaxlib.

It imports nothing: Python imports it whenever it starts, on the way to `_early`.
"""
