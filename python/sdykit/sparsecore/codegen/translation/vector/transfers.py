"""`vector.transfer_read` and `vector.transfer_write`, which may exceed the bounds of a buffer."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.memory import (
    Access,
    address,
    load,
    masked_load,
    masked_store,
    store,
)
from sdykit.sparsecore.codegen.emission.types import INDEX, Type
from sdykit.sparsecore.codegen.emission.values import MemRef, Value
from sdykit.sparsecore.codegen.emission.vectors import below, splat_register
from sdykit.sparsecore.codegen.translation.located_errors import error_of
from sdykit.sparsecore.codegen.translation.op_attributes import segments
from sdykit.sparsecore.codegen.translation.translator import Handler, Translator
from sdykit.sparsecore.codegen.translation.vector.memory import check_rank, texts_of


@dataclass(frozen=True, slots=True)
class _Transfer:
    """The memory access of a transfer.

    Attributes:
        pointer: the address of the first lane.
        access: how memory is accessed.
        mask: the mask of the lanes that are selected and within the buffer; None if all are.
    """

    pointer: str
    access: Access
    mask: Value | None


def _read(t: Translator, op: ir.Operation) -> None:
    (source,), indices, (padding,), masks = segments(op)
    to = t.result_type(op)
    _check(op, source, to)
    transfer = _transfer(t, op, t.memref(source), texts_of(t, indices), masks)
    if transfer.mask is None:
        t[op.results[0]] = load(t.emitter, to, transfer.pointer, transfer.access)
        return
    otherwise = splat_register(t.emitter, t.value(padding), to)
    t[op.results[0]] = masked_load(
        t.emitter, transfer.pointer, transfer.access, transfer.mask, otherwise
    )


def _write(t: Translator, op: ir.Operation) -> None:
    (source,), (target,), indices, masks = segments(op)
    value = t.value(source)
    _check(op, target, value.type)
    transfer = _transfer(t, op, t.memref(target), texts_of(t, indices), masks)
    if transfer.mask is None:
        store(t.emitter, value, transfer.pointer, transfer.access)
        return
    masked_store(t.emitter, value, transfer.pointer, transfer.access, transfer.mask)


def _check(op: ir.Operation, memref: ir.Value, type_: Type) -> None:
    check_rank(op, type_)
    map_ = ir.AffineMapAttr(op.attributes["permutation_map"]).value
    if map_ != ir.AffineMap.get_minor_identity(map_.n_dims, 1, op.context):
        raise error_of(op, f"expected a vector along the last dimension, found '{map_}'")
    strides, _ = ir.MemRefType(memref.type).get_strides_and_offset()
    if strides[-1] != 1:
        raise error_of(op, f"expected a last stride of 1, found '{memref.type}'")


def _transfer(
    t: Translator, op: ir.Operation, memref: MemRef, places: list[str], masks: list[ir.Value]
) -> _Transfer:
    e, mask = t.emitter, t.value(masks[0]) if masks else None
    (in_bounds,) = ir.ArrayAttr(op.attributes["in_bounds"])
    if not ir.BoolAttr(in_bounds).value:
        remaining = Value(Type(INDEX), e.set(f"sub nsw i64 {memref.sizes[-1]}, {places[-1]}"))
        inside = below(e, remaining, list(range(_lanes(op))))
        mask = Value(inside.type, e.set(f"and {mask.operand}, {inside.text}")) if mask else inside
    pointer = address(e, memref, places, inbounds=mask is None)
    return _Transfer(pointer, Access(memref.layout.element.bytes), mask)


def _lanes(op: ir.Operation) -> int:
    vector = op.results[0].type if len(op.results) else op.operands[0].type
    return ir.VectorType(vector).shape[0]


OPS: dict[str, Handler] = {
    "vector.transfer_read": _read,
    "vector.transfer_write": _write,
}
