"""The values of a program: where each of them is, and whether it has been consumed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jax.sharding import NamedSharding

from sdykit.core.mpmd.program import MEMORY_KIND, Attributes
from sdykit.dialects import mpmd
from sdykit.mlir import ir
from sdykit.mpmd.buffers import Buffer, donate, read
from sdykit.mpmd.errors import ExecutionError, describe, fail_at
from sdykit.mpmd.execution.fragments import Place
from sdykit.mpmd.execution.shardings import sharding_of
from sdykit.mpmd.marks import Marks, is_mesh_tensor


class Values:
    """The values of a function that have been produced so far, numbered in order."""

    def __init__(self, topology: mpmd.TopologyAttr, devices: Mapping[str, Sequence[Any]]) -> None:
        self._meshes = {each.name: each.mesh for each in topology.meshes}
        self._devices = devices
        self._numbers: dict[ir.Value, int] = {}
        self._buffers: dict[ir.Value, Buffer] = {}
        self._shardings: dict[ir.Value, NamedSharding] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def add(
        self, value: ir.Value, what: str, marked: str | None, *, donatable: bool = True
    ) -> None:
        """Number a value, and note where it is.

        Args:
            value: an argument of the function, or a result of an op.
            what: the value, for messages.
            marked: the memory kind that its producer is marked with; None without a mark.
            donatable: whether the program may consume it.

        Raises:
            ExecutionError: it is on no mesh of the topology, or cannot be where its type says.
        """
        if not is_mesh_tensor(value.type):
            raise ExecutionError(f"{what} is on no mesh: {value.type}")
        tensor = mpmd.MeshTensorType.of(value.type)
        if marked is not None and tensor.memory_kind not in (None, marked):
            raise ExecutionError(
                f'{what} is marked to be in "{marked}", but its type says "{tensor.memory_kind}"'
            )
        if tensor.mesh_name not in self._meshes:
            names = ", ".join(f'"{name}"' for name in self._meshes)
            raise ExecutionError(
                f'{what} is on mesh "{tensor.mesh_name}", which the topology lacks; it has {names}'
            )
        kind = marked or tensor.memory_kind or "device"
        self._shardings[value] = sharding_of(
            what,
            tensor.global_shape,
            tensor.sharding,
            mesh=self._meshes[tensor.mesh_name],
            devices=self._devices[tensor.mesh_name],
            memory_kind=kind,
        )
        self._numbers[value] = len(self._numbers)
        self._buffers[value] = Buffer(None, what, donatable, kind)

    def numbers(self, values: Iterable[ir.Value]) -> tuple[int, ...]:
        """Return the numbers of values."""
        return tuple(self._numbers[value] for value in values)

    def sharding(self, value: ir.Value) -> NamedSharding:
        """Return where a value is, as JAX says it."""
        return self._shardings[value]

    def place(self, value: ir.Value) -> Place:
        """Return where a value is, as the program says it."""
        kind = self._buffers[value].memory_kind
        assert kind is not None  # `add` sets it.
        return mpmd.MeshTensorType.of(value.type).sharding, kind

    def read(self, op: ir.Operation, consumed: Sequence[int] = ()) -> None:
        """Check that no operand of an op has been consumed, and note those that it consumes.

        Raises:
            ExecutionError: one has been, or may not be consumed.
        """
        buffers = [read(self._buffers[value], op, at) for at, value in enumerate(op.operands)]
        for index in consumed:
            donate(buffers[index], op, index)

    def check_memory(self, op: ir.Operation, marks: Marks) -> None:
        """Check the memory kinds that the operands of a fragment call are marked with.

        Raises:
            ExecutionError: an operand is in another one. Without a mark, any will do.
        """
        for index, value in enumerate(op.operands):
            if MEMORY_KIND not in marks.arguments[index]:
                continue
            wanted, buffer = marks.memory_kind(marks.arguments[index]), self._buffers[value]
            if buffer.memory_kind != wanted:
                fail_at(
                    op,
                    f'operand #{index} of {describe(op)} is expected in "{wanted}", but'
                    f' {buffer.source} is in "{buffer.memory_kind}"',
                )

    def check_results(self, func: ir.Operation, marks: Marks, values: Sequence[ir.Value]) -> None:
        """Check the memory kinds that the results of the function are marked with.

        Raises:
            ExecutionError: a result is in another one.
        """
        for index, value in enumerate(values):
            wanted, buffer = marked_memory(marks, marks.results[index]), self._buffers[value]
            if wanted not in (None, buffer.memory_kind):
                fail_at(
                    func,
                    f'result #{index} of the function is expected in "{wanted}", but'
                    f' {buffer.source} is in "{buffer.memory_kind}"',
                )


def marked_memory(marks: Marks, attributes: Attributes) -> str | None:
    """Return the memory kind among the attributes of an argument or result, or None."""
    return marks.memory_kind(attributes) if MEMORY_KIND in attributes else None
