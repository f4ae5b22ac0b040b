"""Warn of opcodes and element types that XLA does not have.

The reader accepts any opcode, so that new ones are carried unchanged; a misspelled one would
go unnoticed until XLA reads the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sdykit.core.diagnostics import Diagnostic, Severity
from sdykit.core.options import nearest
from sdykit.hlo.async_ops import ASYNC_SUFFIXES
from sdykit.hlo.model import Instruction, Module
from sdykit.hlo.opcodes import ELEMENT_TYPES, OPCODES

_ELEMENT_TYPE = re.compile(r"([A-Za-z]\w*+)\[", re.ASCII)


def unknown_names(module: Module) -> list[Diagnostic]:
    """Return a warning for each name that XLA does not know, at the first place with it."""
    ops = [op for computation in module.computations for op in computation.instructions]
    opcodes = {op.opcode for op in ops}
    unknown_opcodes = {opcode for opcode in opcodes if not _is_known(opcode)}
    unknown_types = {shape: _unknown_types(shape) for shape in {op.shape for op in ops}}
    if not unknown_opcodes and not any(unknown_types.values()):
        return []
    found: dict[tuple[str, str], Diagnostic] = {}
    for op in sorted(ops, key=lambda op: op.offset):
        if op.opcode in unknown_opcodes:
            name = _without_suffix(op.opcode)
            found.setdefault(("opcode", name), _warning("opcode", name, OPCODES, op))
        for name in unknown_types[op.shape]:
            what = "element type"
            found.setdefault((what, name), _warning(what, name, ELEMENT_TYPES, op))
    return list(found.values())


def _is_known(opcode: str) -> bool:
    return opcode in OPCODES or _without_suffix(opcode) in OPCODES


def _unknown_types(shape: str) -> list[str]:
    return [name for name in _ELEMENT_TYPE.findall(shape) if name not in ELEMENT_TYPES]


def _without_suffix(opcode: str) -> str:
    for suffix in ASYNC_SUFFIXES:
        if opcode.endswith(suffix):
            return opcode.removesuffix(suffix)
    return opcode


def _warning(what: str, name: str, known: Iterable[str], op: Instruction) -> Diagnostic:
    close = nearest(name, sorted(known))
    hint = f"; did you mean '{close}'?" if close else ""
    message = f"XLA has no {what} '{name}'{hint}"
    return Diagnostic(Severity.WARNING, message, op.location)
