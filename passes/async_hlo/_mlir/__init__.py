"""MLIR modules for the passes: `program.MlirProgram` is what they work on.

Its larger changes (`wrapping`) and what it knows of single operations (`names`, `facts`,
`effects`) are modules beside it.
"""
