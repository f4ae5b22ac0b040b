"""The command-line driver: `sdy-opt`, for those who know `mlir-opt`."""
