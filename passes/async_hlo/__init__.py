"""The async family: chains of start, updates and done, over HLO text and over MLIR alike.

A pass is written once, against `_program.Program`; `_hlo.HloProgram` and
`_mlir.MlirProgram` are the two languages.
"""
