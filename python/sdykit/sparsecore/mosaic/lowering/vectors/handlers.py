"""Lowerings of ops that touch no memory: on vectors, arithmetic, checks."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.translation.op_attributes import enumerator, flag, integer
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.registry import lowers
from sdykit.sparsecore.mosaic.lowering.vectors import scans, shapes, sorting
from sdykit.sparsecore.mosaic.lowering.vectors.arithmetic import (
    BINARY,
    TO_INTEGERS,
    element_name,
    rounded_to_integer,
)
from sdykit.sparsecore.mosaic.lowering.vectors.exponentials import exponential
from sdykit.sparsecore.mosaic.lowering.vectors.known import known_numbers
from sdykit.sparsecore.mosaic.lowering.vectors.lanes import (
    MAX_MASK_LANES,
    count_of,
    element_of,
    is_float,
    permuted,
)
from sdykit.sparsecore.mosaic.reports import FailedCheck
from sdykit.sparsecore.mosaic.types import bits_of
from sdykit.sparsecore.tile.builder.lanes import lanes_of

MAX_PICKED = 256
"""The lanes that are picked one by one: LLVM's time grows faster than their number."""


def _dimensions(op: ir.Operation) -> list[int]:
    return list(ir.DenseI32ArrayAttr(op.attributes["dimensions"]))


def _check_rank(e: Emitter, op: ir.Operation, value: ir.Value) -> None:
    """Check that a vector has one dimension, and a mask of it fits into an integer.

    Raises:
        NotLowered: it has several, or more lanes.
    """
    type_ = ir.VectorType(value.type)
    if type_.rank != 1 or type_.shape[0] > MAX_MASK_LANES:
        raise e.not_lowered(op, f"of '{type_}'")


@lowers(*BINARY)
def _binary(e: Emitter, op: ir.Operation) -> None:
    left, right = e.values(list(op.operands))
    e.set(op.results[0], BINARY[op.name](e.b, op.name, left, right))


@lowers("math.exp")
def _exp(e: Emitter, op: ir.Operation) -> None:
    (value,) = e.values(list(op.operands))
    if element_name(value.type) == "f64":
        e.set(op.results[0], e.b.floats("math.exp", value))
    else:
        e.set(op.results[0], exponential(e.b, value))


@lowers("cf.assert")
def _assert(e: Emitter, op: ir.Operation) -> None:
    place, message = e.kernel.places.of(op), ir.StringAttr(op.attributes["msg"]).value
    _, _, _, *words = FailedCheck(agent=0, place=place, message=message).encode()
    e.fail_unless(e.value(op.operands[0]), FailedCheck.kind, e.agent, place, *words)


@lowers(*TO_INTEGERS)
def _to_integer(e: Emitter, op: ir.Operation) -> None:
    (value,) = e.values(list(op.operands))
    e.set(op.results[0], rounded_to_integer(e.b, op.name, value, op.results[0].type))


@lowers("tpu.scan")
def _scan(e: Emitter, op: ir.Operation) -> None:
    values, *masks = e.values(list(op.operands))
    mask, kind = masks[0] if masks else None, enumerator(op, "kind")
    _check_rank(e, op, values)
    if kind == "sum":
        e.set(op.results[0], scans.running_sums(e.b, values, mask))
    elif kind in {"max", "min"} and element_of(values) not in {"i1", "f64"}:
        e.set(op.results[0], scans.running_extrema(e.b, kind, values, mask))
    else:
        raise e.not_lowered(op, f"of the kind '{kind}' of '{values.type}'")


@lowers("tpu.scan_count")
def _scan_count(e: Emitter, op: ir.Operation) -> None:
    mask, values = e.values(list(op.operands))
    _check_rank(e, op, values)
    last, counts = scans.counts(e.b, values, mask)
    e.set_all(list(op.results), [last, counts])


@lowers("tpu.all_reduce")
def _all_reduce(e: Emitter, op: ir.Operation) -> None:
    (mask,), kind = e.values(list(op.operands)), enumerator(op, "kind")
    _check_rank(e, op, mask)
    if element_of(mask) != "i1" or kind not in {"sum", "find_first_set"}:
        raise e.not_lowered(op, f"of the kind '{kind}' of '{mask.type}'")
    found = scans.mask_count(e.b, mask) if kind == "sum" else scans.first_lane(e.b, mask)
    e.set(op.results[0], e.b.splat(found, op.results[0].type))


@lowers("tpu.sort")
def _sort(e: Emitter, op: ir.Operation) -> None:
    keys, values, *masks = e.values(list(op.operands))
    _check_rank(e, op, keys)
    lanes, bits = lanes_of(keys), bits_of(element_of(keys))
    if lanes & (lanes - 1) or bits > sorting.MAX_KEY_BITS:
        raise e.not_lowered(op, f"of '{keys.type}'")
    mask = masks[0] if masks else None
    order, is_in_mask = sorting.sort_order(e.b, keys, mask, descending=flag(op, "descending"))
    moved = [permuted(e.b, each, order) for each in (keys, values)]
    e.set_all(list(op.results), [is_in_mask, *moved])


@lowers("tpu.iota")
def _iota(e: Emitter, op: ir.Operation) -> None:
    result = op.results[0]
    e.set(result, shapes.index_vector(e.b, result.type, _dimensions(op)))


@lowers("tpu.concatenate")
def _concatenate(e: Emitter, op: ir.Operation) -> None:
    parts, result = e.values(list(op.operands)), op.results[0]
    e.set(result, shapes.joined(e.b, parts, integer(op, "dimension"), result.type))


@lowers("tpu.dynamic_gather")
def _dynamic_gather(e: Emitter, op: ir.Operation) -> None:
    values, indices = e.values(list(op.operands))
    known = known_numbers(op.operands[1])
    if known is None and max(count_of(values), count_of(indices)) > MAX_PICKED:
        raise e.not_lowered(op, f"of '{values.type}' by '{indices.type}'")
    e.set(op.results[0], shapes.picked(e.b, values, indices, known, _dimensions(op)))


@lowers("tpu.bitcast")
def _bitcast(e: Emitter, op: ir.Operation) -> None:
    (value,), type_ = e.values(list(op.operands)), ir.VectorType(op.results[0].type)
    if bits_of(element_of(value)) != bits_of(str(type_.element_type)):
        raise e.not_lowered(op, f"from '{value.type}' to '{type_}'")
    e.set(op.results[0], e.b.op("vector.bitcast", [value], [type_]).result)


@lowers("tpu.pack_subelements")
def _pack(e: Emitter, op: ir.Operation) -> None:
    sources, result = e.values(list(op.operands)), op.results[0]
    positions = list(ir.DenseI32ArrayAttr(op.attributes["positions"]))
    narrow = str(ir.VectorType(result.type).element_type)
    _check_widths(e, op, element_of(sources[0]), narrow)
    if sorted(positions) != list(range(len(sources))):
        raise e.not_lowered(op, f"to positions {positions}")
    e.set(result, shapes.packed(e.b, sources, positions, result.type))


@lowers("tpu.unpack_subelements")
def _unpack(e: Emitter, op: ir.Operation) -> None:
    (values,), result = e.values(list(op.operands)), op.results[0]
    wide = str(ir.VectorType(result.type).element_type)
    _check_widths(e, op, wide, element_of(values))
    unsigned = flag(op, "unsigned_integers")
    position = integer(op, "index")
    e.set(result, shapes.unpacked(e.b, values, position, result.type, unsigned=unsigned))


def _check_widths(e: Emitter, op: ir.Operation, wide: str, narrow: str) -> None:
    if is_float(wide) != is_float(narrow):
        raise e.not_lowered(op, f"from {wide} to {narrow}, or back")
