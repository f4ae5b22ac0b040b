"""Statements without regions: constants, element-wise ops, sdy ops, collectives, calls."""

from __future__ import annotations

import math

from generators.builder import Builder, Region
from generators.choices import Choices
from generators.meshes import Mesh, axis_refs
from generators.tensors import (
    INDEX,
    PREDICATE,
    TOKEN,
    UNRANKED,
    Scope,
    TensorType,
    Type,
    Value,
    any_type,
    is_static,
    is_tensor,
)

FLOAT_UNARY = (
    "abs cbrt ceil cosine exponential exponential_minus_one floor log log_plus_one logistic negate"
    " round_nearest_afz round_nearest_even rsqrt sign sine sqrt tan tanh"
).split()
INTEGER_UNARY = "abs count_leading_zeros negate not popcnt sign".split()
FLOAT_BINARY = "add atan2 divide maximum minimum multiply power remainder subtract".split()
INTEGER_BINARY = (
    "add and divide maximum minimum multiply or power remainder shift_left"
    " shift_right_arithmetic shift_right_logical subtract xor"
).split()
BOOLEAN_BINARY = "add and maximum minimum multiply or xor".split()
CHLO_UNARY = "chlo.erf chlo.sinh chlo.lgamma chlo.square chlo.asin".split()


def _type(value: Value) -> TensorType:
    assert isinstance(value.type, TensorType)
    return value.type


def _operand(builder: Builder, scope: Scope, choices: Choices) -> Value:
    """Draw a tensor, dynamic ones too; make a constant if there is none."""
    return scope.pick(choices, is_tensor) or builder.fresh(scope, any_type(choices), choices)


def _static_operand(builder: Builder, scope: Scope, choices: Choices) -> Value:
    return scope.pick(choices, is_static) or builder.fresh(
        scope, TensorType((8, 8)), choices
    )


def constant(builder: Builder, scope: Scope, choices: Choices) -> None:
    """A constant: few different values, now and then with attributes of its own."""
    type_ = any_type(choices)
    if not type_.static:
        type_ = TensorType((8,))
    literals = {"i1": ("true", "false"), "i32": ("0", "1")}.get(type_.element, ("0.0", "1.0"))
    text = choices.pick(literals)
    if type_ == TensorType((8,)) and choices.chance(0.3):
        text = "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]"
    words = [f"value = dense<{text}> : {type_}"]
    words += ['mhlo.frontend_attributes = {a = "b"}'] * choices.chance(0.1)
    words += ["foo"] * choices.chance(0.1)
    name = "sdy.constant" if choices.chance(0.07) else "stablehlo.constant"
    builder.emit(scope, choices, name, (), (type_,), words)


def iota(builder: Builder, scope: Scope, choices: Choices) -> None:
    shape = choices.pick(((8, 8), (8,), (16, 4)))
    words = [f"iota_dimension = {choices.between(0, len(shape) - 1)} : i64"]
    type_ = TensorType(shape, choices.pick(("f32", "f32", "i32")))
    builder.emit(scope, choices, "stablehlo.iota", (), (type_,), words)


def scalar_expansion(builder: Builder, scope: Scope, choices: Choices) -> None:
    """The broadcast of a scalar, constant or not."""
    scalar = scope.pick(choices, lambda value: is_static(value) and not _type(value).shape)
    if scalar is None or choices.chance(0.3):
        scalar = builder.fresh(scope, TensorType(()), choices)
    _broadcast(builder, scope, choices, scalar)


def broadcast(builder: Builder, scope: Scope, choices: Choices) -> None:
    _broadcast(builder, scope, choices, _static_operand(builder, scope, choices))


def _broadcast(builder: Builder, scope: Scope, choices: Choices, operand: Value) -> None:
    type_ = _type(operand)
    shape = choices.pick(((8, 8), (8,), ())) if len(type_.shape) < 2 else ()
    dims = ", ".join(str(len(shape) + at) for at in range(len(type_.shape)))
    words = [f"broadcast_dimensions = array<i64{': ' + dims if dims else ''}>"]
    result = type_.with_shape(*shape, *type_.shape)
    builder.emit(scope, choices, "stablehlo.broadcast_in_dim", (operand,), (result,), words)


def slice_(builder: Builder, scope: Scope, choices: Choices) -> None:
    operand = _static_operand(builder, scope, choices)
    sizes = _type(operand).sizes
    limits = [choices.pick((size, size, (size + 1) // 2)) for size in sizes]

    def array(numbers: list[int]) -> str:
        return f"array<i64{': ' if numbers else ''}{', '.join(map(str, numbers))}>"

    words = [
        f"start_indices = {array([0] * len(sizes))}",
        f"limit_indices = {array(limits)}",
        f"strides = {array([1] * len(sizes))}",
    ]
    result = _type(operand).with_shape(*limits)
    builder.emit(scope, choices, "stablehlo.slice", (operand,), (result,), words)


def reshape(builder: Builder, scope: Scope, choices: Choices) -> None:
    operand = _static_operand(builder, scope, choices)
    count = math.prod(_type(operand).sizes)
    shapes = {64: ((8, 8), (64,), (16, 4), (4, 8, 2)), 8: ((8,), (1, 8), (4, 2)), 1: ((), (1,))}
    result = _type(operand).with_shape(*choices.pick(shapes.get(count, ((count,),))))
    builder.emit(scope, choices, "stablehlo.reshape", (operand,), (result,))


def unary(builder: Builder, scope: Scope, choices: Choices) -> None:
    """An element-wise op on one tensor."""
    operand = _operand(builder, scope, choices)
    type_ = _type(operand)
    element = type_.element
    names = {"i1": ["not"], "i32": INTEGER_UNARY}.get(element, FLOAT_UNARY)
    name, result, words = f"stablehlo.{choices.pick(names)}", type_, list[str]()
    kind = choices.between(0, 9)
    if kind == 0:
        name, result = "stablehlo.convert", type_.with_element(choices.pick(("f32", "i32", "i1")))
    elif kind == 1 and element == "f32":
        name, result = "stablehlo.is_finite", type_.with_element("i1")
    elif kind == 2 and element == "f32":
        name, words = "stablehlo.reduce_precision", ["exponent_bits = 5 : i32"]
        words.append("mantissa_bits = 10 : i32")
    elif kind == 3 and element == "f32":
        name = choices.pick(CHLO_UNARY)
    builder.emit(scope, choices, name, (operand,), (result,), words)


def binary(builder: Builder, scope: Scope, choices: Choices) -> None:
    """An element-wise op on two tensors, often twice the same."""
    left = _operand(builder, scope, choices)
    type_ = _type(left)
    right = builder.need(scope, type_, choices)
    names = {"i1": BOOLEAN_BINARY, "i32": INTEGER_BINARY}.get(type_.element, FLOAT_BINARY)
    builder.emit(scope, choices, f"stablehlo.{choices.pick(names)}", (left, right), (type_,))


def compare(builder: Builder, scope: Scope, choices: Choices) -> None:
    left = _operand(builder, scope, choices)
    right = builder.need(scope, left.type, choices)
    words = ["comparison_direction = #stablehlo<comparison_direction LT>"]
    result = _type(left).with_element("i1")
    builder.emit(scope, choices, "stablehlo.compare", (left, right), (result,), words)


def select(builder: Builder, scope: Scope, choices: Choices) -> None:
    """A select or clamp, whose outer operands may be scalars."""
    left = _static_operand(builder, scope, choices)
    right = builder.need(scope, left.type, choices)
    scalar = choices.chance(0.5)
    if choices.chance(0.5) and _type(left).element != "i1":
        bound = builder.need(scope, _type(left).with_shape() if scalar else left.type, choices)
        builder.emit(scope, choices, "stablehlo.clamp", (bound, left, bound), (left.type,))
        return
    predicate = PREDICATE if scalar else _type(left).with_element("i1")
    operands = (builder.need(scope, predicate, choices), left, right)
    builder.emit(scope, choices, "stablehlo.select", operands, (left.type,))


def other(builder: Builder, scope: Scope, choices: Choices) -> None:
    """An op that is neither element-wise nor constant-preserving."""
    operand = _static_operand(builder, scope, choices)
    type_ = _type(operand)
    kind = choices.pick(("transpose", "concatenate", "reverse", "dot", "reduce", "impure"))
    if kind == "impure" or not type_.shape:
        words = ['call_target_name = "f"'] + ["has_side_effect = true"] * choices.chance(0.5)
        builder.emit(scope, choices, "stablehlo.custom_call", (operand,), (type_,), words)
    elif kind == "transpose":
        order = range(len(type_.shape) - 1, -1, -1)
        words = [f"permutation = array<i64: {', '.join(map(str, order))}>"]
        result = type_.with_shape(*reversed(type_.shape))
        builder.emit(scope, choices, "stablehlo.transpose", (operand,), (result,), words)
    elif kind == "concatenate":
        result = type_.with_shape(2 * type_.sizes[0], *type_.sizes[1:])
        words = ["dimension = 0 : i64"]
        builder.emit(scope, choices, "stablehlo.concatenate", (operand,) * 2, (result,), words)
    elif kind == "reverse":
        words = ["dimensions = array<i64: 0>"]
        builder.emit(scope, choices, "stablehlo.reverse", (operand,), (type_,), words)
    elif kind == "dot":
        words = ["dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0]"]
        words[0] += ", rhs_contracting_dimensions = [0]>"
        result = type_.with_shape(*type_.shape[1:], *type_.shape[1:])
        builder.emit(scope, choices, "stablehlo.dot_general", (operand,) * 2, (result,), words)
    else:
        _reduce(builder, scope, choices, operand)


def _reduce(builder: Builder, scope: Scope, choices: Choices, operand: Value) -> None:
    scalar = _type(operand).with_shape()
    init = builder.need(scope, scalar, choices)
    words = ["dimensions = array<i64: 0>"]
    result = _type(operand).with_shape(*_type(operand).shape[1:])
    region = [_reducer(builder, scope, choices, scalar)]
    builder.emit(scope, choices, "stablehlo.reduce", (operand, init), (result,), words, region)


def _reducer(builder: Builder, scope: Scope, choices: Choices, scalar: Type) -> Region:
    inner = scope.nested(isolated=True)
    inner.values = [builder.value(scalar, choices) for _ in range(2)]
    arguments = list(inner.values)
    result = builder.emit(inner, choices, "stablehlo.add", arguments, (scalar,), may_shard=False)
    builder.emit(inner, choices, "stablehlo.return", result)
    return Region(arguments, inner.lines)


def several_results(builder: Builder, scope: Scope, choices: Choices) -> None:
    """A custom call with any number of operands and results, or an unregistered op."""
    operands = [value for _ in range(choices.between(0, 2)) if (value := scope.pick(choices))]
    types: list[Type] = [any_type(choices, 0.5) for _ in range(choices.between(0, 3))]
    types += [TOKEN] * choices.chance(0.3)
    if choices.chance(0.2):
        builder.emit(scope, choices, "test.op", operands, types)
        return
    words = ['call_target_name = "g"', "has_side_effect = true"]
    if not types and choices.chance(0.5):
        # An op without results holds one sharding, of a maximal mesh, for its device.
        words += ["sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[1]>, []>]>"]
    builder.emit(scope, choices, "stablehlo.custom_call", operands, types, words)


def token(builder: Builder, scope: Scope, choices: Choices) -> None:
    first = builder.need(scope, TOKEN, choices)
    if choices.chance(0.5):
        builder.emit(scope, choices, "stablehlo.after_all", (first,), (TOKEN,))


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
            builder.emit(scope, choices, "stablehlo.custom_call", made, (), ['call_target_name = "u"'])
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
        where = f"{_type(value).shape}{sorted(scope.manual)}"
        number += 100 * (sum(where.encode()) % 97)
    words = [f"group_id = {number} : i64"]
    builder.emit(scope, choices, "sdy.sharding_group", (value,), (), words)


def sdy_op(builder: Builder, scope: Scope, choices: Choices) -> None:
    """The other ops of the dialect that can stand before propagation."""
    value = _operand(builder, scope, choices)
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
    value = _static_operand(builder, scope, choices)
    types, words = (value.type,), list[str]()
    made = builder.emit(scope, choices, "stablehlo.optimization_barrier", (value,), types)
    if choices.chance(0.5):
        words = [f"sharding = #sdy.sharding{builder.sharding(scope, value.type, choices)}"]
    builder.emit(scope, choices, "sdy.data_flow_edge", made, types, words, may_shard=False)
    scope.values.remove(made[0])  # An edge is the only user of its input.


def _all_gather(builder: Builder, scope: Scope, choices: Choices, value: Value) -> None:
    meshes = [mesh for mesh in builder.meshes if mesh.free(scope.manual)]
    rank = len(_type(value).shape)
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


def collective(builder: Builder, scope: Scope, choices: Choices) -> None:
    """A StableHLO collective, whose groups are written out or refer to a mesh."""
    operand = _static_operand(builder, scope, choices)
    type_ = _type(operand)
    groups, size = _replica_groups(builder, choices)
    words = [f"replica_groups = {groups}"]
    kinds = ["all_reduce", "collective_broadcast"]
    if type_.shape and type_.sizes[0]:
        kinds.append("all_gather")
        kinds += ["reduce_scatter"] * (type_.sizes[0] % size == 0)
        kinds += ["all_to_all"] * (len(type_.shape) > 1 and type_.sizes[0] % size == 0)
    kind = choices.pick(kinds)
    first, rest = type_.sizes[:1], type_.sizes[1:]
    result, regions = type_, list[Region]()
    if kind in ("all_reduce", "reduce_scatter"):
        regions = [_reducer(builder, scope, choices, type_.with_shape())]
    if kind == "all_gather":
        words.append("all_gather_dim = 0 : i64")
        result = type_.with_shape(first[0] * size, *rest)
    elif kind == "reduce_scatter":
        words.append("scatter_dimension = 0 : i64")
        result = type_.with_shape(first[0] // size, *rest)
    elif kind == "all_to_all":
        words += ["split_dimension = 0 : i64", "concat_dimension = 1 : i64"]
        words.append(f"split_count = {size} : i64")
        result = type_.with_shape(first[0] // size, rest[0] * size, *rest[1:])
    builder.emit(scope, choices, f"stablehlo.{kind}", (operand,), (result,), words, regions)


def _replica_groups(builder: Builder, choices: Choices) -> tuple[str, int]:
    """Write replica groups and tell how many devices are in one."""
    meshes = [mesh for mesh in builder.meshes if mesh.axes]
    if not meshes or choices.chance(0.15):
        return "dense<[[0, 1]]> : tensor<1x2xi64>", 2
    mesh = choices.pick(meshes)
    if choices.chance(0.3) and not choices.chance(0.3):
        mesh = Mesh(mesh.axes, mesh.device_ids and tuple(range(len(mesh.device_ids))))
    refs = axis_refs(mesh, frozenset(), choices)[: choices.between(1, 2)]
    parts = {ref.index for ref in refs}
    if len(parts) < len(refs):
        refs = refs[:1]
    axes = ", ".join(_stablehlo_axis(mesh, ref.index, ref.pre_size, ref.size) for ref in refs)
    size = math.prod(ref.size for ref in refs)
    where = mesh.reference if mesh.name and choices.chance(0.3) else _stablehlo_mesh(mesh)
    return f"#stablehlo.replica_group_mesh_axes<mesh = {where}, axes = [{axes}]>", size


def _stablehlo_axis(mesh: Mesh, index: int, pre_size: int, size: int) -> str:
    name, full = mesh.axes[index]
    part = f", sub_axis_info = ({pre_size}){size}" if size != full else ""
    return f'#stablehlo.axis_ref<name = "{name}"{part}>'


def _stablehlo_mesh(mesh: Mesh) -> str:
    axes = ", ".join(
        f'#stablehlo.mesh_axis<name = "{name}", size = {size}>' for name, size in mesh.axes
    )
    ids = list(mesh.device_ids)
    tail = f", device_ids = dense<{ids}> : tensor<{len(ids)}xi64>" if ids else ""
    return f"#stablehlo.mesh<axes = [{axes}]{tail}>"


def call(builder: Builder, scope: Scope, choices: Choices) -> None:
    """Call one of the functions before this one."""
    if not builder.functions:
        return
    callee = choices.pick(builder.functions)
    operands = [builder.need(scope, type_, choices) for type_ in callee.arguments]
    words = [f"callee = @{callee.name}"]
    words += ["foo"] * choices.chance(0.1)
    builder.emit(scope, choices, "func.call", operands, callee.results, words)


def composite(builder: Builder, scope: Scope, choices: Choices) -> None:
    """Refer to a function otherwise than by a call."""
    if not builder.functions:
        return
    callee = choices.pick(builder.functions)
    if UNRANKED in (*callee.arguments, *callee.results):
        return
    operands = [builder.need(scope, type_, choices) for type_ in callee.arguments]
    words = ['name = "a.b"', f"decomposition = @{callee.name}"]
    builder.emit(scope, choices, "stablehlo.composite", operands, callee.results, words)


def use_index(builder: Builder, scope: Scope, choices: Choices) -> None:
    """A dynamic slice with the same index twice: scalars with several uses."""
    operand = builder.need(scope, TensorType((8, 8)), choices)
    index = builder.need(scope, INDEX, choices)
    words = ["slice_sizes = array<i64: 4, 8>"]
    result = TensorType((4, 8))
    operands = (operand, index, index)
    builder.emit(scope, choices, "stablehlo.dynamic_slice", operands, (result,), words)


def new_block(builder: Builder, scope: Scope, choices: Choices) -> None:
    """Go on in another block, where the scope is the body of a function."""
    if scope.depth:
        return
    passed = [value for _ in range(choices.between(0, 2)) if (value := scope.pick(choices))]
    builder.new_block(scope, choices, passed)
