"""What ops do: bytes that they move, DMAs, and vector operations."""

from __future__ import annotations

from collections import Counter
from math import prod

from sdykit.core.sparsecore.elements import element_bytes
from sdykit.core.sparsecore.names import OPERATION, STEP
from sdykit.core.sparsecore.steps import ALL_TO_ALL, EXCHANGE_IDS
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.arguments import name_of, source_of

Amount = Counter[str]
"""The amount to add to each column; for a copy, for each element that it copies."""

COPY = "memref.copy"
DMAS = "DMAs"
_SENT = "bytes sent"
_LAUNCHES = "launches"
_VECTOR_OPS = "vector operations"
_LOADS = ("memref.load", "vector.load", "vector.maskedload")
_STORES = ("memref.store", "vector.store")
_MASKED_STORE = "vector.maskedstore"
"""Like a load with a mask, it counts as that of a whole vector."""
_PREFETCH = "memref.prefetch"
_SHARED = "scf.parallel"
_ARITHMETIC = "arith."
_COMPUTING = ("arith.", "math.", "vector.")
_NOT_COMPUTING = ("arith.constant", *_LOADS, *_STORES, _MASKED_STORE)
_EXCHANGES = (EXCHANGE_IDS, ALL_TO_ALL)
"""The steps whose copies go from one SparseCore to another."""


def amount_of(entry: ir.Operation, op: ir.Operation) -> Amount:
    """Return what an op other than a copy does."""
    return _accessed(entry, op) + _computed(op)


def launched_by(op: ir.Operation) -> Amount:
    """Return 1 launch, and the barrier after it, for a step that tiles share."""
    if op.name != _SHARED or STEP not in op.attributes:
        return Counter()
    return Counter({f"{ir.StringAttr(op.attributes[STEP]).value}: {_LAUNCHES}": 1})


def moved_by(entry: ir.Operation, copy: ir.Operation, step: ir.Operation | None) -> Amount:
    """Return the bytes that a copy moves for each element.

    Args:
        entry: the entry function.
        copy: the copy.
        step: the step that it is in; None: it is in none.
    """
    source, target = copy.operands
    element = ir.MemRefType(source.type).element_type
    if step is not None and ir.StringAttr(step.attributes[STEP]).value in _EXCHANGES:
        return Counter({_SENT: element_bytes(element)})
    return _bytes(entry, source, "read from", element) + _bytes(
        entry, target, "written to", element
    )


def _accessed(entry: ir.Operation, op: ir.Operation) -> Amount:
    """Return the bytes of a load or a store."""
    if op.name in _LOADS and not _is_hint(op):
        return _bytes(entry, op.operands[0], "read from", op.results[0].type)
    if op.name in _STORES:
        return _bytes(entry, op.operands[1], "written to", op.operands[0].type)
    if op.name == _MASKED_STORE:
        buffer, *_, value = op.operands
        return _bytes(entry, buffer, "written to", value.type)
    return Counter()


def _is_hint(op: ir.Operation) -> bool:
    """Return whether only prefetches, which change no result, use the results of an op."""
    users = [use.owner.operation for result in op.results for use in result.uses]
    return bool(users) and all(
        user.name == _PREFETCH or (user.name.startswith(_ARITHMETIC) and _is_hint(user))
        for user in users
    )


def _bytes(entry: ir.Operation, buffer: ir.Value, verb: str, type_: ir.Type) -> Amount:
    if not isinstance(source_of(buffer), ir.BlockArgument):
        return Counter()
    count = prod(type_.shape) if isinstance(type_, ir.VectorType) else 1
    size = element_bytes(ir.MemRefType(buffer.type).element_type)
    return Counter({f"bytes {verb} {name_of(entry, buffer)}": count * size})


def _computed(op: ir.Operation) -> Amount:
    """Return 1 for a vector operation."""
    is_one = OPERATION in op.attributes or op.name.startswith(_COMPUTING)
    if not is_one or op.name in _NOT_COMPUTING:
        return Counter()
    values = (*op.operands, *op.results)
    is_vector = any(isinstance(value.type, ir.VectorType) for value in values)
    return Counter({_VECTOR_OPS: 1}) if is_vector else Counter()
