"""`interpret` runs an MPMD program op by op, in program order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from sdykit.dialects import mpmd, sdy
from sdykit.dialects.names import callee_name
from sdykit.mlir import ir
from sdykit.mpmd.buffers import Buffer, Token, donate, read, result_source
from sdykit.mpmd.errors import ExecutionError, argument_name, describe, fail_at, place
from sdykit.mpmd.interpreter.on_devices import SimulatedMeshes
from sdykit.mpmd.interpreter.one_device import Body, is_token, one_device_text
from sdykit.mpmd.interpreter.pieces import Piece, pieces_of
from sdykit.mpmd.interpreter.values import check_inputs, scalar
from sdykit.mpmd.marks import Marks, check_aliasing, marks_of, mesh_of
from sdykit.mpmd.program import Program, body_of, program_of, topology_of
from sdykit.spmd.devices.client import XlaError, run, to_numpy

Devices = Literal["one", "simulated"]
"""Where fragments run: on one device, or on simulated ones, as many as their mesh has."""


@dataclass(frozen=True)
class _Frame:
    """A function that is running."""

    topology: mpmd.TopologyAttr
    """The topology of the function, or of its caller."""
    values: dict[ir.Value, Buffer]
    """The buffer of each value that has been computed."""


def interpret(
    module: ir.Module | str,
    inputs: Sequence[Any],
    function: str = "main",
    *,
    devices: Devices = "one",
    check_memory_kinds: bool = False,
) -> list[np.ndarray | None]:
    """Run a function of an MPMD program and return its results.

    The program may have fragments, as before the export passes, or fragment calls, as after
    them. All meshes run on one device of this machine, which holds whole arrays: shardings do
    not change values. Or each fragment runs on the devices of its mesh, simulated, each with
    its parts of the tensors, as `sdykit.spmd.run` does: then collectives in it are run, too.

    Args:
        module: the program, or its text. It is not changed.
        inputs: an array for each argument of the function, of its global shape and dtype;
            None for a token.
        function: the name of the function to run, which must have a `topology`.
        devices: where fragments run; all other ops run on one device.
        check_memory_kinds: whether to check that `mhlo.memory_kind` is the same where a value
            is produced and where fragments and the function's results use it; absent means
            `"device"`. Meant for programs after `mpmd-mark-offloaded-input-output`.

    Returns:
        The results, arrays of their global shapes; None for a token.

    Raises:
        ExecutionError: the program is invalid, the inputs do not fit it, it has an op that
            cannot be run there, devices that should hold the same part of a result hold other
            values, or it breaks a promise of its marks: a value that a
            fragment consumed (`jax.buffer_donor`, `tf.aliasing_output`) is used again, an
            argument is consumed that the function does not mark, or aliased buffers differ.
    """
    if devices not in get_args(Devices):
        raise ExecutionError(f"devices: expected 'one' or 'simulated', found {devices!r}")
    program = program_of(module)
    func = program.function(function)
    topology = topology_of(func)
    if topology is None:
        fail_at(func, f"function @{function} has no topology, so it is not an MPMD program")
    arguments = list(body_of(func).arguments)
    marks = marks_of(func, len(arguments), _result_count(func))
    buffers = []
    for index, array in enumerate(check_inputs(function, arguments, inputs)):
        kind = marks.memory_kind(marks.arguments[index]) if check_memory_kinds else None
        source = argument_name(arguments[index], index, function)
        buffers.append(Buffer(array, source, marks.consumes(index), kind))
    meshes = SimulatedMeshes(program) if devices == "simulated" else None
    interpreter = _Interpreter(program, check_memory_kinds, meshes)
    results = interpreter.run_function(func, buffers, topology)
    if check_memory_kinds:
        _check_result_kinds(func, marks, results)
    return [None if isinstance(each.array, Token) else to_numpy(each.array) for each in results]


def _result_count(func: ir.Operation) -> int:
    return len(ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value).results)


class _Interpreter:
    """One run of a program."""

    def __init__(
        self, program: Program, check_memory_kinds: bool, meshes: SimulatedMeshes | None
    ) -> None:
        self._program = program
        self._meshes = meshes
        self._check_memory_kinds = check_memory_kinds
        self._texts: dict[ir.Operation, str] = {}
        self._pieces: dict[ir.Operation, list[Piece | ir.Operation]] = {}
        self._running: list[str] = []
        self._handlers: dict[str, Callable[[ir.Operation, _Frame], Sequence[Buffer]]] = {
            "mpmd.fragment": self._fragment,
            "mpmd.fragment_call": self._fragment_call,
            "mpmd.transfer": self._transfer,
            "mpmd.call": self._call,
            "func.call": self._call,
            "mpmd.for": self._for,
            "mpmd.named_computation": self._named_computation,
            "mpmd.assign": _operands,
            "mpmd.unassign": _operands,
            "mpmd.broadcast": _operands,
            "mpmd.named_tensor": _operands,
        }

    def run_function(
        self, func: ir.Operation, arguments: Sequence[Buffer], topology: mpmd.TopologyAttr
    ) -> list[Buffer]:
        """Run a function; without a topology of its own it has that of the caller."""
        frame = _Frame(topology_of(func) or topology, {})
        return self._run_region(func, arguments, frame)

    def _run_region(
        self, op: ir.Operation, arguments: Sequence[Buffer], frame: _Frame
    ) -> list[Buffer]:
        """Run the body of an op, which can use the values of the frame."""
        block = body_of(op)
        frame.values.update(zip(block.arguments, arguments, strict=True))
        if op not in self._pieces:
            self._pieces[op] = pieces_of(block, self._handlers)
        for piece in self._pieces[op]:
            if isinstance(piece, Piece):
                self._run_piece(piece, frame)
                continue
            results = self._handlers[piece.name](piece, frame)
            frame.values.update(zip(piece.results, results, strict=True))
        return _operands(block.operations[-1].operation, frame)

    def _run_piece(self, piece: Piece, frame: _Frame) -> None:
        first = piece.ops[0]
        buffers = [
            read(frame.values[value], op, index) for value, (op, index) in piece.inputs.items()
        ]
        body = Body(piece.ops, list(piece.inputs), piece.outputs, devices=None)
        arrays = self._run_body(first, body, buffers, "the ops that start here")
        for value, array in zip(piece.outputs, arrays, strict=True):
            frame.values[value] = Buffer(array, f"a result of the ops at {place(first)}")

    def _run_body(
        self, op: ir.Operation, body: Body, buffers: Sequence[Buffer], what: str
    ) -> list[Any]:
        """Run a computation. `op` is its place in messages, and the key of its compiled text."""
        if op not in self._texts:
            self._texts[op] = one_device_text(self._program, body)
        try:
            results = run(self._texts[op], _tensors(buffers))
        except XlaError as error:
            fail_at(op, f"XLA cannot run {what}: {error}")
        return _with_tokens(body, results)

    def _fragment(self, op: ir.Operation, frame: _Frame) -> list[Buffer]:
        return self._run_on_mesh(op, op, frame)

    def _fragment_call(self, op: ir.Operation, frame: _Frame) -> list[Buffer]:
        return self._run_on_mesh(op, self._program.function(callee_name(op)), frame)

    def _run_on_mesh(self, op: ir.Operation, holder: ir.Operation, frame: _Frame) -> list[Buffer]:
        """Run a fragment or fragment call; `holder` is the op with the body and the marks."""
        block = body_of(holder)
        marks = marks_of(holder, len(op.operands), len(op.results))
        check_aliasing(op, marks, frame.topology)
        buffers = _operands(op, frame)
        if self._check_memory_kinds:
            _check_operand_kinds(op, marks, buffers)
        for index, buffer in enumerate(buffers):
            if marks.consumes(index):
                donate(buffer, op, index)
        *ops, terminator = [each.operation for each in block.operations]
        mesh = mesh_of(op, frame.topology)
        body = Body(ops, list(block.arguments), list(terminator.operands), mesh.total_size)
        arrays = self._run_fragment(op, holder, body, mesh, buffers)
        results = []
        for index, array in enumerate(arrays):
            kind = marks.memory_kind(marks.results[index]) if self._check_memory_kinds else None
            results.append(Buffer(array, result_source(op, index), memory_kind=kind))
        return results

    def _run_fragment(
        self,
        op: ir.Operation,
        holder: ir.Operation,
        body: Body,
        mesh: sdy.MeshAttr,
        buffers: Sequence[Buffer],
    ) -> list[Any]:
        if self._meshes is None:
            return self._run_body(holder, body, buffers, describe(op))
        return _with_tokens(body, self._meshes.run(op, body, mesh, _tensors(buffers)))

    def _transfer(self, op: ir.Operation, frame: _Frame) -> list[Buffer]:
        (buffer,) = _operands(op, frame)
        return [Buffer(buffer.array, result_source(op, 0))]

    def _call(self, op: ir.Operation, frame: _Frame) -> list[Buffer]:
        name = callee_name(op)
        if name in self._running:
            fail_at(op, f"function @{name} calls itself: {' -> '.join([*self._running, name])}")
        self._running.append(name)
        results = self.run_function(
            self._program.function(name), _operands(op, frame), frame.topology
        )
        self._running.pop()
        return results

    def _for(self, op: ir.Operation, frame: _Frame) -> list[Buffer]:
        """Run a loop; `unroll_factor` is a hint to compilers, and does not change its meaning."""
        buffers = _operands(op, frame)
        index_type = body_of(op).arguments[-1].type
        for index in range(ir.IntegerAttr(op.attributes["iterations"]).value):
            array = scalar(index, index_type)
            source = f"the index of 'mpmd.for' op at {place(op)}"
            buffers = self._run_region(op, [*buffers, Buffer(array, source)], frame)
        return buffers

    def _named_computation(self, op: ir.Operation, frame: _Frame) -> list[Buffer]:
        return self._run_region(op, _operands(op, frame), frame)


def _tensors(buffers: Sequence[Buffer]) -> list[Any]:
    return [each.array for each in buffers if not isinstance(each.array, Token)]


def _with_tokens(body: Body, arrays: Sequence[Any]) -> list[Any]:
    """Return a value for each output of a body: an array, or a new token."""
    results = iter(arrays)
    return [Token() if is_token(value) else next(results) for value in body.outputs]


def _operands(op: ir.Operation, frame: _Frame) -> list[Buffer]:
    """Return the operands of an op; these are the results of ops that only rename values."""
    return [read(frame.values[value], op, index) for index, value in enumerate(op.operands)]


def _check_operand_kinds(op: ir.Operation, marks: Marks, buffers: Sequence[Buffer]) -> None:
    for index, buffer in enumerate(buffers):
        expected = marks.memory_kind(marks.arguments[index])
        if buffer.memory_kind not in (None, expected):
            fail_at(
                op,
                f'operand #{index} of {describe(op)} is expected in "{expected}", but'
                f' {buffer.source} is in "{buffer.memory_kind}"',
            )


def _check_result_kinds(func: ir.Operation, marks: Marks, buffers: Sequence[Buffer]) -> None:
    for index, buffer in enumerate(buffers):
        expected = marks.memory_kind(marks.results[index])
        if buffer.memory_kind not in (None, expected):
            fail_at(
                func,
                f'result #{index} of the function is expected in "{expected}", but'
                f' {buffer.source} is in "{buffer.memory_kind}"',
            )
