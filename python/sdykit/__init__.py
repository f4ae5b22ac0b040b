"""Shardy (`sdy`), MPMD and SparseCore compiler passes over the MLIR bindings of jaxlib.

Importing `sdykit` imports nothing else: neither jaxlib nor jax, nor the native module.
What a program uses, it imports from the subpackages:

- `sdykit.core`: passes, pipelines, diagnostics;
- `sdykit.dialects`: Python classes of the dialects' operations and attributes;
- `sdykit.passes`: the passes, one to a file;
- `sdykit.opt`: the command line driver, `sdy-opt` and `mpmd-opt`;
- `sdykit.bridge`: from JAX programs to modules.
"""

__all__ = ["__version__"]

__version__ = "0.1.0.dev0"
