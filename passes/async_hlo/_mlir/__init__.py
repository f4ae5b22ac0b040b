"""MLIR modules under the interface of the passes.

Read `program` first: `MlirProgram` implements `_program.Program`. Its larger changes (`wrapping`)
and the properties of operations that it depends on (`names`, `facts`, `effects`) are modules
beside it.
"""
