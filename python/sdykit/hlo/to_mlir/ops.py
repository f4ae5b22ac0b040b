"""Create ops of MLIR from texts of attributes and types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from sdykit.hlo.mlir import marks
from sdykit.hlo.mlir.types import parts
from sdykit.mlir import ir

_T = TypeVar("_T")


class Ops:
    """Creates ops; attributes and types are parsed once for each text."""

    def __init__(self, context: ir.Context) -> None:
        self.context = context
        self.unit = ir.UnitAttr.get(context)
        self.implied = {marks.IMPLIED: self.unit}
        self._attributes = dict[str, ir.Attribute]()
        self._types = dict[str, ir.Type]()

    def attribute(self, text: str) -> ir.Attribute:
        """Return the attribute that a text stands for."""
        return self._parsed(self._attributes, text, ir.Attribute.parse)

    def type(self, text: str) -> ir.Type:
        """Return the type that a text stands for."""
        return self._parsed(self._types, text, ir.Type.parse)

    def types(self, texts: Sequence[str]) -> list[ir.Type]:
        """Return the types that texts stand for."""
        return [self.type(text) for text in texts]

    def string(self, text: str) -> ir.StringAttr:
        """Return a string attribute."""
        return ir.StringAttr.get(text, self.context)

    def symbol(self, name: str) -> ir.FlatSymbolRefAttr:
        """Return a reference to a function."""
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
        """Create an op; `results` are the types of its results."""
        return ir.Operation.create(
            name,
            self.types(results),
            list(operands),
            dict(attributes or {}),
            regions=regions,
            loc=location,
            ip=at,
        )

    def unpack(self, value: ir.Value, at: ir.InsertionPoint, *, deep: bool) -> list[ir.Value]:
        """Unpack a tuple into its elements; if `deep`, those that are tuples as well."""
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
            found += self.unpack(element, at, deep=True) if deep else [element]
        return found

    def pack_deep(self, values: Iterator[ir.Value], kind: str, at: ir.InsertionPoint) -> ir.Value:
        """Pack a type, nested tuples included, from the next values, which are not tuples."""
        if not kind.startswith("tuple<"):
            return next(values)
        elements = [self.pack_deep(values, each, at) for each in parts(kind)]
        return self.pack(elements, kind, at)

    def pack(self, values: Sequence[ir.Value], kind: str, at: ir.InsertionPoint) -> ir.Value:
        """Pack a tuple that no instruction stands for."""
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
