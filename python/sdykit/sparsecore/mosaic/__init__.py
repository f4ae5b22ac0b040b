"""Mosaic: Pallas kernels for SparseCores, as JAX lowers them, on the simulated chip.

What is where:

- `spec`: what a call of a kernel carries from JAX.
- `kernel` reads a module: its functions, who runs them, and the user's source lines (`places`);
  `types` says what a memref is.
- `layout`: where the memory of a subcore is.
- `reports`: every error that a kernel can have, and its text.
- `lint` says what a chip's compiler may refuse; `multiples` what an index is a multiple of.
- `summary`: what a kernel is, in words.
- `reference`: the machine that runs kernels op by op, and defines what they mean.
- `lowering`: from kernels to tile programs, which are compiled.

Start with `spec`. Nothing here needs JAX.
"""
