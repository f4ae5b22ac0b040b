"""The text of a module: its meshes and functions."""

from __future__ import annotations

from dataclasses import replace

from support.generators.choices import Choices
from support.mpmd.programs import fragments, transfers
from support.mpmd.programs.features import Features
from support.mpmd.programs.functions import functions
from support.mpmd.programs.manual import MATRIX, manual_fragment
from support.mpmd.programs.programs import Program, random_tensors
from support.mpmd.programs.spec import ProgramSpec, seeded_spec
from support.mpmd.programs.topology import Topology, random_topology
from support.mpmd.programs.types import Mesh

_NAMES = ("", "@jit_foo ", "@jit_train_step ", "@foo ", "@jit_ ")
_PROPAGATED = dict.fromkeys(
    ("uneven_meshes", "elements", "shapes", "custom_calls", "calls", "tokens"), False
)
"""Where there is a manual computation, the oracle propagates shardings anew.

Through what is left, the one sharding of all matrices goes unchanged.
"""


def random_program(seed: int, oracle: bool = True, **features: bool) -> str:
    """Return the text of a random program; the features are those of `Features`."""
    return program_text(seeded_spec(seed), Features(oracle=oracle, **features))


def program_text(spec: ProgramSpec, features: Features) -> str:
    """Return the text of the program of a spec."""
    choices = Choices(spec.header)
    program = _empty_program(choices.fork(), features)
    weights = _weights(program, choices.fork())
    written = functions(program, choices.fork(), spec.statements, weights)
    items = [_meshes(program), *written]
    lines = [f"  {line}" for item in items for line in item]
    return "\n".join([f"module {choices.pick(_NAMES)}{{", *lines, "}", ""])


def _empty_program(choices: Choices, features: Features) -> Program:
    manual = features.manual and features.shardings and choices.chance(0.12)
    propagated = manual and features.oracle
    if propagated:
        features = replace(features, **_PROPAGATED)
    topology = random_topology(choices.fork(), features)
    if propagated and not _has_large_axes(topology):
        manual = propagated = False
    tensors = (MATRIX,) if propagated else random_tensors(choices.fork(), features)
    return Program(features, topology, tensors, manual)


def _has_large_axes(topology: Topology) -> bool:
    """Return whether the first axes have several devices; otherwise the oracle inlines the body."""
    return all(mesh.axes and mesh.axes[0][1] > 1 for mesh in topology.meshes)


def _weights(program: Program, choices: Choices) -> dict[fragments.Statement, float]:
    """Draw the habits: each kind of statement rare, usual or frequent."""
    features = program.features
    weights: dict[fragments.Statement, float] = {fragments.user_fragment: 5}
    optional: list[tuple[bool, fragments.Statement, float]] = [
        (features.transfers, transfers.transfer, 4),
        (features.inferred, fragments.inferred_fragment, 1.2),
        (features.reshards, fragments.reshard, 0.5),
        (features.repeated, fragments.repeated_fragment, 2.5),
        (features.tokens, fragments.token_fragments, 0.4),
        (program.manual, manual_fragment, 1.5),
    ]
    for wanted, statement, weight in optional:
        if wanted:
            weights[statement] = weight * choices.pick((0.3, 1, 1, 1, 3))
    return weights


def _meshes(program: Program) -> list[str]:
    """Return the `sdy.mesh` ops that shardings name, as after the C++ passes."""
    named = {mesh.symbol: mesh for mesh in program.meshes_named}
    return [_mesh(named[symbol]) for symbol in sorted(named)]


def _mesh(mesh: Mesh) -> str:
    axes = ", ".join(f'{{name = "{name}", size = {size} : i64}}' for name, size in mesh.axes)
    return f"sdy.mesh @{mesh.symbol} = {mesh.attribute} {{stablehlo.mesh = {{axes = [{axes}]}}}}"
