"""Statements of the `sdy` dialect without regions."""

from __future__ import annotations

from support.generators.builder import Builder
from support.generators.choices import Choices
from support.generators.operands import static_operand, tensor_operand, tensor_type
from support.generators.tensors import (
    Scope,
    TensorType,
    Value,
    is_tensor,
)


def constraint(builder: Builder, scope: Scope, choices: Choices) -> None:
    """A chain of constraints; links have other uses, and the last may dangle."""
    value = scope.pick(choices) or builder.fresh(scope, TensorType((8, 8)), choices)
    hidden = choices.chance(0.3)
    for _ in range(choices.pick((1, 1, 1, 2, 2, 3))):
        words = [f"sharding = #sdy.sharding{builder.sharding(scope, value.type, choices)}"]
        made = builder.emit(
            scope, choices, "sdy.sharding_constraint", (value,), (value.type,), words,
            may_shard=False,
        )  # fmt: skip
        if choices.chance(0.1):
            builder.use(scope, choices, made[0])
        value = made[0]
    if hidden:
        scope.values.remove(value)


def group(builder: Builder, scope: Scope, choices: Choices) -> None:
    """A member of a sharding group: mostly of the group that its shape has."""
    value = scope.pick(choices, is_tensor)
    if value is None:
        return
    spread = 50 if choices.chance(0.03) else 4
    number = choices.between(0, spread)
    if not choices.chance(0.05):
        # One id for one shape and, since members may not cross, for one manual region.
        where = f"{tensor_type(value).shape}{sorted(scope.manual)}"
        number += 100 * (sum(where.encode()) % 97)
    words = [f"group_id = {number} : i64"]
    builder.emit(scope, choices, "sdy.sharding_group", (value,), (), words)


def sdy_op(builder: Builder, scope: Scope, choices: Choices) -> None:
    """The other ops of the dialect that are valid before propagation."""
    value = tensor_operand(builder, scope, choices)
    kind = choices.pick(("barrier", "reshard", "edge", "gather"))
    if kind == "gather":
        _all_gather(builder, scope, choices, value)
    elif kind == "edge":
        _edge(builder, scope, choices)
    elif kind == "barrier":
        words = [f"allowed_direction = {choices.between(0, 2)} : i32"]
        name = "sdy.propagation_barrier"
        builder.emit(scope, choices, name, (value,), (value.type,), words, may_shard=False)
    else:
        words = [f"sharding = #sdy.sharding{builder.sharding(scope, value.type, choices)}"]
        builder.emit(scope, choices, "sdy.reshard", (value,), (value.type,), words, may_shard=False)


def _edge(builder: Builder, scope: Scope, choices: Choices) -> None:
    """An edge of a barrier, as if the module had been imported before."""
    value = static_operand(builder, scope, choices)
    types, words = (value.type,), list[str]()
    made = builder.emit(scope, choices, "stablehlo.optimization_barrier", (value,), types)
    if choices.chance(0.5):
        words = [f"sharding = #sdy.sharding{builder.sharding(scope, value.type, choices)}"]
    builder.emit(scope, choices, "sdy.data_flow_edge", made, types, words, may_shard=False)
    scope.values.remove(made[0])  # An edge is the only user of its input.


def _all_gather(builder: Builder, scope: Scope, choices: Choices, value: Value) -> None:
    meshes = [mesh for mesh in builder.meshes if mesh.free(scope.manual)]
    rank = len(tensor_type(value).shape)
    if not meshes or not rank:
        return
    mesh = choices.pick(meshes)
    axis = choices.pick(mesh.free(scope.manual))[0]
    rest = ", {}" * (rank - 1)
    words = [f'sharding = #sdy.sharding<{mesh.reference}, [{{"{axis}"}}{rest}]>']
    types = (value.type,)
    sharded = builder.emit(
        scope, choices, "sdy.sharding_constraint", (value,), types, words, may_shard=False
    )
    words = [
        f'gathering_axes = #sdy<list_of_axis_ref_lists[{{"{axis}"}}{rest}]>',
        f"out_sharding = #sdy.sharding<{mesh.reference}, [{{}}{rest}]>",
    ]
    builder.emit(scope, choices, "sdy.all_gather", sharded, types, words, may_shard=False)
