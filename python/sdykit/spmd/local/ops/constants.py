"""Constants, iotas and the number of the device."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.mlir import ir
from sdykit.spmd.devices.layout import whole
from sdykit.spmd.local import emit
from sdykit.spmd.local.copies import CONSTANT, stablehlo_constant
from sdykit.spmd.local.layouts import shape_of
from sdykit.spmd.local.moving import Part, moved, starts_of
from sdykit.spmd.local.program import LocalProgram, handles


@handles("stablehlo.constant", CONSTANT)
def constant(program: LocalProgram, op: ir.Operation) -> Sequence[Part]:
    """Make the part of a constant: of one that is all one value, or cut out of the whole one."""
    (result,) = op.results
    layout, shape = program.layouts.of(result), shape_of(result)
    splat = _splat(op)
    if splat is not None and not layout.unreduced:
        type_ = program.local_type(result.type, layout)
        value = ir.DenseElementsAttr.get_splat(type_, splat)
        return [Part(emit.make("stablehlo.constant", type_, [], {"value": value}), shape, layout)]
    part = Part(stablehlo_constant(op).result, shape, whole(len(shape)))
    if layout.unreduced:
        return [program.converted(part, layout, op)]
    return [moved(part, layout)]


def _splat(op: ir.Operation) -> ir.Attribute | None:
    """Return the one value of all elements of a constant; None if there are several, or it is unknown."""
    element = emit.element_of(op.results[0])
    if isinstance(element, ir.ComplexType):  # The bindings know no such constants.
        return None
    value = op.attributes["value"]
    elements = ir.DenseElementsAttr(value) if isinstance(value, ir.DenseElementsAttr) else None
    return elements.get_splat_value() if elements is not None and elements.is_splat else None


@handles("stablehlo.iota")
def iota(program: LocalProgram, op: ir.Operation) -> Sequence[Part]:
    """Count from where the part begins."""
    (result,) = op.results
    layout, shape = program.layouts.of(result), shape_of(result)
    dim = ir.IntegerAttr(op.attributes["iota_dimension"]).value
    type_ = ir.RankedTensorType(program.local_type(result.type, layout))
    value = emit.iota(type_, dim)
    if layout.dims[dim]:
        start = emit.convert(starts_of(layout, type_.shape)[dim], type_.element_type)
        value = emit.binary(emit.ADD, value, emit.broadcast(start, type_.shape, []))
    return [Part(value, shape, layout)]


@handles("stablehlo.partition_id", "stablehlo.replica_id")
def device_number(program: LocalProgram, op: ir.Operation) -> Sequence[Part]:
    """Make the number of the device: as XLA's replicas, devices have no other."""
    name = "stablehlo.replica_id"
    if op.name == name:  # All partitions of a program are one replica.
        return [Part(emit.filled("0", op.results[0].type), (), whole(0))]
    return [Part(emit.make(name, op.results[0].type, []), (), whole(0))]
