"""Where the sharding of each value is: its *slot*, which is the number of a value, or of a function's result.

Values of one data-flow edge share a slot; some block arguments have none. Attributes are read at the
beginning, and written at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NoReturn

from sdykit.core import FUNC, fail
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.numbered import NONE, NumberedShardings
from sdykit.passes.sdy._propagation.program import Program
from sdykit.passes.sdy._propagation.projection import Dim
from sdykit.passes.sdy._propagation.shardings import Sharding, UnknownMesh
from sdykit.passes.sdy._shardings import (
    ARG_ATTRS,
    IN_SHARDINGS,
    OUT_SHARDINGS,
    RES_ATTRS,
    RESULT_ATTRIBUTE,
    SHARDING,
)
from sdykit.passes.sdy._value_attrs import ValueAttrs
from sdykit.passes.sdy._value_shardings import (
    ARGUMENTS_OWN_EDGES,
    DATA_FLOW_EDGE,
    RESULTS_OWN_EDGES,
)

NO_SLOT: Final = -1

_OWN_ATTRIBUTES: Final = frozenset((FUNC, *ARGUMENTS_OWN_EDGES, *RESULT_ATTRIBUTE))


class Slots:
    """The shardings of a program.

    Attributes:
        of: the slot of each value, `NO_SLOT` if it can have no sharding.
        state: the number of the sharding in each slot. The last entry is that of `NO_SLOT`.
        results: the slots of the results of each function.
        touched: the slots that were set; the reader of this list empties it.
    """

    def __init__(self, program: Program, shardings: NumberedShardings) -> None:
        self.program = program
        self.shardings = shardings
        count = len(program.values)
        self.of = list(range(count))
        self.touched: list[int] = []
        self._changed: dict[int, None] = {}
        self._functions: dict[tuple[int, str], ValueAttrs] = {}
        self.results: dict[int, range] = {}
        self._lists: dict[int, tuple[int, ...]] = {}
        self._has_edges = DATA_FLOW_EDGE in program.names
        self._place()
        for node in program.named(FUNC):
            size = len(self._attributes(node, RES_ATTRS))
            self.results[node] = range(count, count + size)
            count += size
        self.state = [NONE] * (count + 1)
        self._read()

    def get(self, slot: int) -> Sharding | None:
        """Return the sharding in a slot."""
        return self.shardings.find(self.state[slot])

    def set(self, slot: int, sharding: int) -> None:
        """Put a sharding into a slot; if its list has none yet, the others of the list are open."""
        if slot == NO_SLOT:
            return
        if self.state[slot] == NONE and slot in self._lists:
            self._open_others(slot, sharding)
        self.state[slot] = sharding
        self.touched.append(slot)
        self._changed[slot] = None

    def edge_of(self, owner: int) -> int | None:
        """Return the `sdy.data_flow_edge` that uses the owner of an edge, or None if there is none."""
        program = self.program
        if not self._has_edges or not program.users[owner]:
            return None
        user = program.users[owner][0]
        if len(program.users[owner]) > 1:
            user = program.uses_in_order(owner)[0][0]
        return user if program.names[user] == DATA_FLOW_EDGE else None

    def _open_others(self, slot: int, sharding: int) -> None:
        like = self.shardings.of(sharding)
        for other in self._lists[slot]:
            if other != slot:
                dims = (Dim(),) * self.program.types[other].rank
                self.state[other] = self.shardings.number(Sharding(like.mesh, dims))
                self.touched.append(other)

    def _place(self) -> None:
        """Find the slots that are not those of the values themselves."""
        program = self.program
        for node, bodies in program.bodies.items():
            name = program.names[node]
            blocks = [block for body in bodies for block in body]
            owners: Sequence[int] = ()
            if name == FUNC and blocks:
                # By its number alone: an argument of a later block has the sharding of the
                # function's argument of that number.
                owners = blocks[0].arguments
            elif name in ARGUMENTS_OWN_EDGES:
                owners = [self._of_owner(argument) for argument in blocks[0].arguments]
            elif name in RESULTS_OWN_EDGES:
                owners = [self._of_owner(result) for result in program.results[node]]
            for block in blocks:
                for number, argument in enumerate(block.arguments):
                    self.of[argument] = owners[number] if number < len(owners) else NO_SLOT
        for node, name in enumerate(program.names):
            if name in RESULTS_OWN_EDGES or name in ARGUMENTS_OWN_EDGES:
                for result in program.results[node]:
                    self.of[result] = self._of_owner(result)

    def _of_owner(self, owner: int) -> int:
        edge = self.edge_of(owner)
        return owner if edge is None else self.program.results[edge][0]

    def _read(self) -> None:
        program, state = self.program, self.state
        names, attributes = program.names, program.attributes
        for node, results in enumerate(program.results):
            name = names[node]
            if name in _OWN_ATTRIBUTES:
                self._read_own(node, name, results)
            elif len(results) == 1:
                attribute = attributes[node].get(SHARDING)
                if attribute is not None:
                    state[results[0]] = self._numbers(node, attribute)[0]
            elif results:
                self._read_list(node, SHARDING, results)

    def _read_own(self, node: int, name: str, results: tuple[int, ...]) -> None:
        """Read the shardings of an op that holds them in attributes of its own."""
        if name == FUNC:
            self._read_function(node)
        elif name in ARGUMENTS_OWN_EDGES:
            self._read_list(node, IN_SHARDINGS, self.program.bodies[node][0][0].arguments)
            self._read_list(node, OUT_SHARDINGS, results)
        else:
            attribute = self.program.attributes[node].get(RESULT_ATTRIBUTE[name])
            if attribute is not None:
                self.state[results[0]] = self._number(node, attribute)

    def _read_list(self, node: int, key: str, values: tuple[int, ...]) -> None:
        if len(values) > 1:
            self._lists.update(dict.fromkeys(values, values))
        attribute = self.program.attributes[node].get(key)
        if attribute is not None:
            for value, number in zip(values, self._numbers(node, attribute), strict=False):
                self.state[value] = number

    def _read_function(self, node: int) -> None:
        blocks = self.program.bodies[node][0]
        arguments = blocks[0].arguments if blocks else ()
        for key, slots in ((ARG_ATTRS, arguments), (RES_ATTRS, self.results[node])):
            for number, slot in enumerate(slots):
                attribute = self._attributes(node, key).get(number, SHARDING)
                if attribute is not None:
                    self.state[slot] = self._number(node, attribute)

    def _numbers(self, node: int, attribute: ir.Attribute) -> list[int]:
        try:
            return self.shardings.numbers_of(attribute)
        except UnknownMesh as error:
            self._fail(node, error)

    def _number(self, node: int, attribute: ir.Attribute) -> int:
        try:
            return self.shardings.number_of(attribute)
        except UnknownMesh as error:
            self._fail(node, error)

    def _fail(self, node: int, error: UnknownMesh) -> NoReturn:
        text = f"is sharded on mesh @{error}, which the module does not have at its top"
        fail(self.program.ops[node], f"{text}; move its sdy.mesh there")

    def _attributes(self, node: int, key: str) -> ValueAttrs:
        if (node, key) not in self._functions:
            self._functions[node, key] = ValueAttrs(self.program.ops[node], key)
        return self._functions[node, key]

    def write(self) -> None:
        """Write all shardings that were set."""
        program, state, shardings = self.program, self.state, self.shardings
        for slot in self._changed:
            node, key, number = self.holder(slot)
            if key in (ARG_ATTRS, RES_ATTRS):
                made = shardings.make(shardings.of(state[slot]))
                self._attributes(node, key).set(number, SHARDING, made)
            elif program.names[node] in RESULT_ATTRIBUTE:
                program.attributes[node][key] = shardings.make(shardings.of(state[slot]))
            else:
                values = self._lists.get(slot, (slot,))
                numbers = tuple([state[value] for value in values])
                program.attributes[node][key] = shardings.made_list(numbers)
        for attributes in self._functions.values():
            attributes.flush()

    def holder(self, slot: int) -> tuple[int, str, int]:
        """Return the op and attribute that hold a slot, and the number in the list of a function."""
        program = self.program
        if slot >= len(program.values):
            node = next(node for node, slots in self.results.items() if slot in slots)
            return node, RES_ATTRS, slot - self.results[node].start
        node = program.owners[slot]
        name, results = program.names[node], program.results[node]
        if name == FUNC:
            return node, ARG_ATTRS, slot - program.bodies[node][0][0].arguments[0]
        if name in ARGUMENTS_OWN_EDGES:
            return node, OUT_SHARDINGS if slot in results else IN_SHARDINGS, 0
        return node, RESULT_ATTRIBUTE.get(name, SHARDING), 0
