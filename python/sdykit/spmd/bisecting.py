"""Finding the first op whose parts, put together, are not what one device computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from sdykit.core import ops_named
from sdykit.core.diagnostics import file_location, nearest_location, place
from sdykit.dialects.names import callee_name
from sdykit.errors import FileLocation
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._propagation.axes import Axes
from sdykit.passes.sdy._value_shardings import MANUAL_COMPUTATION
from sdykit.spmd.comparing import difference
from sdykit.spmd.errors import SpmdError
from sdykit.spmd.local.layouts import Layouts
from sdykit.spmd.local.program import Communication
from sdykit.spmd.partitioning import Partitioned, Value, function_of, partition_block
from sdykit.spmd.running import joined, run_on_devices

_WIDTH = 200
ITERATIONS = 100
"""The iterations of a loop that are compared, at most."""


@dataclass(frozen=True)
class Difference:
    """An op that differs.

    Attributes:
        place: its line; None if it has no location.
        op: the op, as text.
        text: how its result differs.
        around: the ops around it, outermost first, such as a loop and its iteration.
    """

    place: FileLocation | None
    op: str
    text: str
    around: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = "".join(f" in {each}" for each in reversed(self.around))
        return f"{self.place or '<unknown>'}: the first op that differs{where}: {self.text}\n  {self.op}"


Arrays = dict[ir.Value, np.ndarray]
_Held = tuple[Value, list[np.ndarray]]
"""A value, and what each device holds of it."""


Groups = Sequence[Sequence[int]]
"""Groups of devices."""


@dataclass
class Bisector:
    """Compares the ops of a module.

    Attributes:
        module: the module.
        communication: who moves data between its devices.
        tolerance: by how much floats may differ.
    """

    module: ir.Module
    communication: Communication
    tolerance: float | None

    def block(self, block: ir.Block, known: Arrays) -> Difference | None:
        """Return the first op of a block that differs; `known` are the values from outside."""
        inputs = list(known)
        outputs = [result for op in _ops(block) for result in _tensors(op)]
        if not outputs:
            return None
        arrays = [known[value] for value in inputs]
        reference = self._parts(block, inputs, outputs, arrays, ignores_shardings=True)
        found = self._parts(block, inputs, outputs, arrays, ignores_shardings=False)
        values: Arrays = dict(known)
        for output, expected, parts in zip(outputs, reference, found, strict=True):
            array = joined(*expected)
            text = self._compared(parts, array)
            if text is not None:
                op = ir.OpResult(output).owner.operation
                return (
                    self._inside(op, values)
                    or self._in_manual(op, block, known)
                    or _difference(op, output, text)
                )
            values[output] = array
        return None

    def _parts(
        self,
        block: ir.Block,
        inputs: Sequence[ir.Value],
        outputs: Sequence[ir.Value],
        arrays: Sequence[np.ndarray],
        *,
        ignores_shardings: bool,
    ) -> list[_Held]:
        program: Partitioned = partition_block(
            self.module,
            "implicit" if ignores_shardings else self.communication,
            block,
            inputs,
            outputs,
            ignores_shardings=ignores_shardings,
        )
        return list(zip(program.results, run_on_devices(program, arrays), strict=True))

    def _compared(self, parts: _Held, expected: np.ndarray) -> str | None:
        try:
            return difference(joined(*parts), expected, self.tolerance)
        except SpmdError as error:
            return str(error)

    def _inside(self, op: ir.Operation, values: Arrays) -> Difference | None:
        """Return the first op that differs in a function that is called, or in the body of a loop."""
        if op.name == "func.call":
            func = function_of(self.module, callee_name(op))
            block = func.regions[0].blocks[0]
            arguments = [values[value] for value in op.operands]
            return self._around(
                f"@{callee_name(op)}, called at {place(op)}",
                block,
                dict(zip(block.arguments, arguments, strict=True)),
            )
        if op.name == "stablehlo.while":
            return self._in_loop(op, values)
        return None

    def _in_manual(self, op: ir.Operation, block: ir.Block, known: Arrays) -> Difference | None:
        """Return the first op in a manual computation of a block that differs.

        Along manual axes its body is one program for both sides, and devices hold what it says. So its
        values are compared at each position along these axes, with all other axes put together.
        """
        if op.name != MANUAL_COMPUTATION:
            return None
        layouts = Layouts(cast("ModuleOp", self.module.operation.opview), ignores_shardings=False)
        with self.module.context:
            inner = list(_manual_values(op, layouts, ()))
        inputs, outputs = list(known), [value for value, _ in inner]
        arrays = list(known.values())
        reference = self._parts(block, inputs, outputs, arrays, ignores_shardings=True)
        found = self._parts(block, inputs, outputs, arrays, ignores_shardings=False)
        for (value, groups), expected, parts in zip(inner, reference, found, strict=True):
            for position in range(len(groups[0])):
                text = self._compared_at(position, groups, expected, parts)
                if text is not None:
                    around = f"devices {[group[position] for group in groups]} of the manual computation at {place(op)}"
                    first = _difference(ir.OpResult(value).owner.operation, value, text)
                    return replace(first, around=(around,))
        return None

    def _compared_at(
        self, position: int, groups: Groups, expected: _Held, parts: _Held
    ) -> str | None:
        """Compare a value at a position along manual axes; see `_in_manual`."""
        source = {device: group[position] for group in groups for device in group}

        def at(held: _Held) -> _Held:
            value, arrays = held
            return value, [arrays[source[device]] for device in range(len(arrays))]

        try:
            array = joined(*at(expected))
        except SpmdError:  # It is a number of the device, or was computed of one.
            return None
        return self._compared(at(parts), array)

    def _in_loop(self, op: ir.Operation, values: Arrays) -> Difference | None:
        condition, body = (region.blocks[0] for region in op.regions)
        carried = [values[value] for value in op.operands]
        for iteration in range(ITERATIONS):
            what = f"iteration {iteration} of the loop at {place(op)}"
            for block in (condition, body):
                known = _captured(block, values) | dict(zip(block.arguments, carried, strict=True))
                found = self._around(what, block, known)
                if found is not None:
                    return found
                returned = self._returned(block, known)
                if block == condition and not returned[0]:
                    return None
            carried = returned
        return None

    def _around(self, what: str, block: ir.Block, known: Arrays) -> Difference | None:
        found = self.block(block, known)
        return None if found is None else replace(found, around=(what, *found.around))

    def _returned(self, block: ir.Block, known: Arrays) -> list[np.ndarray]:
        """Return what a block returns on one device."""
        outputs = list(list(block.operations)[-1].operation.operands)
        arrays = list(known.values())
        parts = self._parts(block, list(known), outputs, arrays, ignores_shardings=True)
        return [joined(*each) for each in parts]


def first_difference(
    module: ir.Module,
    communication: Communication,
    function: str | None,
    arrays: Sequence[np.ndarray],
    tolerance: float | None,
) -> Difference | None:
    """Return the first op of a function, or in what it calls and repeats, that differs."""
    block = function_of(module, function).regions[0].blocks[0]
    known = dict(zip(block.arguments, arrays, strict=True))
    return Bisector(module, communication, tolerance).block(block, known)


def manual_ops(root: ir.Operation) -> int:
    """Return the number of ops in manual computations, those of inner regions too, without terminators."""
    found: set[ir.Operation] = set()
    for op in ops_named(root, MANUAL_COMPUTATION):
        for region in op.regions:
            for block in region:
                for inner in _ops(block):
                    inner.walk(lambda each: found.add(each) or ir.WalkResult.ADVANCE)
    return sum(not each.name.endswith(".return") for each in found)


def _ops(block: ir.Block) -> list[ir.Operation]:
    """Return the ops of a block but its terminator."""
    return [view.operation for view in list(block.operations)[:-1]]


def _tensors(op: ir.Operation) -> list[ir.Value]:
    """Return the results of an op that are tensors."""
    return [each for each in op.results if isinstance(each.type, ir.RankedTensorType)]


def _manual_values(
    op: ir.Operation, layouts: Layouts, outer: Axes
) -> Iterator[tuple[ir.Value, Groups]]:
    """Yield the results of the ops in a manual computation, in order, and in those that it contains.

    With each come the devices that differ in manual axes only, as groups that are ordered by them.
    """
    found = layouts.manual_axes(op)
    if found is None:
        return
    mesh, axes = found
    axes = (*outer, *axes)
    for inner in _ops(op.regions[0].blocks[0]):
        if inner.name == MANUAL_COMPUTATION:
            yield from _manual_values(inner, layouts, axes)
        for value in _tensors(inner):
            yield value, mesh.groups(axes)


def _captured(block: ir.Block, values: Arrays) -> Arrays:
    """Return the values that the ops of a block use from around it."""
    found: Arrays = {}

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.update({value: values[value] for value in op.operands if value in values})
        return ir.WalkResult.ADVANCE

    for op in block.operations:
        op.operation.walk(visit)
    return found


def _difference(op: ir.Operation, output: ir.Value, text: str) -> Difference:
    results = len(op.results)
    which = f"result #{ir.OpResult(output).result_number}: " if results > 1 else ""
    line = str(op).splitlines()[0]
    shown = line if len(line) <= _WIDTH else f"{line[: _WIDTH - 4]} ..."
    return Difference(file_location(nearest_location(op)), shown, which + text)
