"""`vector`: loads and stores, with masks, gathers and scatters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.emitter import Emitter
from sdykit.sparsecore.codegen.emission.memory import (
    Access,
    address,
    compressed_store,
    expanding_load,
    from_storage,
    load,
    mangled_storage,
    masked_load,
    masked_store,
    store,
    to_storage,
)
from sdykit.sparsecore.codegen.emission.types import INDEX, Type, flat
from sdykit.sparsecore.codegen.emission.values import MemRef, Value
from sdykit.sparsecore.codegen.emission.vectors import part, splat_register, with_part
from sdykit.sparsecore.codegen.translation.located_errors import error_of
from sdykit.sparsecore.codegen.translation.op_attributes import access_of
from sdykit.sparsecore.codegen.translation.translator import Handler, Translator

MaskedLoad = Callable[[Emitter, str, Access, Value, Value], Value]
MaskedStore = Callable[[Emitter, Value, str, Access, Value], None]


def _load(t: Translator, op: ir.Operation) -> None:
    source, *indices = op.operands
    memref, to = t.memref(source), t.result_type(op)
    access = access_of(op, memref.layout.element)
    pointers = _rows(t.emitter, memref, texts_of(t, indices), to)
    if len(pointers) == 1:
        t[op.results[0]] = load(t.emitter, to, pointers[0], access)
        return
    whole, width = Value(to, "poison"), to.count // len(pointers)
    for k, pointer in enumerate(pointers):
        row = load(t.emitter, flat(to.element, width), pointer, access)
        whole = with_part(t.emitter, whole, row, k * width)
    t[op.results[0]] = whole


def _store(t: Translator, op: ir.Operation) -> None:
    source, target, *indices = op.operands
    memref, value = t.memref(target), t.value(source)
    access = access_of(op, memref.layout.element)
    pointers = _rows(t.emitter, memref, texts_of(t, indices), value.type)
    if len(pointers) == 1:
        store(t.emitter, value, pointers[0], access)
        return
    width = value.type.count // len(pointers)
    for k, pointer in enumerate(pointers):
        row = part(t.emitter, value, k * width, flat(value.type.element, width))
        store(t.emitter, row, pointer, access)


def texts_of(t: Translator, indices: Sequence[ir.Value]) -> list[str]:
    """Return what indices are lowered to."""
    return [t.value(index).text for index in indices]


def _rows(e: Emitter, memref: MemRef, indices: list[str], type_: Type) -> list[str]:
    """Return the address of each row of a vector; the elements of a row are adjacent."""
    if len(type_.shape or ()) < 2:
        return [address(e, memref, indices)]
    outer = (type_.shape or ())[:-1]
    skipped = len(indices) - len(type_.shape or ())
    pointers = []
    for place in np.ndindex(*outer):
        moves = [0] * skipped + [*place, 0][: len(indices) - skipped]
        moved = [e.add(index, str(move)) for index, move in zip(indices, moves, strict=True)]
        pointers.append(address(e, memref, moved))
    return pointers


def _load_by_mask(emit: MaskedLoad) -> Handler:
    """Return the translation of a load of the elements whose mask is true."""

    def translate(t: Translator, op: ir.Operation) -> None:
        source, *indices, mask, otherwise = op.operands
        check_rank(op, t.result_type(op))
        memref = t.memref(source)
        pointer = address(t.emitter, memref, texts_of(t, indices), inbounds=False)
        access = access_of(op, memref.layout.element)
        values = t.value(mask), t.value(otherwise)
        t[op.results[0]] = emit(t.emitter, pointer, access, *values)

    return translate


def _store_by_mask(emit: MaskedStore) -> Handler:
    """Return the translation of a store of the elements whose mask is true."""

    def translate(t: Translator, op: ir.Operation) -> None:
        target, *indices, mask, source = op.operands
        memref, value = t.memref(target), t.value(source)
        check_rank(op, value.type)
        pointer = address(t.emitter, memref, texts_of(t, indices), inbounds=False)
        access = access_of(op, memref.layout.element)
        emit(t.emitter, value, pointer, access, t.value(mask))

    return translate


def check_rank(op: ir.Operation, type_: Type) -> None:
    """Check that a vector has one dimension.

    Raises:
        CodegenError: it has none, or several.
    """
    if len(type_.shape or ()) != 1:
        raise error_of(op, f"expected a vector of rank 1, found rank {len(type_.shape or ())}")


def _lanes(t: Translator, memref: MemRef, indices: Sequence[ir.Value], lanes: Value) -> str:
    """Return the addresses of single elements; `lanes` are indices along the last dimension."""
    e, count = t.emitter, lanes.type.count
    start = address(e, memref, texts_of(t, indices), inbounds=False)
    text, wide = lanes.text, flat(INDEX, count)
    if lanes.type.element.bits != 64:
        text = e.set(f"sext {lanes.operand} to {wide.llvm}")
    if memref.strides[-1] != "1":
        stride = splat_register(e, Value(Type(INDEX), memref.strides[-1]), wide)
        text = e.set(f"mul {wide.llvm} {text}, {stride.text}")
    storage = memref.layout.element.storage
    return e.set(f"getelementptr {storage}, ptr {start}, {wide.llvm} {text}")


def _gather(t: Translator, op: ir.Operation) -> None:
    source, *indices, lanes, mask, otherwise = op.operands
    memref, to, e = t.memref(source), t.result_type(op), t.emitter
    check_rank(op, to)
    pointers = _lanes(t, memref, indices, t.value(lanes))
    access = access_of(op, memref.layout.element)
    vector = f"<{to.count} x ptr>"
    operands = [
        f"{vector} align {access.alignment} {pointers}",
        t.value(mask).operand,
        f"{to.storage} {to_storage(e, t.value(otherwise))}",
    ]
    full = f"llvm.masked.gather.{mangled_storage(to)}.v{to.count}p0"
    types = [vector, t.value(mask).type.llvm, to.storage]
    t[op.results[0]] = from_storage(e, to, e.call(full, to.storage, operands, types))


def _scatter(t: Translator, op: ir.Operation) -> None:
    target, *indices, lanes, mask, source = op.operands
    memref, value, e = t.memref(target), t.value(source), t.emitter
    type_ = value.type
    check_rank(op, type_)
    pointers = _lanes(t, memref, indices, t.value(lanes))
    access = access_of(op, memref.layout.element)
    vector = f"<{type_.count} x ptr>"
    operands = [
        f"{type_.storage} {to_storage(e, value)}",
        f"{vector} align {access.alignment} {pointers}",
        t.value(mask).operand,
    ]
    types = [type_.storage, vector, t.value(mask).type.llvm]
    e.call(
        f"llvm.masked.scatter.{mangled_storage(type_)}.v{type_.count}p0", "void", operands, types
    )


OPS: dict[str, Handler] = {
    "vector.compressstore": _store_by_mask(compressed_store),
    "vector.expandload": _load_by_mask(expanding_load),
    "vector.gather": _gather,
    "vector.load": _load,
    "vector.maskedload": _load_by_mask(masked_load),
    "vector.maskedstore": _store_by_mask(masked_store),
    "vector.scatter": _scatter,
    "vector.store": _store,
}
