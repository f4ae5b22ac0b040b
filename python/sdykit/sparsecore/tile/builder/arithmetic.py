"""Making MLIR: constants, conversions and arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sdykit.mlir import ir

_SIGNED = {"eq": 0, "ne": 1, "slt": 2, "sle": 3, "sgt": 4, "sge": 5, "ult": 6, "ule": 7}
_ORDERED = {"oeq": 1, "ogt": 2, "oge": 3, "olt": 4, "ole": 5, "une": 13}


@dataclass(frozen=True)
class Arithmetic:
    """Adds ops where the innermost `ir.InsertionPoint` of the context is.

    To be used within `with context, location`. Integers stand for constants of type index.

    Attributes:
        context: of the module.
        block: of the entry function, where constants are, each once.
    """

    context: ir.Context
    block: ir.Block
    _types: dict[str, ir.Type] = field(default_factory=dict, init=False)
    _attributes: dict[str, ir.Attribute] = field(default_factory=dict, init=False)
    _constants: dict[tuple[str, ir.Type], ir.Value] = field(default_factory=dict, init=False)
    _positions: dict[int, ir.Value] = field(default_factory=dict, init=False)
    _numbers: dict[ir.Value, int] = field(default_factory=dict, init=False)

    @cached_property
    def index(self) -> ir.Type:
        """The type of sizes and positions."""
        return ir.IndexType.get(self.context)

    def type(self, text: str) -> ir.Type:
        """Read a type."""
        found = self._types.get(text)
        if found is None:
            found = self._types[text] = ir.Type.parse(text, self.context)
        return found

    def attribute(self, text: str) -> ir.Attribute:
        """Read an attribute."""
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
        """Add any op; the attributes are texts."""
        return ir.Operation.create(
            name,
            results=results,
            operands=operands,
            attributes={key: self.attribute(text) for key, text in attributes.items()},
        )

    def _same(self, name: str, *operands: ir.Value, **attributes: str) -> ir.Value:
        return self.op(name, operands, [operands[0].type], **attributes).result

    # Constants and conversions.

    def constant(self, text: str, type_: ir.Type | str) -> ir.Value:
        """Give a constant, such as `dense<0.0>` of `vector<8xf32>`."""
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
        """Give a value of type index."""
        if not isinstance(value, int):
            return value
        found = self._positions.get(value)
        if found is None:
            found = self._positions[value] = self.constant(str(value), self.index)
            self._numbers[found] = value
        return found

    def to_index(self, value: ir.Value) -> ir.Value:
        """Convert a signed integer."""
        return self.op("arith.index_cast", [value], [self.index]).result

    def to_integer(self, value: ir.Value, type_: str) -> ir.Value:
        """Convert an index to an integer type."""
        return self.op("arith.index_cast", [value], [self.type(type_)]).result

    def convert(self, name: str, value: ir.Value, type_: ir.Type | str) -> ir.Value:
        """Add a conversion, such as `arith.extf`."""
        parsed = self.type(type_) if isinstance(type_, str) else type_
        return self.op(name, [value], [parsed]).result

    # Arithmetic of positions.

    def add(self, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Add positions; there are many constants, such as the columns of vectors."""
        left, right = self._number(a), self._number(b)
        if left is not None and right is not None:
            return self.at(left + right)
        if 0 in (left, right):
            return self.at(a if right == 0 else b)
        return self._same("arith.addi", *self._both(a, b))

    def sub(self, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Subtract positions."""
        return self._same("arith.subi", *self._both(a, b))

    def mul(self, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Multiply positions; constants as in `add`."""
        left, right = self._number(a), self._number(b)
        if left is not None and right is not None:
            return self.at(left * right)
        if 1 in (left, right):
            return self.at(a if right == 1 else b)
        return self._same("arith.muli", *self._both(a, b))

    def div(self, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Divide positions, rounded down."""
        return self._same("arith.divui", *self._both(a, b))

    def rem(self, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Give the rest of a division of positions."""
        return self._same("arith.remui", *self._both(a, b))

    def bits(self, name: str, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Add `arith.andi`, `arith.ori`, `arith.shli` or `arith.shrui`."""
        return self._same(name, *self._both(a, b))

    def integers(self, name: str, a: ir.Value, b: ir.Value) -> ir.Value:
        """Add an op on two integers of one type."""
        return self._same(name, a, b)

    def least(self, a: ir.Value | int, b: ir.Value | int, **attributes: str) -> ir.Value:
        """Give the smaller position."""
        return self._same("arith.minsi", *self._both(a, b), **attributes)

    def most(self, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Give the larger position."""
        return self._same("arith.maxsi", *self._both(a, b))

    def compare(self, how: str, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Compare integers: `eq`, `slt` and so on."""
        predicate = f"{_SIGNED[how]} : i64"
        left, right = self._both(a, b)
        return self.op("arith.cmpi", [left, right], [self.type("i1")], predicate=predicate).result

    def select(self, condition: ir.Value, a: ir.Value | int, b: ir.Value | int) -> ir.Value:
        """Give `a` where the condition holds, else `b`."""
        left, right = self._both(a, b)
        return self.op("arith.select", [condition, left, right], [left.type]).result

    def round_up(self, value: ir.Value, multiple: int) -> ir.Value:
        """Give the next multiple of a power of two."""
        return self.bits("arith.andi", self.add(value, multiple - 1), -multiple)

    def bit_length(self, value: ir.Value) -> ir.Value:
        """Count the bits of a position."""
        wide = self.to_integer(value, "i64")
        return self.sub(64, self.to_index(self._same("math.ctlz", wide)))

    def _number(self, value: ir.Value | int) -> int | None:
        """Give the number that a position is; None: it is not known."""
        return value if isinstance(value, int) else self._numbers.get(value)

    def _both(self, a: ir.Value | int, b: ir.Value | int) -> tuple[ir.Value, ir.Value]:
        return self.at(a), self.at(b)

    # Floating point.

    def floats(self, name: str, *operands: ir.Value) -> ir.Value:
        """Add an op on floats whose result has the type of its operands."""
        return self._same(name, *operands)

    def compare_floats(self, how: str, a: ir.Value, b: ir.Value) -> ir.Value:
        """Compare floats: `oeq`, `olt` and so on."""
        truth = self.type("i1")
        if isinstance(a.type, ir.VectorType):
            truth = self.type(str(a.type).replace("f32", "i1").replace("f64", "i1"))
        predicate = f"{_ORDERED[how]} : i64"
        return self.op("arith.cmpf", [a, b], [truth], predicate=predicate).result

    def splat(self, value: ir.Value, type_: ir.Type) -> ir.Value:
        """Give a vector of equal elements."""
        return self.op("vector.broadcast", [value], [type_]).result
