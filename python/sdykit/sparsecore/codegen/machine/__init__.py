"""LLVM, through llvmlite: from its IR to addresses of machine code in this process.

Read `objects` first, which makes object files, with a `target`. `linking` loads them, on x86-64 without LLVM, else with
the `llvm_linker`. This one needs LLVM's `library` alone, as does `host`, which is this computer as LLVM sees it.
"""
