"""The async family: chains of start, updates and done, over HLO text and over MLIR alike.

A pass is written once, against `_program.Program`; `_hlo.program.HloProgram` and
`_mlir.program.MlirProgram` are the two languages. Passes of several modules are packages, with
the pass itself in `__init__.py`.
"""
