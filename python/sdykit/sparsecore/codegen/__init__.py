"""Code generation: tile programs in MLIR to machine code, through LLVM.

Read `compiler` first: it compiles a program, or finds it compiled. What it calls is in folders:
`entry` takes the entry function and its phases apart, `translation` has the ops by dialect,
`emission` the instructions of LLVM IR (`emission.bfloat16`: how bfloat16 is rounded), `machine`
LLVM itself, and `cache` the programs on disk. `compiled` describes the result; `running` runs it
on numpy arrays. Programs may call the runtime, native code in `sdykit.sparsecore._machine`, which reports
errors as lists of integers: `reports` takes them.
"""

from sdykit.sparsecore.codegen.cache import ObjectCache
from sdykit.sparsecore.codegen.compiled import (
    Argument,
    Interface,
    MachineSettings,
    Phase,
    Program,
)
from sdykit.sparsecore.codegen.compiler import compile_module, compile_source
from sdykit.sparsecore.codegen.errors import CodegenError, RunError
from sdykit.sparsecore.codegen.reports import take_report, take_warnings
from sdykit.sparsecore.codegen.running import run

__all__ = [
    "Argument",
    "CodegenError",
    "Interface",
    "MachineSettings",
    "ObjectCache",
    "Phase",
    "Program",
    "RunError",
    "compile_module",
    "compile_source",
    "run",
    "take_report",
    "take_warnings",
]
