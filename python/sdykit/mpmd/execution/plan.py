"""From the ops of a program to steps that can be run: compiled fragments, and transfers."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sdykit.core.mpmd.program import FRAGMENT_CALL, TRANSFER
from sdykit.dialects import mpmd
from sdykit.dialects.names import callee_name
from sdykit.mlir import ir
from sdykit.mpmd.buffers import result_source
from sdykit.mpmd.errors import argument_name, describe, fail_at, place
from sdykit.mpmd.execution import moving
from sdykit.mpmd.execution.devices import Devices, devices_of, groups_of
from sdykit.mpmd.execution.fragments import fragment_text
from sdykit.mpmd.execution.steps import Argument, Arrays, Plan, Step
from sdykit.mpmd.execution.values import Values, marked_memory
from sdykit.mpmd.execution.xla import Compiled, Result
from sdykit.mpmd.marks import Marks, check_aliasing, marks_of, mesh_of
from sdykit.mpmd.program import Program, body_of
from sdykit.mpmd.tensors import expected
from sdykit.spmd.devices.client import XlaError

Run = Callable[[Arrays], Arrays]


def plan_of(
    program: Program, func: ir.Operation, topology: mpmd.TopologyAttr, wanted: Devices | None
) -> Plan:
    """Compile the fragments of a function, and return its steps.

    Raises:
        ExecutionError: the function cannot be run on these devices, has an op other than fragment
            calls and transfers, reads a value that has been consumed, or XLA rejects a fragment.
    """
    return _Planner(program, topology, wanted).plan(func)


class _Planner:
    """Visits the ops of a function in order."""

    def __init__(
        self, program: Program, topology: mpmd.TopologyAttr, wanted: Devices | None
    ) -> None:
        self._program = program
        self._topology = topology
        self._devices = devices_of(topology, wanted)
        self._groups = groups_of(self._devices)
        self._values = Values(topology, self._devices)
        self._compiler = _Compiler()
        self._steps: list[Step] = []
        self._producers: dict[int, int] = {}
        """The step that produces a value."""
        self._readers: defaultdict[int, list[int]] = defaultdict(list)
        """The steps that read a value."""

    def plan(self, func: ir.Operation) -> Plan:
        block = body_of(func)
        *ops, terminator = [view.operation for view in block.operations]
        marks = marks_of(func, len(block.arguments), len(terminator.operands))
        arguments = self._arguments(func, marks, block)
        for number, op in enumerate(ops):
            match op.name:
                case "mpmd.fragment_call":
                    self._fragment_call(number, op)
                case "mpmd.transfer":
                    self._transfer(number, op)
                case _:
                    fail_at(
                        op,
                        f"'{op.name}' op cannot be run on devices, only {FRAGMENT_CALL} and"
                        f" {TRANSFER} can; sdykit.mpmd.interpret runs other ops",
                    )
        self._values.read(terminator)
        self._values.check_results(func, marks, list(terminator.operands))
        self._compiler.finish()
        results = self._values.numbers(terminator.operands)
        return Plan(arguments, tuple(self._steps), results, len(self._values))

    def _arguments(self, func: ir.Operation, marks: Marks, block: ir.Block) -> tuple[Argument, ...]:
        name = ir.StringAttr(func.attributes["sym_name"]).value
        found = []
        for index, value in enumerate(block.arguments):
            what, is_consumed = argument_name(value, index, name), marks.consumes(index)
            wanted = expected(what, value.type)
            memory = marked_memory(marks, marks.arguments[index])
            self._values.add(value, what, memory, donatable=is_consumed)
            found.append(Argument(wanted, self._values.sharding(value), is_consumed))
        return tuple(found)

    def _fragment_call(self, number: int, op: ir.Operation) -> None:
        marks = marks_of(self._program.function(callee_name(op)), len(op.operands), len(op.results))
        check_aliasing(op, marks, self._topology)
        consumed = [index for index in range(len(op.operands)) if marks.consumes(index)]
        self._values.read(op, consumed)
        self._values.check_memory(op, marks)
        for index, value in enumerate(op.results):
            memory = marked_memory(marks, marks.results[index])
            self._values.add(value, result_source(op, index), memory)
        mesh = mesh_of(op, self._topology)
        places = [
            [self._values.place(value) for value in values] for values in (op.operands, op.results)
        ]
        text = fragment_text(self._program, marks, mesh, *places)
        name = ir.StringAttr(op.attributes["mesh_name"]).value
        made = [self._result(op, value) for value in op.results]
        compiled = self._compiler.add(op, text, self._devices[name], made)
        run = _with_copies(lambda arrays: compiled().run(arrays), op, consumed)
        self._step(
            number, op, meshes=(name,), worker=self._groups[name], run=run, consumed=consumed
        )

    def _result(self, op: ir.Operation, value: ir.Value) -> Result:
        wanted = expected(describe(op), value.type)
        return Result(wanted.shape, wanted.dtype, self._values.sharding(value))

    def _transfer(self, number: int, op: ir.Operation) -> None:
        (operand,), (result,) = op.operands, op.results
        self._values.read(op)
        self._values.add(result, result_source(op, 0), None)
        source, target = (
            mpmd.MeshTensorType.of(value.type).mesh_name for value in (operand, result)
        )
        worker = self._groups[target]
        # Within a group, the transfer may run a program on devices that a fragment uses.
        if self._groups[source] != worker:
            worker = f"{worker} transfers"
        sharding = self._values.sharding(result)

        def run(arrays: Arrays) -> Arrays:
            return [moving.place(arrays[0], sharding).block_until_ready()]

        self._step(number, op, meshes=(source, target), worker=worker, run=run)

    def _step(
        self,
        number: int,
        op: ir.Operation,
        *,
        meshes: tuple[str, ...],
        worker: str,
        run: Run,
        consumed: Sequence[int] = (),
    ) -> None:
        inputs = self._values.numbers(op.operands)
        eaten = tuple(inputs[index] for index in consumed)
        after = {self._producers[each] for each in inputs if each in self._producers}
        after.update(index for each in eaten for index in self._readers[each])
        outputs = self._values.numbers(op.results)
        self._producers |= dict.fromkeys(outputs, len(self._steps))
        for each in inputs:
            self._readers[each].append(len(self._steps))
        self._steps.append(
            Step(
                number=number,
                name=describe(op),
                place=place(op),
                meshes=meshes,
                worker=worker,
                inputs=inputs,
                outputs=outputs,
                consumed=eaten,
                after=tuple(sorted(after)),
                run=run,
            )
        )


class _Compiler:
    """Compiles fragments on several threads; equal ones on one mesh once."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(os.cpu_count(), "sdykit-mpmd-compile")
        self._pending: dict[tuple[str, tuple[Any, ...]], tuple[ir.Operation, Any]] = {}

    def add(
        self, op: ir.Operation, text: str, devices: tuple[Any, ...], results: Sequence[Result]
    ) -> Callable[[], Compiled]:
        """Start to compile a fragment; return a function that returns it."""
        key = text, devices
        if key not in self._pending:
            self._pending[key] = op, self._pool.submit(Compiled, text, devices, results)
        return self._pending[key][1].result

    def finish(self) -> None:
        """Wait for all fragments.

        Raises:
            ExecutionError: XLA rejects one.
        """
        try:
            for op, future in self._pending.values():
                try:
                    future.result()
                except XlaError as error:
                    fail_at(op, f"XLA cannot compile {describe(op)}: {error}")
        finally:
            self._pool.shutdown(cancel_futures=True)


def _with_copies(run: Run, op: ir.Operation, consumed: Sequence[int]) -> Run:
    """Return `run`, with copies of operands that the same call consumes as other operands."""
    counts = Counter(list(op.operands))
    values = {op.operands[index] for index in consumed}
    shared = [
        index
        for index, value in enumerate(op.operands)
        if value in values and counts[value] > 1 and index not in consumed
    ]
    if not shared:
        return run

    def run_on_copies(arrays: Arrays) -> Arrays:
        for index in shared:
            arrays[index] = moving.place(arrays[index], arrays[index].sharding)
        return run(arrays)

    return run_on_copies
