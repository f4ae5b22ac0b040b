"""Element-wise ops, and ops that move elements."""

from __future__ import annotations

import math
import random
from typing import Final

from support.sdy.rule_ops.drawing import Op, Shape, array, body, kind, shape, size, tensor

_UNARY: Final = [
    "abs",
    "cbrt",
    "ceil",
    "cosine",
    "exponential",
    "exponential_minus_one",
    "floor",
    "log",
    "log_plus_one",
    "logistic",
    "negate",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "sign",
    "sine",
    "sqrt",
    "tan",
    "tanh",
]
_BINARY: Final = [
    "add",
    "atan2",
    "divide",
    "maximum",
    "minimum",
    "multiply",
    "power",
    "remainder",
    "subtract",
]
_INTEGER: Final = [
    "and",
    "or",
    "xor",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "popcnt",
    "not",
    "count_leading_zeros",
]


@kind("elementwise")
def elementwise(of: random.Random) -> Op:
    dims = shape(of)
    name = of.choice([*_UNARY, *_BINARY, *_INTEGER, "is_finite", "convert", "select", "clamp"])
    float_, integer, boolean = (tensor(dims, each) for each in ("f32", "i32", "i1"))
    if name == "is_finite":
        return Op("stablehlo.is_finite", [float_], [boolean])
    if name == "convert":
        return Op("stablehlo.convert", [float_], [integer])
    if name == "select":
        predicate = of.choice((boolean, tensor((), "i1")))
        return Op("stablehlo.select", [predicate, float_, float_], [float_])
    if name == "clamp":
        bounds = [of.choice((float_, tensor(()))) for _ in range(2)]
        return Op("stablehlo.clamp", [bounds[0], float_, bounds[1]], [float_])
    if name in _INTEGER:
        unary = name in ("popcnt", "not", "count_leading_zeros")
        return Op(f"stablehlo.{name}", [integer] * (1 if unary else 2), [integer])
    return Op(f"stablehlo.{name}", [float_] * (2 if name in _BINARY else 1), [float_])


@kind("like its operand")
def like_its_operand(of: random.Random) -> Op:
    type_ = tensor(shape(of))
    name = of.choice(("compare", "reduce_precision", "sharding_constraint"))
    if name == "compare":
        direction = "comparison_direction = #stablehlo<comparison_direction LT>"
        return Op("stablehlo.compare", [type_, type_], [type_.replace("f32", "i1")], direction)
    if name == "reduce_precision":
        bits = "exponent_bits = 5 : i32, mantissa_bits = 10 : i32"
        return Op("stablehlo.reduce_precision", [type_], [type_], bits)
    open_dims = ", ".join(["{?}"] * (type_.count("x")))
    sharding = f'sharding = #sdy.sharding<mesh<["a"=2]>, [{open_dims}]>'
    return Op("sdy.sharding_constraint", [type_], [type_], sharding)


@kind("complex")
def complex_parts(of: random.Random) -> Op:
    dims = shape(of)
    parts, whole = tensor(dims), tensor(dims, "complex<f32>")
    if of.random() < 0.5:
        return Op("stablehlo.complex", [parts, parts], [whole])
    return Op(f"stablehlo.{of.choice(('real', 'imag'))}", [whole], [parts])


@kind("broadcast_in_dim")
def broadcast_in_dim(of: random.Random) -> Op:
    result = shape(of)
    dims = sorted(of.sample(range(len(result)), of.randint(0, len(result))))
    operand = [result[dim] if of.random() < 0.7 else 1 for dim in dims]
    order = list(range(len(dims)))
    of.shuffle(order)
    return Op(
        "stablehlo.broadcast_in_dim",
        [tensor([operand[at] for at in order])],
        [tensor(result)],
        f"broadcast_dimensions = {array([dims[at] for at in order])}",
    )


@kind("transpose")
def transpose(of: random.Random) -> Op:
    dims = shape(of)
    order = of.sample(range(len(dims)), len(dims))
    return Op(
        "stablehlo.transpose",
        [tensor(dims)],
        [tensor([dims[at] for at in order])],
        f"permutation = {array(order)}",
    )


@kind("reshape")
def reshape(of: random.Random) -> Op:
    dims = shape(of, most=5)
    return Op("stablehlo.reshape", [tensor(dims)], [tensor(_regrouped(of, math.prod(dims)))])


def _regrouped(of: random.Random, count: int) -> Shape:
    """Return sizes whose product is `count`."""
    found = []
    while count > 1:
        divisors = [each for each in range(2, count + 1) if count % each == 0]
        found.append(of.choice(divisors))
        count //= found[-1]
    for _ in range(of.randint(0, 2)):
        found.insert(of.randint(0, len(found)), 1)
    return tuple(found)


@kind("slice")
def slice_(of: random.Random) -> Op:
    dims, starts, limits, strides = shape(of), [], [], []
    for each in dims:
        start = of.choice((0, 0, of.randrange(each)))
        limit = of.choice((each, each, of.randint(start + 1, each)))
        starts.append(start)
        limits.append(limit)
        strides.append(of.choice((1, 1, 2)))
    result = [-(-(b - a) // step) for a, b, step in zip(starts, limits, strides, strict=True)]
    properties = f"start_indices = {array(starts)}, limit_indices = {array(limits)}, strides = {array(strides)}"
    return Op("stablehlo.slice", [tensor(dims)], [tensor(result)], properties)


@kind("pad")
def pad(of: random.Random) -> Op:
    dims = shape(of)
    low, high, interior = ([of.choice((0, 0, 1, 2)) for _ in dims] for _ in range(3))
    result = [
        each + a + b + max(each - 1, 0) * c
        for each, a, b, c in zip(dims, low, high, interior, strict=True)
    ]
    properties = (
        f"edge_padding_low = {array(low)}, edge_padding_high = {array(high)}, "
        f"interior_padding = {array(interior)}"
    )
    return Op("stablehlo.pad", [tensor(dims), tensor(())], [tensor(result)], properties)


def _smaller(of: random.Random, dims: Shape) -> list[int]:
    return [each if of.random() < 0.5 else of.randint(1, each) for each in dims]


@kind("dynamic_slice")
def dynamic_slice(of: random.Random) -> Op:
    dims = shape(of)
    sizes = _smaller(of, dims)
    return Op(
        "stablehlo.dynamic_slice",
        [tensor(dims), *[tensor((), "i32")] * len(dims)],
        [tensor(sizes)],
        f"slice_sizes = {array(sizes)}",
    )


@kind("dynamic_update_slice")
def dynamic_update_slice(of: random.Random) -> Op:
    dims = shape(of)
    scalar = tensor((), "i32")
    share = of.choice((0.0, 0.5, 1.0))
    constant = f'"stablehlo.constant"() <{{value = dense<0> : {scalar}}}> : () -> {scalar}'
    before = [(2 + at, constant) for at in range(len(dims)) if of.random() < share]
    types = [tensor(dims), tensor(_smaller(of, dims)), *[scalar] * len(dims)]
    return Op("stablehlo.dynamic_update_slice", types, [tensor(dims)], before=before)


@kind("concatenate")
def concatenate(of: random.Random) -> Op:
    dims = list(shape(of, 1))
    at = of.randrange(len(dims))
    parts = [[*dims[:at], size(of), *dims[at + 1 :]] for _ in range(of.randint(1, 3))]
    whole = [*dims[:at], sum(part[at] for part in parts), *dims[at + 1 :]]
    wholes = [f"%s{of.choice((0, number))}" for number in range(len(parts))]
    chosen = {number: of.choice(("slice", "itself", "argument")) for number in range(len(parts))}
    if of.random() < 0.5:
        chosen = dict.fromkeys(chosen, "slice")
    # Where a part is a source itself, the sources have its shape.
    source = [size(of) + each for each in whole]
    before, names = [], {}
    for number, part in enumerate(parts):
        if chosen[number] == "slice":
            before.append((number, _slice_of(wholes[number], source, part)))
        elif chosen[number] == "itself":
            parts[number] = source
            names[number] = wholes[number]
    if names:
        rest = [each for at_, each in enumerate(source) if at_ != at]
        parts = [[*rest[:at], part[at], *rest[at:]] for part in parts]
        before = [
            (number, _slice_of(wholes[number], source, parts[number])) for number, _ in before
        ]
    whole = [*parts[0][:at], sum(part[at] for part in parts), *parts[0][at + 1 :]]
    return Op(
        "stablehlo.concatenate",
        [tensor(part) for part in parts],
        [tensor(whole)],
        f"dimension = {at} : i64",
        before=before,
        extra=[(name, tensor(source)) for name in sorted(set(wholes))],
        names=names,
    )


def _slice_of(name: str, source: list[int], part: list[int]) -> str:
    starts, strides = array([0] * len(part)), array([1] * len(part))
    properties = f"start_indices = {starts}, limit_indices = {array(part)}, strides = {strides}"
    return f'"stablehlo.slice"({name}) <{{{properties}}}> : ({tensor(source)}) -> {tensor(part)}'


@kind("reverse")
def reverse(of: random.Random) -> Op:
    dims = shape(of)
    chosen = sorted(of.sample(range(len(dims)), of.randint(0, len(dims))))
    return Op("stablehlo.reverse", [tensor(dims)], [tensor(dims)], f"dimensions = {array(chosen)}")


@kind("sort")
def sort(of: random.Random) -> Op:
    dims, count = shape(of, 1), of.randint(1, 2)
    scalar = tensor(())
    arguments = ", ".join(f"%a{at}: {scalar}" for at in range(2 * count))
    compare = f'"stablehlo.compare"(%a0, %a1) <{{comparison_direction = #stablehlo<comparison_direction LT>}}> : ({scalar}, {scalar}) -> tensor<i1>'
    region = (
        f'({{\n^bb0({arguments}):\n%c = {compare}\n"stablehlo.return"(%c) : (tensor<i1>) -> ()\n}})'
    )
    properties = f"dimension = {of.randrange(len(dims))} : i64, is_stable = false"
    types = [tensor(dims)] * count
    return Op("stablehlo.sort", types, types, properties, region)


@kind("bitcast_convert")
def bitcast_convert(of: random.Random) -> Op:
    dims = shape(of, 0, 3)
    plain, narrow = tensor(dims), tensor([*dims, 2], "f16")
    types = of.choice([(plain, tensor(dims, "i32")), (plain, narrow), (narrow, plain)])
    return Op("stablehlo.bitcast_convert", [types[0]], [types[1]])


@kind("reduce")
def reduce(of: random.Random) -> Op:
    dims, count = shape(of), of.randint(1, 2)
    chosen = sorted(of.sample(range(len(dims)), of.randint(0, len(dims))))
    result = tensor([each for at, each in enumerate(dims) if at not in chosen])
    types = [*[tensor(dims)] * count, *[tensor(())] * count]
    region = body("add", count)
    return Op("stablehlo.reduce", types, [result] * count, f"dimensions = {array(chosen)}", region)
