"""Constants, conversions and arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sdykit.mlir import ir

_SIGNED = {"eq": 0, "ne": 1, "slt": 2, "sle": 3, "sgt": 4, "sge": 5, "ult": 6, "ule": 7, "uge": 9}
_ORDERED = {"oeq": 1, "ogt": 2, "oge": 3, "olt": 4, "ole": 5, "une": 13, "uno": 14}


@dataclass(frozen=True)
class Arithmetic:
    """Adds ops at the innermost `ir.InsertionPoint` of the context.

    Use it within `with context, location`. An `int` stands for a constant of type index.

    Attributes:
        context: the MLIR context of the module.
        block: the block of the entry function, which constants are added to, each once.
    """

    context: ir.Context
    block: ir.Block
    _types: dict[str, ir.Type] = field(default_factory=dict, init=False)
    _attributes: dict[str, ir.Attribute] = field(default_factory=dict, init=False)
    _constants: dict[tuple[str, ir.Type], ir.Value] = field(default_factory=dict, init=False)
    _index_constants: dict[int, ir.Value] = field(default_factory=dict, init=False)
    _known: dict[ir.Value, int] = field(default_factory=dict, init=False)

    @cached_property
    def index(self) -> ir.Type:
        """The type of sizes and positions."""
        return ir.IndexType.get(self.context)

    def type(self, text: str) -> ir.Type:
        """Return the type that a text is parsed to."""
        found = self._types.get(text)
        if found is None:
            found = self._types[text] = ir.Type.parse(text, self.context)
        return found

    def with_element(self, type_: ir.Type, element: str) -> ir.Type:
        """Return the type with other elements: of a vector's shape, or for a scalar the element's.

        Args:
            type_: a vector or a scalar type.
            element: the text of the new element type.
        """
        if not isinstance(type_, ir.VectorType):
            return self.type(element)
        return ir.VectorType.get(type_.shape, self.type(element))

    def attribute(self, text: str) -> ir.Attribute:
        """Return the attribute that a text is parsed to."""
        found = self._attributes.get(text)
        if found is None:
            found = self._attributes[text] = ir.Attribute.parse(text, self.context)
        return found

    def op(
        self,
        name: str,
        operands: Sequence[ir.Value],
        results: Sequence[ir.Type] = (),
        **attributes: str,
    ) -> ir.Operation:
        """Add an op without regions; attributes are given as texts."""
        return ir.Operation.create(
            name,
            results=results,
            operands=operands,
            attributes={key: self.attribute(text) for key, text in attributes.items()},
        )

    def _same(self, name: str, *operands: ir.Value, **attributes: str) -> ir.Value:
        return self.op(name, operands, [operands[0].type], **attributes).result

    def named(self, value: ir.Value, name: str) -> ir.Value:
        """Name the result of an op, for those who read the program; return it."""
        assert not isinstance(value.owner, ir.Block)
        value.owner.operation.location = ir.Location.name(name, context=self.context)
        return value

    # Constants and conversions.

    def constant(self, text: str, type_: ir.Type | str) -> ir.Value:
        """Return a constant, for example `dense<0.0>` of type `vector<8xf32>`."""
        parsed = self.type(type_) if isinstance(type_, str) else type_
        found = self._constants.get((text, parsed))
        if found is None:
            value = self.attribute(f"{text} : {parsed}")
            found = self._constants[text, parsed] = ir.Operation.create(
                "arith.constant",
                results=[parsed],
                attributes={"value": value},
                ip=ir.InsertionPoint.at_block_begin(self.block),
            ).result
        return found

    def at(self, value: ir.Value | int) -> ir.Value:
        """Return a value of type index: the value itself, or a constant."""
        if not isinstance(value, int):
            return value
        found = self._index_constants.get(value)
        if found is None:
            found = self._index_constants[value] = self.constant(str(value), self.index)
            self._known[found] = value
        return found

    def to_index(self, value: ir.Value) -> ir.Value:
        """Convert a signed integer to an index."""
        return self.op("arith.index_cast", [value], [self.index]).result

    def to_integer(self, value: ir.Value, type_: str) -> ir.Value:
        """Convert an index to an integer type."""
        return self.op("arith.index_cast", [value], [self.type(type_)]).result

    def convert(self, name: str, value: ir.Value, type_: ir.Type | str) -> ir.Value:
        """Add a conversion op, for example `arith.extf`."""
        parsed = self.type(type_) if isinstance(type_, str) else type_
        return self.op(name, [value], [parsed]).result

    # Arithmetic of positions.

    def add(self, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Add positions; constants are folded, as there are many, such as the columns of vectors."""
        left, right = self._known_number(a), self._known_number(b)
        if left is not None and right is not None:
            return self.at(left + right)
        if 0 in (left, right):
            return self.at(a if right == 0 else b)
        return self._same("arith.addi", *self._both(a, b))

    def sub(self, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Subtract positions."""
        return self._same("arith.subi", *self._both(a, b))

    def mul(self, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Multiply positions; constants are folded."""
        left, right = self._known_number(a), self._known_number(b)
        if left is not None and right is not None:
            return self.at(left * right)
        if 1 in (left, right):
            return self.at(a if right == 1 else b)
        return self._same("arith.muli", *self._both(a, b))

    def div(self, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Divide positions, rounding down."""
        return self._same("arith.divui", *self._both(a, b))

    def rem(self, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Return the remainder of a division of positions."""
        return self._same("arith.remui", *self._both(a, b))

    def bits(self, name: str, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Add `arith.andi`, `arith.ori`, `arith.shli` or `arith.shrui`."""
        return self._same(name, *self._both(a, b))

    def integers(self, name: str, a: ir.Value, b: ir.Value) -> ir.Value:
        """Add an op on two integers of one type."""
        return self._same(name, a, b)

    def minimum(self, a: ir.Value | int, b: ir.Value | int, **attributes: str) -> ir.Value:
        """Return the smaller position."""
        return self._same("arith.minsi", *self._both(a, b), **attributes)

    def maximum(self, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Return the larger position."""
        return self._same("arith.maxsi", *self._both(a, b))

    def compare(self, how: str, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Compare integers, or vectors of them, by a predicate: `eq`, `slt` and so on."""
        predicate = f"{_SIGNED[how]} : i64"
        left, right = self._both(a, b)
        truth = self.with_element(left.type, "i1")
        return self.op("arith.cmpi", [left, right], [truth], predicate=predicate).result

    def select(self, condition: ir.Value, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Return `a` if the condition holds, else `b`."""
        left, right = self._both(a, b)
        return self.op("arith.select", [condition, left, right], [left.type]).result

    def round_up(self, value: ir.Value, multiple: int) -> ir.Value:
        """Round a position up to a multiple of a power of two."""
        return self.bits("arith.andi", self.add(value, multiple - 1), -multiple)

    def bit_length(self, value: ir.Value) -> ir.Value:
        """Return the number of bits that a position takes."""
        wide = self.to_integer(value, "i64")
        return self.sub(64, self.to_index(self._same("math.ctlz", wide)))

    def _known_number(self, value: ir.Value | int) -> int | None:
        """Return the number that a position is known to be, or None."""
        return value if isinstance(value, int) else self._known.get(value)

    def _both(self, a: ir.Value | int, b: ir.Value | int) -> tuple[ir.Value, ir.Value]:
        return self.at(a), self.at(b)

    # Floating point.

    def floats(self, name: str, *operands: ir.Value) -> ir.Value:
        """Add an op on floats whose result has the type of its operands."""
        return self._same(name, *operands)

    def compare_floats(self, how: str, a: ir.Value, b: ir.Value) -> ir.Value:
        """Compare floats by a predicate: `oeq`, `olt` and so on."""
        truth = self.with_element(a.type, "i1")
        predicate = f"{_ORDERED[how]} : i64"
        return self.op("arith.cmpf", [a, b], [truth], predicate=predicate).result

    def splat(self, value: ir.Value, type_: ir.Type) -> ir.Value:
        """Return a vector whose elements are all the same value."""
        return self.op("vector.broadcast", [value], [type_]).result
