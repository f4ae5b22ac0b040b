"""Instructions of LLVM IR, as text.

Read `emitter` first, which collects the text of one function, then `types` and `values`: what MLIR's
types and values become. The others emit what several ops are made of: loads and stores (`memory`),
loops and joins (`loops`), arithmetic (`floats`, `bfloat16`, `vectors`) and constants (`literals`).
"""
