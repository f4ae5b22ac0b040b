"""A module of MLIR to a module of LLVM IR."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.codegen._entry import find_entry, functions_of
from sdykit.sparsecore.codegen._phases import PhaseBuilder
from sdykit.sparsecore.codegen._translator import SCRATCH_ALIGNMENT, Types
from sdykit.sparsecore.codegen.program import Interface

_NONTEMPORAL = "!0 = !{i32 1}"


@dataclass(frozen=True, slots=True)
class Translation:
    """LLVM IR, and what a caller of it must know."""

    interface: Interface
    llvm: str


def translate(module: ir.Operation) -> Translation:
    """Translate a verified module.

    Raises:
        CodegenError: it is no tile program, or an op in it has no translation.
    """
    types, functions = Types(), functions_of(module)
    entry = find_entry(module, functions, types)
    declarations: dict[str, str] = {}
    builder = PhaseBuilder(entry, functions, types, declarations)
    phases = [builder.build(number) for number in range(len(entry.phases))]
    used = max((phase.scratch_bytes for phase in phases), default=0)
    scratch = -(-used // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT
    interface = Interface(entry.name, entry.arguments, len(phases), scratch)
    texts = [*declarations.values(), *(phase.text for phase in phases), _NONTEMPORAL]
    return Translation(interface, "\n".join(texts) + "\n")
