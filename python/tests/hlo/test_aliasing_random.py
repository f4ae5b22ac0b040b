"""The analysis of buffers against a simulation that runs the program."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from hypothesis import HealthCheck, given, settings

from sdykit import hlo
from sdykit.hlo.aliasing import analyse
from sdykit.hlo.attributes import parse_aliases
from support.hlo.async_chains import chain_programs

SAME_EVERY_TIME = settings(
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

Tree = object
"""A buffer, which is a number, or a tuple of trees."""


class Machine:
    """Runs a computation instruction by instruction; buffers are numbers."""

    def __init__(self) -> None:
        self.fresh = count()

    def run(self, computation: hlo.Computation, arguments: list[Tree]) -> dict[str, Tree]:
        values: dict[str, Tree] = {}
        for op in computation:
            operands = [values[operand.name] for operand in op.operands]
            if op.opcode == "parameter":
                values[op.name] = arguments[int(op.literal or "")]
            else:
                values[op.name] = self.step(op, operands)
        return values

    def allocate(self, shape: hlo.Shape) -> Tree:
        if shape.elements is None:
            return next(self.fresh)
        return tuple(self.allocate(part) for part in shape.elements)

    def step(self, op: hlo.Instruction, operands: list[Tree]) -> Tree:
        match op.opcode:
            case "tuple":
                return tuple(operands)
            case "get-tuple-element":
                return at(operands[0], (int(op.attributes["index"]),))
            case "bitcast" | "opt-barrier" | "async-update":
                return operands[0]
            case "async-start":
                (wrapped,) = op.called()
                result = self.run(wrapped, operands)[wrapped.root.name]
                context = hlo.parse_shape(op.shape).elements or ()
                return (tuple(operands), result, *(self.allocate(each) for each in context[2:]))
            case "async-done":
                return at(operands[0], (1,))
            case _:
                return self.call(op, operands)

    def call(self, op: hlo.Instruction, operands: list[Tree]) -> Tree:
        result = self.allocate(hlo.parse_shape(op.shape))
        for alias in parse_aliases(op.attributes.get("output_to_operand_aliasing", "{}")) or ():
            source = at(operands[alias.operand], alias.operand_index)
            (number,) = alias.output  # The generator aliases elements of the outermost tuple.
            assert isinstance(result, tuple)
            result = (*result[:number], source, *result[number + 1 :])
        return result


def at(tree: Tree, index: tuple[int, ...]) -> Tree:
    for number in index:
        assert isinstance(tree, tuple)
        tree = tree[number]
    return tree


def buffers(tree: Tree) -> Iterator[int]:
    if isinstance(tree, int):
        yield tree
        return
    assert isinstance(tree, tuple)
    for part in tree:
        yield from buffers(part)


def simulate(computation: hlo.Computation) -> set[tuple[int, int, bool, frozenset[str]]]:
    """Return (first, last, escapes, places) of each buffer that a chain touches."""
    machine = Machine()
    arguments = [machine.allocate(hlo.parse_shape(op.shape)) for op in computation.parameters]
    values = machine.run(computation, arguments)
    first = dict.fromkeys(buffers(tuple(arguments)), 0)
    last: dict[int, int] = {}
    places: dict[int, set[str]] = {}
    for now, op in enumerate(computation):
        for index, buffer in numbered(values[op.name]):
            first.setdefault(buffer, now)
            last[buffer] = now
            text = f"{{{','.join(map(str, index))}}}" if index else ""
            places.setdefault(buffer, set()).add(f"%{op.name}{text}")
        for operand in op.operands:
            read = values[op.name if op.opcode == "get-tuple-element" else operand.name]
            last.update(dict.fromkeys(buffers(read), now))
    kept = set(buffers(values[computation.root.name]))
    last.update(dict.fromkeys(kept, len(computation) - 1))
    starts = [values[op.name] for op in computation if op.opcode == "async-start"]
    return {
        (first[each], last[each], each in kept, frozenset(places[each]))
        for start in starts
        for each in buffers(start)
    }


def numbered(tree: Tree, index: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], int]]:
    if isinstance(tree, int):
        yield index, tree
        return
    assert isinstance(tree, tuple)
    for number, part in enumerate(tree):
        yield from numbered(part, (*index, number))


@SAME_EVERY_TIME
@given(chain_programs())
def test_buffers_agree_with_a_simulation(text: str):
    module = hlo.read(text)
    found = {each.computation: each for each in analyse(module).computations}
    for computation in module:
        expected = simulate(computation)
        analysed = found[computation].buffers if computation in found else ()
        got = {(b.first, b.last, b.escapes, frozenset(map(str, b.slots))) for b in analysed}
        assert got == expected
        assert len(analysed) == len(got)


@SAME_EVERY_TIME
@given(chain_programs())
def test_the_table_has_a_row_for_every_chain_and_buffer(text: str):
    module = hlo.read(text)
    found = analyse(module)
    lines = str(found).splitlines()
    headings = 2 * len(found.computations)
    assert len(lines) == headings + len(found.chains) + len(found.buffers)
    assert str(analyse(hlo.read(text))) == str(found)
