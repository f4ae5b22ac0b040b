"""Functions of a module: the program itself, and other functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from support.generators.choices import Choices
from support.mpmd.programs.fragments import Statement
from support.mpmd.programs.programs import Program
from support.mpmd.programs.signatures import arguments_text, choose_results, results_text
from support.mpmd.programs.types import TOKEN, Tensor

_NAMES = ("f", "f_1", "f1_0", "inferred", "p0_f.main", "p0_inferred.foo", "p0_g.train_step")
"""Some are names that a fragment's function would get."""


def program_function(
    program: Program,
    choices: Choices,
    name: str,
    seeds: Sequence[int],
    weights: Mapping[Statement, float],
) -> list[str]:
    """Return the lines of a function with a topology, with a statement for each seed."""
    for seed in seeds:
        statement = Choices(seed)
        statement.pick_weighted(weights)(program, statement)
    if program.features.mistakes and choices.chance(0.1):
        program.lines.append(f"%stray = stablehlo.create_token : {TOKEN}")
    if choices.chance(0.2) and not program.propagated:
        program.argument(choices.fork(), choices.pick(program.topology.meshes))
    results = choose_results(program, choices.fork())
    names = ", ".join(value.name for value in results)
    types = ", ".join(value.type.text for value in results)
    return [
        f"func.func {name}({arguments_text(program, results)})"
        f" -> ({results_text(program, choices, results)})"
        f" attributes {{topology = {program.topology.attribute}}} {{",
        *(f"  {line}" for line in program.lines),
        f"  return {names} : {types}" if results else "  return",
        "}",
    ]


def helper(
    program: Program,
    choices: Choices,
    name: str,
    seeds: Sequence[int],
    weights: Mapping[Statement, float],
) -> list[str]:
    """Return the lines of another function with the topology, usually a private one."""
    inner = Program(
        program.features,
        program.topology,
        program.tensors,
        program.manual,
        program.callees,
        program.called,
        families=program.families,
        meshes_named=program.meshes_named,
    )
    visibility = choices.pick(("private", "private", "public"))
    return program_function(inner, choices, f"{visibility} @{name}", seeds, weights)


def extra_function(program: Program, choices: Choices, name: str) -> list[str]:
    """Return the lines of a function without a topology, sometimes one for a single mesh."""
    tensor: Tensor = choices.pick(program.tensors)
    if tensor.kind == "flag":
        tensor = tensor.of("f32")
    visibility = choices.pick(("private ", "private ", "public ", ""))
    shape = ""
    if choices.chance(0.4):
        mesh = choices.pick(program.topology.meshes)
        shape = f" attributes {{mesh_shape = #sdy.mesh{mesh.attribute}}}"
    return [
        f'func.func {visibility}@"{name}"(%a: {tensor.text}) -> {tensor.text}{shape} {{',
        f"  %0 = stablehlo.negate %a : {tensor.text}",
        f"  return %0 : {tensor.text}",
        "}",
    ]


def functions(
    program: Program, choices: Choices, seeds: Sequence[int], weights: Mapping[Statement, float]
) -> list[list[str]]:
    """Return the lines of all functions: the program, helpers, callees and uncalled functions.

    The C++ passes drop helpers and uncalled functions, or change their order.
    """
    features = program.features
    helpers = 0
    if features.helpers and not features.oracle and choices.chance(0.25):
        helpers = choices.pick((1, 1, 2))
    # The functions share the seeds, so that shrinking has no other statements to remove.
    shares = [seeds[at :: helpers + 1] for at in range(helpers + 1)]
    written = [program_function(program, choices.fork(), "public @main", shares[0], weights)]
    for at, share in enumerate(shares[1:]):
        written.append(helper(program, choices.fork(), f"step_{at}", share, weights))
    written += [callee.lines for callee in program.called]
    extra = features.extra_functions and not features.oracle and choices.chance(0.25)
    if extra:
        taken = {callee.name for callee in program.called}
        free = [name for name in _NAMES if name not in taken]
        names = choices.shuffled(free)[: choices.between(1, 3)]
        written += [extra_function(program, choices, name) for name in names]
    return choices.shuffled(written) if helpers or extra else written
