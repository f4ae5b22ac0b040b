"""LLVM, through llvmlite: from its IR to addresses of machine code in this process.

Read `objects` first, which makes object files. `target` is this computer as LLVM sees it, and
`linking` loads object files.
"""
