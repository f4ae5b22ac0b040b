"""Random kernels in MLIR: without races, deadlocks and undefined results, so that all engines agree.

`program.random_kernel` makes one of a seed, `engines` runs it.
"""
