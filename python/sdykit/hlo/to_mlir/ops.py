"""Making ops of MLIR from texts of attributes and types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from sdykit.hlo.mlir import marks
from sdykit.hlo.mlir.types import parts
from sdykit.mlir import ir

_T = TypeVar("_T")


class Ops:
    """Makes ops; attributes and types are parsed once for each text."""

    def __init__(self, context: ir.Context) -> None:
        self.context = context
        self.unit = ir.UnitAttr.get(context)
        self.implied = {marks.IMPLIED: self.unit}
        self._attributes = dict[str, ir.Attribute]()
        self._types = dict[str, ir.Type]()

    def attribute(self, text: str) -> ir.Attribute:
        """Parse an attribute."""
        return self._parsed(self._attributes, text, ir.Attribute.parse)

    def type(self, text: str) -> ir.Type:
        """Parse a type."""
        return self._parsed(self._types, text, ir.Type.parse)

    def types(self, texts: Sequence[str]) -> list[ir.Type]:
        """Parse types."""
        return [self.type(text) for text in texts]

    def string(self, text: str) -> ir.StringAttr:
        """Make a string."""
        return ir.StringAttr.get(text, self.context)

    def symbol(self, name: str) -> ir.FlatSymbolRefAttr:
        """Make a reference to a function."""
        return ir.FlatSymbolRefAttr.get(name, self.context)

    def make(
        self,
        name: str,
        operands: Sequence[ir.Value],
        results: Sequence[str],
        attributes: Mapping[str, ir.Attribute] | None = None,
        *,
        location: ir.Location,
        at: ir.InsertionPoint,
        regions: int = 0,
    ) -> ir.Operation:
        """Make an op; `results` are types."""
        return ir.Operation.create(
            name,
            self.types(results),
            list(operands),
            dict(attributes or {}),
            regions=regions,
            loc=location,
            ip=at,
        )

    def explode(self, value: ir.Value, at: ir.InsertionPoint, *, deep: bool) -> list[ir.Value]:
        """Take a tuple apart: into its elements, or into all that is no tuple."""
        text = str(value.type)
        if not text.startswith("tuple<"):
            return [value]
        found = list[ir.Value]()
        for index, each in enumerate(parts(text)):
            attributes = {"index": self.attribute(f"{index} : i32"), **self.implied}
            location = ir.Location.unknown(self.context)
            element = self.make(
                "stablehlo.get_tuple_element",
                [value],
                [each],
                attributes,
                location=location,
                at=at,
            ).result
            found += self.explode(element, at, deep=True) if deep else [element]
        return found

    def join_deep(self, values: Iterator[ir.Value], kind: str, at: ir.InsertionPoint) -> ir.Value:
        """Put all that is no tuple in a type together; takes as many values as there are."""
        if not kind.startswith("tuple<"):
            return next(values)
        elements = [self.join_deep(values, each, at) for each in parts(kind)]
        return self.pack(elements, kind, at)

    def pack(self, values: Sequence[ir.Value], kind: str, at: ir.InsertionPoint) -> ir.Value:
        """Make a tuple that no instruction stands for."""
        location = ir.Location.unknown(self.context)
        op = self.make("stablehlo.tuple", values, [kind], self.implied, location=location, at=at)
        return op.result

    def _parsed(
        self, known: dict[str, _T], text: str, parse: Callable[[str, ir.Context], _T]
    ) -> _T:
        if text not in known:
            try:
                known[text] = parse(text, self.context)
            except ir.MLIRError as error:
                raise ValueError(f"{text} is not understood by MLIR") from error
        return known[text]
