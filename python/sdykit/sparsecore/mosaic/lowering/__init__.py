"""Lowering: kernels to tile programs, which code generation compiles.

- `registry`: which function lowers which op.
- `emitter`: walks a function, and knows what each value of the kernel became.
- `view` and `numbers`: what a memref became.
"""
