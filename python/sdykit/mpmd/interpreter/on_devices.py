"""Fragments on simulated devices: each device of a mesh computes its parts of the tensors.

`sdykit.spmd` partitions the body of a fragment by the shardings of its operands and results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sdykit import spmd
from sdykit.core.diagnostics import emit
from sdykit.dialects import mpmd, sdy
from sdykit.mlir import ir
from sdykit.mpmd.bodies import copy_callees, post_order
from sdykit.mpmd.errors import describe, fail_at
from sdykit.mpmd.interpreter.one_device import Body, create_main, is_token, lower_mpmd
from sdykit.mpmd.marks import is_mesh_tensor
from sdykit.mpmd.meshes import copy_meshes
from sdykit.mpmd.program import Program
from sdykit.spmd.devices.client import to_device, to_numpy

_SHARDING = "sdy.sharding"


class SimulatedMeshes:
    """The fragments of a program, partitioned over the devices of their meshes."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._partitioned: dict[tuple[ir.Operation, str], spmd.Partitioned] = {}

    def run(
        self, op: ir.Operation, body: Body, mesh: sdy.MeshAttr, arrays: Sequence[Any]
    ) -> list[Any]:
        """Run a fragment or fragment call, and return its results on the first device.

        Args:
            op: the fragment, or fragment call.
            body: its computation.
            mesh: its mesh.
            arrays: the operands but for tokens.

        Raises:
            ExecutionError: the body cannot be partitioned or run, or devices that should hold the same
                part hold other values.
        """
        try:
            program = self._program_of(op, body, mesh)
            results = spmd.run_partitioned(program, [to_numpy(each) for each in arrays])
        except spmd.SpmdError as error:
            fail_at(op, f"{describe(op)} cannot be run on the devices of its mesh: {error}")
        return [to_device(each) for each in results]

    def _program_of(self, op: ir.Operation, body: Body, mesh: sdy.MeshAttr) -> spmd.Partitioned:
        key = op, str(mesh)
        if key not in self._partitioned:
            made = spmd.partition(_text(self._program, op, body, mesh))
            for note in made.notes:
                emit(note)
            self._partitioned[key] = made
        return self._partitioned[key]


def _text(program: Program, op: ir.Operation, body: Body, mesh: sdy.MeshAttr) -> str:
    """Return the text of a module whose `@main` is a fragment, with the shardings of its types."""
    context = program.module.context
    with context, ir.Location.unknown(context):
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            func = create_main(body)
            copy_callees(program, module)
            name = copy_meshes(program, mesh)
        for each in post_order(module.operation):
            lower_mpmd(each)
        pairs = (("arg_attrs", op.operands, body.inputs), ("res_attrs", op.results, body.outputs))
        for attribute, values, inner in pairs:
            kept = zip(values, inner, strict=True)
            dictionaries = [_place(value, name) for value, own in kept if not is_token(own)]
            func.attributes[attribute] = ir.ArrayAttr.get(dictionaries)
        return str(module.operation.get_asm(enable_debug_info=True))


def _place(value: ir.Value, mesh: str) -> ir.Attribute:
    """Return the attributes of an argument or result that lies on the devices as a value does."""
    tensor = mpmd.MeshTensorType.of(value.type) if is_mesh_tensor(value.type) else None
    sharding = tensor.sharding if tensor is not None else None
    if sharding is None:
        rank = len(tensor.global_shape) if tensor is not None else 0
        sharding = sdy.TensorShardingAttr.fully_closed(mesh, rank)
    return ir.DictAttr.get({_SHARDING: ir.Attribute.parse(str(sharding))})
