"""A run over HLO, for `hlo-opt`: what differs from a run over MLIR.

`session` is the run. `pipelines` plans passes, none of which is nested, and refuses those that
need MLIR; `running` runs them and the verifier of HLO; `mlir_form` decides whether an input is
MLIR, and reads and prints programs as MLIR (`--import-mlir`, `--emit-mlir`); `roundtrip` is
`--verify-roundtrip`.
"""
