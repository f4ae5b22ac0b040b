"""Statements that write transfers."""

from __future__ import annotations

from support.generators.choices import Choices
from support.mpmd.programs.programs import Program
from support.mpmd.programs.types import Mesh, MeshTensor, Value


def transfer(program: Program, choices: Choices) -> None:
    """Move a value to another mesh, or to another kind of memory; perhaps on from there."""
    value = _operand(program, choices)
    if value is None:
        return
    for _ in range(choices.pick((1, 1, 1, 1, 2, 3)) if program.features.large else 1):
        moved = _move(program, choices, value)
        if moved is None:
            return
        value = moved


def _operand(program: Program, choices: Choices) -> Value | None:
    def allowed(value: Value) -> bool:
        return program.features.placed_transfers or not value.placed

    if not program.propagated:
        return program.operand(choices, program.mesh(choices), None, allowed)
    # The type of an argument that is only moved would be drawn anew.
    connected = [v for v in program.values if v.fragment_uses or v.producer in {"user", "inferred"}]
    found = [value for value in connected if allowed(value)]
    return choices.pick(found) if found else None


def _move(program: Program, choices: Choices, value: Value) -> Value | None:
    """Write a transfer of a value, unless there is an equal one, or it would be folded."""
    type_ = _target(program, choices, value.type)
    if program.features.oracle and not _stays(value, type_):
        return None
    if not program.is_new((value.name, type_)):
        return None
    value.transfer_uses += 1
    name = program.new_name()
    moved = Value(name, type_, choices.seed(), "transfer", source=value.type)
    place = program.location(choices)
    program.lines.append(
        f"{name} = mpmd.transfer {value.name} : ({value.type.text}) -> {type_.text}{place}"
    )
    return program.add(moved)


def _target(program: Program, choices: Choices, type_: MeshTensor) -> MeshTensor:
    meshes = [mesh for mesh in program.topology.meshes if mesh != type_.mesh]
    mesh = choices.pick(meshes) if meshes and choices.chance(0.85) else type_.mesh
    kind = None
    if program.features.host_types and (mesh == type_.mesh or choices.chance(0.15)):
        kinds = [kind for kind in (None, "pinned_host", "device") if kind != type_.memory_kind]
        kind = choices.pick(kinds)
    return MeshTensor(mesh, type_.tensor, _sharding(program, choices, type_, mesh), kind)


def _sharding(program: Program, choices: Choices, type_: MeshTensor, mesh: Mesh) -> str | None:
    """Return the sharding after a transfer: the same if both sides name one mesh."""
    if not program.features.shardings:
        return None
    if mesh.symbol == type_.mesh.symbol and (program.features.oracle or choices.chance(0.6)):
        return type_.sharding
    return program.sharding(choices, mesh, type_.tensor)


def _stays(value: Value, type_: MeshTensor) -> bool:
    """Return whether the C++ passes leave a transfer as it is."""
    if value.type == type_ or (value.type.on_host and type_.on_host):
        return False
    same_mesh = value.type.mesh == type_.mesh
    return not (same_mesh and value.source is not None and value.source.mesh == type_.mesh)
