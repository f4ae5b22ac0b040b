"""Code generation: tile programs in MLIR to machine code, through LLVM."""

from sdykit.sparsecore.codegen.cache import ObjectCache
from sdykit.sparsecore.codegen.compiled import Argument, Interface, Phase, Program
from sdykit.sparsecore.codegen.compiler import compile_module, compile_source
from sdykit.sparsecore.codegen.errors import CodegenError, RunError
from sdykit.sparsecore.codegen.running import run

__all__ = [
    "Argument",
    "CodegenError",
    "Interface",
    "ObjectCache",
    "Phase",
    "Program",
    "RunError",
    "compile_module",
    "compile_source",
    "run",
]
