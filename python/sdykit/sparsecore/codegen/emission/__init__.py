"""Instructions of LLVM IR, as text.

Read `emitter` first, which collects the text of one function, then `types` and `values`, which have
the translations of MLIR's types and values. The others emit what several ops need: loads and stores
(`memory`), loops and joins (`loops`), arithmetic (`floats`, `bfloat16`, `vectors`) and constants
(`literals`).
"""
