"""A run over MLIR, for `sdy-opt` and `mpmd-opt`.

`session` is the run; `parsing` makes a verified op out of text or bytecode, `printing` prints the
result and the IR between passes, `roundtrip` is `--verify-roundtrip`, and `reproducer` writes and
reads the files that repeat a failure.
"""
