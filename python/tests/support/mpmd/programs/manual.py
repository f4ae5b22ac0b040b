"""Statements that write fragments whose bodies compute on shards: manual computations."""

from __future__ import annotations

from support.generators.choices import Choices
from support.mpmd.programs.bodies import Body, Slot
from support.mpmd.programs.fragment_text import Fragment
from support.mpmd.programs.programs import Program
from support.mpmd.programs.types import Mesh, MeshTensor, Tensor
from support.mpmd.programs.writer import write_fragment

MATRIX = Tensor((8, 8))
"""The type of the value that is split into shards."""


def manual_fragment(program: Program, choices: Choices) -> None:
    """Write a fragment whose body runs once for each shard of its argument.

    Its shardings name the mesh, and agree with the types of operand and result, as after
    propagation.
    """
    meshes = [mesh for mesh in program.topology.meshes if mesh.axes]
    if not meshes:
        return
    mesh = choices.pick(meshes)
    type_ = MeshTensor(mesh, MATRIX, program.first_axis(mesh))
    found = [
        value for value in program.values if value.type == type_ and value.producer != "inferred"
    ]
    reuse = bool(found) and choices.chance(0.7)
    operand = choices.pick(found) if reuse else program.argument_of(choices, type_)
    body = _body(choices, mesh, f"<{type_.sharding}>")
    write_fragment(program, choices, Fragment(mesh, body, [operand], types=[type_]))


def _body(choices: Choices, mesh: Mesh, sharding: str) -> Body:
    axis, size = mesh.axes[0]
    shard = Tensor((MATRIX.shape[0] // size, MATRIX.shape[1]))
    lines = (
        f"%c = sdy.sharding_constraint %a0 {sharding} : {MATRIX.text}",
        f"%v = sdy.manual_computation(%c) in_shardings=[{sharding}] out_shardings=[{sharding}]"
        f' manual_axes={{"{axis}"}} (%s: {shard.text}) {{',
        f"  %r = stablehlo.{choices.pick(('sine', 'tanh'))} %s : {shard.text}",
        f"  sdy.return %r : {shard.text}",
        f"}} : ({MATRIX.text}) -> {MATRIX.text}",
    )
    return Body((Slot("%a0", MATRIX),), lines, (Slot("%v", MATRIX, "manual"),))
