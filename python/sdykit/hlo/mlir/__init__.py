"""What HLO and MLIR call the same things, as tables and functions that work both ways.

Used by `sdykit.hlo.to_mlir` and `sdykit.hlo.from_mlir`. Read `rules` first: for each opcode
the op, and the attributes of both, which are made of the `fields` that attributes consist of.
The other modules convert types, literals (`floats`: their numbers), locations, layouts and
strings; `marks` names the attributes that keep what MLIR has no place for.
"""
