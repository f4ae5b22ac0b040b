"""From an MLIR module to an LLVM module."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from sdykit.mlir import ir, make_context
from sdykit.sparsecore.codegen.compiled import Interface, aligned
from sdykit.sparsecore.codegen.emission.emitter import METADATA
from sdykit.sparsecore.codegen.entry.function import find_entry, functions_of
from sdykit.sparsecore.codegen.entry.phases import PhaseBuilder
from sdykit.sparsecore.codegen.translation.located_errors import mlir_errors
from sdykit.sparsecore.codegen.translation.translator import Types


@dataclass(frozen=True, slots=True)
class Translation:
    """The LLVM IR of a program, and what a caller of it must know."""

    interface: Interface
    llvm: str


@cache
def _context() -> ir.Context:
    return make_context()


def parse(text: str) -> ir.Module:
    """Parse and verify a module.

    Raises:
        CodegenError: the module is invalid.
    """
    with mlir_errors(_context()):
        return ir.Module.parse(text, _context())


def text_of(module: ir.Module) -> str:
    """Verify a module and return its text.

    Raises:
        CodegenError: the module is invalid.
    """
    with mlir_errors(module.context):
        module.operation.verify()
    text = module.operation.get_asm(assume_verified=True)
    assert isinstance(text, str)
    return text


def translate(module: ir.Module) -> Translation:
    """Translate a verified module.

    Raises:
        CodegenError: the module is not a tile program, or has an op without a translation.
    """
    types, functions = Types(), functions_of(module.operation)
    entry = find_entry(module.operation, functions, types)
    declarations: dict[str, str] = {}
    builder = PhaseBuilder(entry, functions, types, declarations)
    phases = [builder.build(number) for number in range(len(entry.phases))]
    used = max((phase.scratch_bytes for phase in phases), default=0)
    written = frozenset[int]().union(*(phase.written for phase in phases))
    interface = Interface(
        entry.name,
        tuple(replace(each, written=at in written) for at, each in enumerate(entry.arguments)),
        len(phases),
        aligned(used),
        entry.messages,
        entry.serial_bytes,
        builder.calls_runtime,
        entry.locations,
    )
    texts = [*declarations.values(), *(phase.text for phase in phases), METADATA]
    return Translation(interface, "\n".join(texts) + "\n")
