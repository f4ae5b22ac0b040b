"""Tile programs: what the SparseCores and their tiles do, as MLIR."""
