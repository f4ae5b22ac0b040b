"""`-sparsecore-quantize`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sdykit.core import ModulePass, fail
from sdykit.core.sparsecore.names import QUANTIZE
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._instrument.ops import create
from sdykit.passes.sparsecore._programs.accesses import LOADS, writers_of
from sdykit.passes.sparsecore._programs.arguments import (
    argument_marks,
    name_of,
    set_argument_marks,
    source_of,
)
from sdykit.passes.sparsecore._programs.entry import entry_of

_VIEWS = ("memref.subview", "memref.cast", "memref.reinterpret_cast")
_PART = "vector.extract_strided_slice"
_COPY = "memref.copy"
_HARMLESS = ("memref.dim", "memref.prefetch")
_CONVERSIONS = {"f32": None, "bf16": "arith.extf", "i8": "arith.sitofp"}
"""The element types of a table, and the op that converts each to float32."""
_LESS, _GREATER = 4, 2
"""`olt` and `ogt`: a NaN is neither, and is kept."""
_INT8_OFFSET = 128
"""Bucket 0 is stored as -128."""
_EXPECTED = "{buckets = N : i64, high = F : f32, low = F : f32}, with 2 buckets or more, low < high"


@dataclass(frozen=True)
class QuantizePass(ModulePass):
    """Quantize what a tile program reads from a table.

    An argument with the attribute `sparsecore.quantize` is such a table. The table is not changed;
    the attribute is removed. Each loaded element is replaced by one of `buckets` values, evenly
    spaced from `low` to `high`: `low + step * round_half_even((clip(x) - low) / step)`, where
    `step` is `(high - low) / (buckets - 1)`, and every operation is rounded to float32. An i8 table
    holds the number of each element's bucket, less 128: the value is `low + step * bucket`.
    Elements of bf16 are extended to float32 first. Copies of rows in other buffers are quantized
    where they are loaded.

    Before:

    ```mlir
    func.func @lookup(%table: memref<?x8xf32>
        {sparsecore.quantize = {buckets = 256 : i64, high = 1.0 : f32, low = -1.0 : f32}}) {
      %row = vector.load %table[%i, %c0] : memref<?x8xf32>, vector<8xf32>
    ```

    After:

    ```mlir
    func.func @lookup(%table: memref<?x8xf32>) {
      %0 = vector.load %table[%i, %c0] : memref<?x8xf32>, vector<8xf32>
      %is_less = arith.cmpf olt, %0, %low : vector<8xf32>
      %1 = arith.select %is_less, %low, %0 : vector<8xi1>, vector<8xf32>
      %is_greater = arith.cmpf ogt, %1, %high : vector<8xf32>
      %2 = arith.select %is_greater, %high, %1 : vector<8xi1>, vector<8xf32>
      %3 = arith.subf %2, %low : vector<8xf32>
      %4 = arith.divf %3, %step : vector<8xf32>
      %bucket = math.roundeven %4 : vector<8xf32>
      %5 = arith.mulf %step, %bucket : vector<8xf32>
      %row = arith.addf %low, %5 : vector<8xf32>
    ```
    """

    name = "sparsecore-quantize"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        marks = argument_marks(entry)
        with module.context, ir.Location.unknown():
            for number, argument in enumerate(entry.regions[0].blocks[0].arguments):
                if QUANTIZE in marks[number]:
                    buckets = _read(entry, argument, marks[number].pop(QUANTIZE))
                    for buffer in _holders_of(entry, argument):
                        for op in list(_reads_of(entry, argument, buffer)):
                            _quantize(op, buckets)
            set_argument_marks(entry, marks)


@dataclass(frozen=True)
class _Buckets:
    """The values that elements are quantized to.

    Attributes:
        low: the lowest value.
        high: the highest value.
        step: the distance of two values.
        numbered: whether the table holds the numbers of buckets.
    """

    low: np.float32
    high: np.float32
    step: np.float32
    numbered: bool


def _read(entry: ir.Operation, argument: ir.BlockArgument, mark: ir.Attribute) -> _Buckets:
    """Return the values that the attribute of an argument describes.

    Raises:
        PassFailure: it is invalid, or the argument cannot be quantized.
    """
    name = name_of(entry, argument)
    element = _element_of(argument.type)
    if element not in _CONVERSIONS:
        fail(
            entry,
            f"quantizes {name} of type '{argument.type}'; expected elements of "
            f"{', '.join(_CONVERSIONS)}",
        )
    found = _numbers(mark)
    step = np.float32(0)
    if found is not None:
        buckets, low, high = found
        with np.errstate(over="ignore", under="ignore"):
            step = (high - low) / np.float32(max(buckets - 1, 1))
        if buckets >= 2 and low < high and np.isfinite(step) and step > 0:
            return _Buckets(low, high, step, element == "i8")
    fail(entry, f"has the attribute '{QUANTIZE}' = {mark} on {name}; expected {_EXPECTED}")


def _numbers(mark: ir.Attribute) -> tuple[int, np.float32, np.float32] | None:
    """Return buckets, low and high of an attribute; None: it does not have them."""
    if not isinstance(mark, ir.DictAttr) or len(mark) != 3:
        return None
    if any(name not in mark for name in ("buckets", "high", "low")):
        return None
    buckets, low, high = (mark[name] for name in ("buckets", "low", "high"))
    if not isinstance(buckets, ir.IntegerAttr):
        return None
    if not all(isinstance(each, ir.FloatAttr) and str(each.type) == "f32" for each in (low, high)):
        return None
    return buckets.value, np.float32(ir.FloatAttr(low).value), np.float32(ir.FloatAttr(high).value)


def _element_of(type_: ir.Type) -> str:
    return str(type_.element_type) if isinstance(type_, ir.MemRefType) else str(type_)


def _holders_of(entry: ir.Operation, table: ir.Value) -> list[ir.Value]:
    """Return a table and the buffers that its rows are copied to, from it or from each other.

    Raises:
        PassFailure: something else is written to one of these buffers.
    """
    held = [table]
    for buffer in held:
        copies = (op for op, number in _users_of(buffer) if op.name == _COPY and number == 0)
        for target in (source_of(copy.operands[1]) for copy in copies):
            if target not in held:
                held.append(target)
    for buffer in held[1:]:
        for op in writers_of(buffer):
            if op.name != _COPY or source_of(op.operands[0]) not in held:
                fail(
                    op,
                    f"writes a buffer that holds rows of {name_of(entry, table)}, which is "
                    "quantized; expected only copies of its rows",
                )
    return held


def _users_of(buffer: ir.Value) -> Iterator[tuple[ir.Operation, int]]:
    """Yield the ops that use a buffer or its views, and the number of the operand."""
    for use in buffer.uses:
        user = use.owner.operation
        if user.name in _VIEWS:
            yield from _users_of(user.results[0])
        else:
            yield user, use.operand_number


def _reads_of(entry: ir.Operation, table: ir.Value, buffer: ir.Value) -> Iterator[ir.Operation]:
    """Yield the ops whose results are elements of a table, as float32.

    Args:
        entry: the entry function.
        table: the table.
        buffer: the table, a buffer that its rows are copied to, or a view of one of them.

    Raises:
        PassFailure: an op reads them in an unknown way, or writes the table.
    """
    is_copy = source_of(buffer) != table
    for use in list(buffer.uses):
        user = use.owner.operation
        if user.name == _COPY and (is_copy or use.operand_number == 0):
            continue
        if user.name in _VIEWS:
            yield from _reads_of(entry, table, user.results[0])
        elif user.name in LOADS:
            yield from _converted(user, _CONVERSIONS[_element_of(buffer.type)])
        elif user.name not in _HARMLESS:
            fail(
                user,
                f"uses {name_of(entry, table)}, which is quantized; "
                f"expected one of {', '.join((*LOADS, _COPY, *_VIEWS, *_HARMLESS))}",
            )


def _converted(load: ir.Operation, conversion: str | None) -> Iterator[ir.Operation]:
    """Yield the ops that convert loaded elements to float32."""
    if conversion is None:
        yield load
        return
    for use in list(load.results[0].uses):
        user = use.owner.operation
        if user.name == _PART:
            yield from _converted(user, conversion)
            continue
        if user.name != conversion or _scalar(user.results[0].type) != "f32":
            fail(user, f"uses elements that are quantized; expected '{conversion}' to f32")
        yield user


def _scalar(type_: ir.Type) -> str:
    return str(type_.element_type if isinstance(type_, ir.VectorType) else type_)


def _quantize(owner: ir.Operation, buckets: _Buckets) -> None:
    """Replace the result of an op by the value of its bucket."""
    value = owner.results[0]
    uses = [(use.owner.operation, use.operand_number) for use in value.uses]
    with ir.InsertionPoint.after(owner), owner.location:
        quantized = _bucket_value(value, buckets)
    for user, number in uses:
        user.operands[number] = quantized


def _bucket_value(value: ir.Value, buckets: _Buckets) -> ir.Value:
    low, high = _constant(buckets.low, value.type), _constant(buckets.high, value.type)
    step = _constant(buckets.step, value.type)
    if buckets.numbered:
        bucket = _same("arith.addf", value, _constant(np.float32(_INT8_OFFSET), value.type))
    else:
        raised = _clipped(_LESS, value, low)
        clipped = _clipped(_GREATER, raised, high)
        steps = _same("arith.divf", _same("arith.subf", clipped, low), step)
        bucket = _same("math.roundeven", steps)
    return _same("arith.addf", low, _same("arith.mulf", step, bucket))


def _clipped(predicate: int, value: ir.Value, bound: ir.Value) -> ir.Value:
    """Return the bound where the value compares to it by the predicate, else the value."""
    truth = ir.IntegerType.get_signless(1)
    if isinstance(value.type, ir.VectorType):
        truth = ir.VectorType.get(value.type.shape, truth)
    attribute = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), predicate)
    beyond = create("arith.cmpf", [value, bound], [truth], predicate=attribute).result
    return create("arith.select", [beyond, bound, value], [value.type]).result


def _same(name: str, *operands: ir.Value) -> ir.Value:
    return create(name, operands, [operands[0].type]).result


def _constant(number: np.float32, type_: ir.Type) -> ir.Value:
    element = ir.F32Type.get()
    value: ir.Attribute = ir.FloatAttr.get(element, float(number))
    if isinstance(type_, ir.VectorType):
        value = ir.DenseElementsAttr.get_splat(type_, value)
    return create("arith.constant", [], [type_], value=value).result
