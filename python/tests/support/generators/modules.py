"""The module of a spec: meshes, functions, and a profile that differs between modules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from support.generators import collective_ops, plain_ops, sharding_ops
from support.generators import constant_ops as folded
from support.generators import region_ops as nested
from support.generators.builder import Builder, Profile, Signature, Statement
from support.generators.choices import Choices
from support.generators.meshes import Mesh, random_mesh
from support.generators.spec import FunctionSpec, ModuleSpec
from support.generators.tensors import TOKEN, UNRANKED, Scope, Type, Value, any_type

CONSTANT: dict[Statement, float] = {
    folded.constant: 4,
    folded.iota: 1.5,
    folded.scalar_expansion: 1.5,
    folded.broadcast: 1,
    folded.slice_: 1,
    folded.reshape: 1,
    folded.unary: 2,
    folded.binary: 3,
    folded.compare: 0.5,
    folded.select: 0.7,
}
"""Statements that make constant sub-computations, if their operands are."""

OTHER: dict[Statement, float] = {
    plain_ops.other: 1.5,
    plain_ops.several_results: 0.7,
    plain_ops.token: 0.4,
    sharding_ops.constraint: 5,
    sharding_ops.group: 2.5,
    sharding_ops.sdy_op: 0.6,
    collective_ops.collective: 1,
    plain_ops.call: 3,
    plain_ops.composite: 0.2,
    plain_ops.use_index: 0.4,
    plain_ops.new_block: 0.1,
    nested.optimization_barrier: 1,
    nested.while_: 1,
    nested.case: 0.8,
    nested.named_computation: 1,
    nested.manual_computation: 2,
}

CONSTANT_TOO: tuple[Statement, ...] = (plain_ops.call, nested.named_computation)
"""Statements that are constant sub-computations if their bodies or callees are."""

FUNCTION_NAMES = ("f", "g", "mesh_0", "f_0", "empty_mesh", "maximal_mesh_1", "h.1", "mesh_1")
MESH_NAMES = ("mesh", "mesh_0", "other", "empty_mesh", "maximal_mesh_2", "mesh_2", "m 1", "h")
FREE_NAMES = ("maximal_mesh_0", "mesh_3")


def module_text(spec: ModuleSpec) -> str:
    """Return the text of the module of a spec."""
    choices = Choices(spec.header)
    named = _named_meshes(choices)
    builder = Builder(spec.header, _profile(choices), _all_meshes(choices, named))
    meshes = [_mesh(builder, mesh, choices) for mesh in named]
    items = [[line] for line in meshes]
    if choices.chance(0.05):
        items.append(_outside_functions(choices))
    functions = list(spec.functions)
    if len(functions) > 1 and choices.chance(0.08):
        inner = Builder(spec.header, builder.profile, builder.meshes)
        # A single function: a call in a nested module crashes the C++ passes.
        lines = [*meshes, *_function(inner, "inner", functions.pop(0))]
        items.append(["module @nested {", *(f"  {line}" for line in lines), "}"])
    written = _functions(builder, choices, functions, {mesh.name for mesh in named})
    if choices.chance(0.3):
        return _join(builder, choices, choices.shuffled([*items, *written]))
    if choices.chance(0.5):
        written.reverse()
    return _join(builder, choices, [*items, *written])


def _outside_functions(choices: Choices) -> list[str]:
    """Write ops at the top of the module."""
    if choices.chance(0.5):
        # A symbol of another kind: it blocks a name, too.
        return [f'"test.symbol"() {{sym_name = "{choices.pick(FREE_NAMES)}"}} : () -> ()']
    return [
        '%top = "stablehlo.constant"() {value = dense<1.0> : tensor<8xf32>} : () -> tensor<8xf32>',
        '%sum = "stablehlo.add"(%top, %top) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>',
    ]


def _mesh(builder: Builder, mesh: Mesh, choices: Choices) -> str:
    """Write a `sdy.mesh`; some have attributes, as if they had been imported before."""
    words = ["stablehlo.mesh = {axes = []}"] * choices.chance(0.1) + ["foo"] * choices.chance(0.05)
    attributes = f" {{{', '.join(words)}}}" if words else ""
    place = builder.location(choices)
    return f"sdy.mesh {mesh.symbol} = {mesh.attribute}{attributes}{place}"


def _functions(
    builder: Builder, choices: Choices, specs: Sequence[FunctionSpec], taken: set[str | None]
) -> list[list[str]]:
    names = [*choices.shuffled(FUNCTION_NAMES)[: len(specs) - 1], "main"]
    return [
        _function(builder, f"{name}_fn" if name in taken else name, spec)
        for name, spec in zip(names, specs, strict=True)
    ]


def _join(builder: Builder, choices: Choices, items: list[list[str]]) -> str:
    attributes = "attributes {mhlo.num_partitions = 8 : i32} " * choices.chance(0.2)
    name = "@jit_f " * choices.chance(0.5)
    lines = [f"  {line}" for item in items for line in item]
    return "\n".join([f"module {name}{attributes}{{", *lines, f"}}{builder.location(choices)}", ""])


def _named_meshes(choices: Choices) -> list[Mesh]:
    names = choices.shuffled(MESH_NAMES)
    meshes: list[Mesh] = []
    for name in names[: choices.pick((0, 1, 1, 2, 3, 4))]:
        again = meshes and choices.chance(0.3)
        mesh = choices.pick(meshes) if again else random_mesh(choices)
        meshes.append(replace(mesh, name=name))
    return meshes


def _all_meshes(choices: Choices, named: list[Mesh]) -> tuple[Mesh, ...]:
    """Add inlined meshes, some equal to named ones."""
    inlined: list[Mesh] = []
    for _ in range(choices.pick((0, 0, 1, 2)) if named else choices.between(1, 3)):
        again = named and choices.chance(0.4)
        mesh = choices.pick(named) if again else random_mesh(choices)
        inlined.append(replace(mesh, name=None))
    # Named meshes twice: they are the usual case.
    return (*named, *named, *inlined)


def _profile(choices: Choices) -> Profile:
    """Draw a profile: each kind of statement is rare, usual, frequent, or left out."""
    weights = {
        statement: weight * choices.pick((0, 0.3, 1, 1, 1, 4))
        for statement, weight in {**CONSTANT, **OTHER}.items()
    }
    weights[folded.binary] += 0.1
    constant_callees = choices.chance(0.15)
    if constant_callees:
        weights[plain_ops.call] += 8
        weights[folded.select] += 4
    return Profile(
        weights,
        {statement: weights[statement] for statement in (*CONSTANT, *CONSTANT_TOO)},
        constant_callees=constant_callees,
        sharded=choices.pick((0, 0.1, 0.1, 0.5)),
        closed=choices.pick((0.3, 0.9, 1)),
        pooled=choices.pick((0, 0.5, 0.8, 1)),
        located=choices.pick((0, 0, 0.2)),
    )


def _function(builder: Builder, name: str, spec: FunctionSpec) -> list[str]:
    choices = Choices(spec.header)
    constant = builder.profile.constant_callees and name != "main"
    scope = Scope(constant=constant or choices.chance(0.3))
    bare = scope.constant and choices.chance(0.6)
    arguments = [] if bare else _arguments(builder, choices)
    scope.values += arguments
    for seed in spec.statements:
        builder.statement(scope, seed)
    results = [v for _ in range(choices.pick((1, 1, 2, 0, 3))) if (v := scope.pick(choices))]
    builder.emit(scope, choices, "func.return", results)
    signature = Signature(
        name, tuple(v.type for v in arguments), tuple(v.type for v in results), scope.constant
    )
    builder.functions.append(signature)
    taken = ", ".join(
        f"{v.name}: {v.type}{_attributes(builder, scope, v.type, choices)}{builder.location(choices)}"
        for v in arguments
    )
    given = ", ".join(f"{v.type}{_attributes(builder, scope, v.type, choices)}" for v in results)
    visibility = "private " if name != "main" and choices.chance(0.75) else ""
    head = f"func.func {visibility}@{name}({taken})" + f" -> ({given})" * bool(results)
    body = [f"  {line}" for line in _blocks_in_any_order(scope.lines, choices)]
    return [f"{head} {{", *body, f"}}{builder.location(choices)}"]


def _blocks_in_any_order(lines: list[str], choices: Choices) -> list[str]:
    """Shuffle the blocks after the first: a value may then come after its uses."""
    starts = [at for at, line in enumerate(lines) if re.match(r"\^bb[1-9]", line)]
    parts = [lines[at:end] for at, end in pairwise([*starts, len(lines)])]
    entry = lines[: starts[0]] if starts else lines
    return [*entry, *(line for part in choices.shuffled(parts) for line in part)]


def _arguments(builder: Builder, choices: Choices) -> list[Value]:
    types: list[Type] = [any_type(choices) for _ in range(choices.between(0, 4))]
    types += [TOKEN] * choices.chance(0.15) + [UNRANKED] * choices.chance(0.05)
    return [builder.value(type_, choices) for type_ in types]


def _attributes(builder: Builder, scope: Scope, type_: Type, choices: Choices) -> str:
    """Write the attributes of a function's argument or result."""
    words = []
    if type_ != UNRANKED and choices.chance(max(0.3, builder.profile.sharded)):
        words.append(f"sdy.sharding = #sdy.sharding{builder.sharding(scope, type_, choices)}")
    if choices.chance(0.1):
        words.append('mhlo.layout_mode = "default"')
    return f" {{{', '.join(words)}}}" if words else ""
