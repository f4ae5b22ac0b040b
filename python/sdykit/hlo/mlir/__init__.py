"""The correspondence of HLO and MLIR: tables and functions for both directions.

Used by `sdykit.hlo.to_mlir` and `sdykit.hlo.from_mlir`. Read `rules` first: it has for each
opcode the op, and how attributes are converted, by `fields`. The other modules convert types,
literals (`floats`: their numbers), locations, layouts and strings; `marks` names the attributes
that keep what MLIR has no place for.
"""
