"""Pallas kernels for SparseCores on CPU devices: what JAX sees of the simulated chip.

Read `hook` first: it registers the lowering of kernels once `jax.experimental.pallas.tpu_sc` is
imported. `chip` tells JAX the numbers of the chip, `module` makes MLIR of a kernel, `call` the call in
XLA's program, `compile` what that call runs. `capture` finds the kernels of a function
in a user's file (`user_files`), for `sdykit kernel`. `settings` are those of the environment; `jax_names` holds
all internal names of JAX that are used. `sdykit.sparsecore.mosaic` is what runs kernels.

It imports nothing: the plugin reads names of it in every process that starts a backend.
"""
