"""LLVM, through llvmlite: from its IR to addresses of machine code in this process.

Read `objects` first, which makes object files, with a `target`. `linking` loads them: with the `library` alone,
as `host` does, which is this computer as LLVM sees it.
"""
