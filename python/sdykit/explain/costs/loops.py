"""How often each op of a program runs: trip counts of the loops around it, calls of its function."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sdykit.core import FUNC, symbol_name
from sdykit.core.walks import ops_named
from sdykit.mlir import ir
from sdykit.passes.sdy._call_graph import CALL, callee_name

_WHILE = "stablehlo.while"
_BRANCHES = frozenset(("stablehlo.case", "stablehlo.if"))
_CONSTANTS = frozenset(("sdy.constant", "stablehlo.constant"))
_STEPS = {"stablehlo.add": 1, "stablehlo.subtract": -1}
_MIRRORED = {"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE", "NE": "NE"}
_COMPARES = {"LT": 1, "LE": 1, "GT": -1, "GE": -1}
"""The sign of the step with which a loop ends that goes on while its counter compares so."""


@dataclass(frozen=True, slots=True)
class Runs:
    """How often an op runs in a run of the program.

    Attributes:
        count: how often: the product of the trip counts that are known, for each call of the function.
        is_in_unknown_loop: whether there is a loop around it whose trip count is not known.
        is_in_branch: whether it is in a branch, which may not run.
    """

    count: int
    is_in_unknown_loop: bool = False
    is_in_branch: bool = False


class LoopCounts:
    """Tells how often ops of a module run; the module must not change meanwhile."""

    def __init__(self, module: ir.Operation) -> None:
        self._of_parent: dict[ir.Operation, Runs] = {}
        self._calls: dict[str, list[ir.Operation]] = {}
        for call in ops_named(module, CALL):
            self._calls.setdefault(callee_name(call), []).append(call)

    def of(self, op: ir.Operation) -> Runs:
        """Return how often an op runs."""
        parent = op.parent
        if parent is None:
            return Runs(1)
        around = parent.operation
        if around not in self._of_parent:
            self._of_parent[around] = self._inside(around)
        return self._of_parent[around]

    def _inside(self, op: ir.Operation) -> Runs:
        """Return how often the ops in the regions of an op run."""
        if op.name == FUNC:
            return self._function(op)
        runs = self.of(op)
        if op.name == _WHILE:
            count = trip_count(op)
            if count is None:
                return replace(runs, is_in_unknown_loop=True)
            return replace(runs, count=runs.count * count)
        return replace(runs, is_in_branch=True) if op.name in _BRANCHES else runs

    def _function(self, func: ir.Operation) -> Runs:
        calls = self._calls.get(symbol_name(func), ())
        if not calls:
            return Runs(1)
        each = [self.of(call) for call in calls]
        return Runs(
            sum(runs.count for runs in each),
            any(runs.is_in_unknown_loop for runs in each),
            all(runs.is_in_branch for runs in each),
        )


def trip_count(loop: ir.Operation) -> int | None:
    """Return how often the body of a `stablehlo.while` runs; None if that is not known.

    It is known of a loop that compares an integer with a constant, which only it counts up or down by
    a constant: what JAX makes of `fori_loop` and `scan`.
    """
    compare = _defining(_returned(loop.regions[0].blocks[0])[0])
    if compare is None or compare.name != "stablehlo.compare":
        return None
    direction = str(compare.attributes["comparison_direction"]).split()[-1].rstrip(">")
    left, right = compare.operands
    found = _trip_count(loop, left, right, direction)
    if found is None:
        found = _trip_count(loop, right, left, _MIRRORED.get(direction, ""))
    return found


def _trip_count(
    loop: ir.Operation, counter: ir.Value, limit: ir.Value, direction: str
) -> int | None:
    """Return how often a loop runs that goes on while a counter compares so with a limit."""
    condition, body = (region.blocks[0] for region in loop.regions)
    number = _carried(counter, condition)
    if number is None:
        return None
    start = _constant(loop.operands[number])
    step = _step(_returned(body)[number], body, number)
    end = _limit(limit, loop, condition, body)
    if start is None or not step or end is None:
        return None
    return _count(start, end, step, direction)


def _count(start: int, limit: int, step: int, direction: str) -> int | None:
    """Return how often a counter is within its limit."""
    distance = limit - start
    if direction == "NE":
        return distance // step if distance % step == 0 and distance // step >= 0 else None
    sign = _COMPARES.get(direction)
    if sign is None or sign * step < 0:
        return None
    reached = sign * distance + (1 if direction in ("LE", "GE") else 0)
    return max(0, -(-reached // abs(step)))


def _limit(value: ir.Value, loop: ir.Operation, condition: ir.Block, body: ir.Block) -> int | None:
    """Return the constant that a counter is compared with, which the loop may carry unchanged."""
    carried = _carried(value, condition)
    if carried is None:
        return _constant(value)
    is_unchanged = _returned(body)[carried] == body.arguments[carried]
    return _constant(loop.operands[carried]) if is_unchanged else None


def _step(value: ir.Value, body: ir.Block, counter: int) -> int | None:
    """Return what an iteration adds to the counter."""
    op, before = _defining(value), body.arguments[counter]
    if op is None or op.name not in _STEPS:
        return None
    first, second = op.operands
    if op.name == "stablehlo.add" and second == before:
        first, second = second, first
    amount = _constant(second) if first == before else None
    return None if amount is None else _STEPS[op.name] * amount


def _constant(value: ir.Value) -> int | None:
    """Return an integer constant; None if the value is none."""
    op = _defining(value)
    while op is not None and op.name in ("stablehlo.convert", "sdy.data_flow_edge"):
        op = _defining(op.operands[0])
    if op is None or op.name not in _CONSTANTS:
        return None
    try:
        values = ir.DenseIntElementsAttr(op.attributes["value"])
    except ValueError:
        return None
    return int(values[0]) if len(values) == 1 else None


def _carried(value: ir.Value, block: ir.Block) -> int | None:
    """Return the number of a block's argument; None if a value is none of them."""
    if isinstance(value, ir.BlockArgument) and value.owner == block:
        return value.arg_number
    return None


def _returned(block: ir.Block) -> list[ir.Value]:
    return list(list(block.operations)[-1].operation.operands)


def _defining(value: ir.Value) -> ir.Operation | None:
    return value.owner.operation if isinstance(value, ir.OpResult) else None
