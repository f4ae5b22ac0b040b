"""Shardy (`sdy`), MPMD and SparseCore compiler passes over the MLIR bindings of jaxlib.

Importing `sdykit` imports nothing else: neither jaxlib nor jax, nor the native module.
What a program uses, it imports from the subpackages:

- `sdykit.core`: passes, pipelines, diagnostics;
- `sdykit.dialects`: Python classes of the dialects' operations and attributes;
- `sdykit.passes`: the passes, one to a file;
- `sdykit.opt`: the command-line drivers, `sdy-opt`, `mpmd-opt` and `hlo-opt`;
- `sdykit.hlo`: HLO text, and its conversion from and to MLIR;
- `sdykit.mpmd`: MPMD programs, made from JAX functions and run on this machine;
- `sdykit.sparsecore`: embedding tables: the host's work, the simulated chip, its compiler;
- `sdykit.bridge`: from JAX programs to modules, and from tile programs to calls in JAX;
- `sdykit.viz`: HTML reports and tables;
- `sdykit.cli`: the command `sdykit`.

`errors` has the exceptions that a user can cause, `mlir` what others need of the bindings.
"""

__all__ = ["__version__"]

__version__ = "0.1.0.dev0"
