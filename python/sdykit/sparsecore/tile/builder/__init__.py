"""Adding MLIR ops to a tile program.

`ops.Builder` has a method for each kind of op, and those of `arithmetic.Arithmetic`. Above it are
`numbers` (float32 values with Python's operators), `columns` (the columns of a row as vectors),
`lanes` (cross-lane ops: prefix sums, filters), `vector_sort` (sorting with them) and `steps` (the
steps of a program, and what they hold).
"""
