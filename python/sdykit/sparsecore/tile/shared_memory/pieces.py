"""The arrays of all devices, as one program addresses them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import OFFSETS, TileArgument, passed_arrays
from sdykit.sparsecore.tile.builder.ops import Builder

_UNKNOWN = ir.ShapedType.get_dynamic_size()


@dataclass(frozen=True)
class Pieces:
    """The arrays that the devices pass.

    Attributes:
        builder: the builder that ops are added with, within a phase.
        arguments: the arguments of the program, by name: the arrays of the first device.
        numbers: the number of each in the argument `offsets`, by name.
    """

    builder: Builder
    arguments: Mapping[str, ir.Value]
    numbers: Mapping[str, int]

    def array(self, name: str, device: ir.Value, first: ir.Value | int = 0) -> ir.Value:
        """Return the array of a device.

        Args:
            name: the name of the argument.
            device: the number of the device.
            first: the number that its first row has; those before it are not in the array.
        """
        b, whole = self.builder, self.arguments[name]
        type_ = ir.MemRefType(whole.type)
        offset = self._offset(name, device)
        if first != 0:
            offset = b.sub(offset, b.mul(first, _elements_of_a_row(type_)))
        numbers = range(type_.rank)
        dynamic = [b.dim(whole, number) for number in numbers if type_.is_dynamic_dim(number)]
        strides = [math.prod(type_.shape[number + 1 :]) for number in numbers]
        return _view(b, whole, (type_.shape, strides), [offset, *dynamic])

    def column(self, name: str, device: ir.Value) -> ir.Value:
        """Return the array of a device, which has rank 1, as a column: each element is a row."""
        values = [self._offset(name, device), self.builder.dim(self.arguments[name], 0)]
        return _view(self.builder, self.arguments[name], ([_UNKNOWN, 1], [1, 1]), values)

    def flat(self, name: str, device: ir.Value, count: ir.Value) -> ir.Value:
        """Return the array of a device, of which all elements stand one after another."""
        values = [self._offset(name, device), count]
        return _view(self.builder, self.arguments[name], ([_UNKNOWN], [1]), values)

    def position(self, name: str, device: ir.Value, row: ir.Value) -> ir.Value:
        """Return the position of a row of a device in elements, for `row`."""
        b = self.builder
        width = _elements_of_a_row(ir.MemRefType(self.arguments[name].type))
        return b.add(self._offset(name, device), b.mul(row, width))

    def row(self, name: str, position: ir.Value) -> ir.Value:
        """Return a row as an array of one row."""
        whole = self.arguments[name]
        width = _elements_of_a_row(ir.MemRefType(whole.type))
        return _view(self.builder, whole, ([1, width], [width, 1]), [position])

    def _offset(self, name: str, device: ir.Value) -> ir.Value:
        return self.builder.load_index(self.arguments[OFFSETS], self.numbers[name], device)


def pieces_of(
    b: Builder, described: Sequence[TileArgument], arguments: Mapping[str, ir.Value]
) -> Pieces:
    """Return the arrays that the devices pass to a program.

    Args:
        b: the builder that ops are added with.
        described: the arguments of the program, in order.
        arguments: their values, by name.
    """
    names = [each.name for each in passed_arrays(described)]
    return Pieces(b, arguments, {name: number for number, name in enumerate(names)})


def _view(
    b: Builder,
    whole: ir.Value,
    shape: tuple[Sequence[int], Sequence[int]],
    values: Sequence[ir.Value],
) -> ir.Value:
    """Return an array that begins at a distance from another one.

    Args:
        b: the builder that ops are added with.
        whole: the other array.
        shape: sizes and strides; `_UNKNOWN` stands for a dynamic size.
        values: the distance in elements, then the dynamic sizes.
    """
    sizes, strides = shape
    text = "".join(f"{'?' if size == _UNKNOWN else size}x" for size in sizes)
    element = ir.MemRefType(whole.type).element_type
    layout = f"strided<[{', '.join(map(str, strides))}], offset: ?>"
    return b.op(
        "memref.reinterpret_cast",
        [whole, *values],
        [b.type(f"memref<{text}{element}, {layout}>")],
        static_offsets=_integers([_UNKNOWN]),
        static_sizes=_integers(sizes),
        static_strides=_integers(strides),
        operandSegmentSizes=f"array<i32: 1, 1, {len(values) - 1}, 0>",
    ).result


def _integers(values: Sequence[int]) -> str:
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def _elements_of_a_row(type_: ir.MemRefType) -> int:
    return type_.shape[-1] if type_.rank > 1 else 1
