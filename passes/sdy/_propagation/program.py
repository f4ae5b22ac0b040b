"""A module as tables: its ops, their tensors, where the sharding of each value is, and who uses it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sdykit.core import fail, functions_of
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._propagation.projection import Dim
from sdykit.passes.sdy._propagation.shardings import Sharding, Shardings, UnknownMesh
from sdykit.passes.sdy._shardings import ARG_ATTRS, IN_SHARDINGS, RES_ATTRS, SHARDING
from sdykit.passes.sdy._value_shardings import (
    WHOLE,
    Place,
    ValueAttrs,
    ValueShardings,
    place_of,
    rank,
)


@dataclass(eq=False)
class Node:
    """An op of the module.

    Attributes:
        op: the op.
        name: its name.
        parent: the op around it; None for the module.
        operands: its operands.
        results: its results.
        children: the ops in its regions, without those in theirs.
    """

    op: ir.Operation
    name: str
    parent: Node | None
    operands: list[ir.Value] = field(default_factory=list)
    results: list[ir.Value] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)


class Program:
    """The ops of a module below it, in pre-order, and the shardings of its values."""

    def __init__(self, module: ModuleOp, shardings: Shardings) -> None:
        self.module = module
        self.shardings = shardings
        self._attributes = ValueShardings()
        self.nodes = list(_nodes(module.operation, None))
        self.by_op = {node.op: node for node in self.nodes}
        self._places: dict[ir.Value, Place | None] = {}
        self._values: dict[Place, Sharding | None] = {}
        self._changed: dict[tuple[ir.Operation, str], None] = {}
        self._functions: dict[tuple[ir.Operation, str], ValueAttrs] = {}

    @property
    def function(self) -> ir.Operation:
        """The function whose results shardings propagate to: `@main`, or the only one."""
        functions = functions_of(self.module)
        if "main" in functions:
            return functions["main"]
        if len(functions) != 1:
            fail(self.module, "propagation needs a function @main or a single function")
        return next(iter(functions.values()))

    def returned(self) -> list[ir.Value]:
        """Return what that function returns."""
        return list(list(self.function.regions[0].blocks[0].operations)[-1].operation.operands)

    def place(self, value: ir.Value) -> Place | None:
        """Return the place of the sharding of a value."""
        if value not in self._places:
            self._places[value] = place_of(value)
        return self._places[value]

    def get(self, value: ir.Value) -> Sharding | None:
        """Return the sharding of a value, None if it has none."""
        return self.at(self.place(value))

    def set(self, value: ir.Value, sharding: Sharding) -> None:
        """Set the sharding of a value, if it can have one."""
        self.put(self.place(value), sharding)

    def at(self, place: Place | None) -> Sharding | None:
        """Return the sharding at a place, None if there is none."""
        if place is None:
            return None
        if place not in self._values:
            self._values[place] = self._read(place)
        return self._values[place]

    def put(self, place: Place | None, sharding: Sharding) -> None:
        """Put a sharding at a place, if it is one; the others of its list are open if there are none."""
        if place is None:
            return
        if (
            self.at(place) is None
            and place.number != WHOLE
            and place.key not in (ARG_ATTRS, RES_ATTRS)
        ):
            for number, value in enumerate(_listed(place)):
                if number != place.number:
                    dims = (Dim(),) * rank(value.type)
                    self._values[place._replace(number=number)] = Sharding(sharding.mesh, dims)
        self._values[place] = sharding
        self._changed.setdefault((place.op, place.key), None)

    def _read(self, place: Place) -> Sharding | None:
        op, key, number = place
        if key in (ARG_ATTRS, RES_ATTRS):
            attribute = self._of_function(op, key).get(number, SHARDING)
        else:
            attribute = self._attributes.at(place)
        if attribute is None:
            return None
        try:
            return self.shardings.read(attribute)
        except UnknownMesh as error:
            fail(op, f"is sharded on mesh @{error}, which the module does not have at its top")

    def _of_function(self, op: ir.Operation, key: str) -> ValueAttrs:
        if (op, key) not in self._functions:
            self._functions[op, key] = ValueAttrs(op, key)
        return self._functions[op, key]

    def write(self) -> None:
        """Write all shardings that were set."""
        # All are made before the first is written: with the attributes of an op its hash changes.
        made = [(op, key, self._attribute(op, key)) for op, key in self._changed]
        for op, key, attribute in made:
            op.attributes[key] = attribute

    def _attribute(self, op: ir.Operation, key: str) -> ir.Attribute:
        if key in (ARG_ATTRS, RES_ATTRS):
            attributes = self._of_function(op, key)
            for number in range(len(attributes)):
                sharding = self.at(Place(op, key, number))
                if sharding is not None:
                    attributes.set(number, SHARDING, self.shardings.make(sharding))
            return attributes.attribute()
        whole = self._values.get(Place(op, key, WHOLE))
        if whole is not None:
            return self.shardings.make(whole)
        count = len(_listed(Place(op, key, 0)))
        listed = [self.at(Place(op, key, number)) for number in range(count)]
        return self.shardings.make_list(tuple(each for each in listed if each is not None))


def _listed(place: Place) -> Sequence[ir.Value]:
    if place.key == IN_SHARDINGS:
        return list(place.op.regions[0].blocks[0].arguments)
    return list(place.op.results)


def _nodes(op: ir.Operation, parent: Node | None) -> Iterator[Node]:
    for region in op.regions:
        for block in region.blocks:
            for view in block.operations:
                inner = view.operation
                node = Node(inner, inner.name, parent, list(inner.operands), list(inner.results))
                if parent is not None:
                    parent.children.append(node)
                yield node
                if len(inner.regions):
                    yield from _nodes(inner, node)
