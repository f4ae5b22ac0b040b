"""Products, convolutions, and ops with windows."""

from __future__ import annotations

import random

from support.sdy.rule_ops.drawing import Op, array, body, kind, shape, size, tensor


@kind("dot_general")
def dot_general(of: random.Random) -> Op:
    batch, summed, left, right = (list(shape(of, 0, 2)) for _ in range(4))
    lhs, lhs_batch, lhs_summed = _mixed(of, batch, summed, left)
    rhs, rhs_batch, rhs_summed = _mixed(of, batch, summed, right)
    numbers = (
        f"lhs_batching_dimensions = {lhs_batch}, rhs_batching_dimensions = {rhs_batch}, "
        f"lhs_contracting_dimensions = {lhs_summed}, rhs_contracting_dimensions = {rhs_summed}"
    )
    kept_left = [each for at, each in enumerate(lhs) if at not in (*lhs_batch, *lhs_summed)]
    kept_right = [each for at, each in enumerate(rhs) if at not in (*rhs_batch, *rhs_summed)]
    return Op(
        "stablehlo.dot_general",
        [tensor(lhs), tensor(rhs)],
        [tensor([*batch, *kept_left, *kept_right])],
        f"dot_dimension_numbers = #stablehlo.dot<{numbers}>",
    )


def _mixed(
    of: random.Random, batch: list[int], summed: list[int], kept: list[int]
) -> tuple[list[int], list[int], list[int]]:
    """Return sizes in a random order, and where those of `batch` and of `summed` are."""
    sizes = [*batch, *summed, *kept]
    order = of.sample(range(len(sizes)), len(sizes))
    places = [order.index(at) for at in range(len(sizes))]
    return (
        [sizes[at] for at in order],
        places[: len(batch)],
        places[len(batch) : len(batch) + len(summed)],
    )


@kind("dot")
def dot(of: random.Random) -> Op:
    summed = size(of)
    lhs, rhs = of.choice(([], [size(of)])), of.choice(([], [size(of)]))
    return Op(
        "stablehlo.dot", [tensor([*lhs, summed]), tensor([summed, *rhs])], [tensor([*lhs, *rhs])]
    )


@kind("convolution")
def convolution(of: random.Random) -> Op:
    rank = of.randint(0, 2)
    lhs_groups, rhs_groups = of.choice(((1, 1), (1, 1), (2, 1), (1, 2), (4, 1), (1, 3)))
    window = [of.choice((1, 2, 3)) for _ in range(rank)]
    stride = [of.choice((1, 1, 2)) for _ in range(rank)]
    spatial = [each + of.randint(0, 8) for each in window]
    output = [
        (each - wide) // step + 1 for each, wide, step in zip(spatial, window, stride, strict=True)
    ]
    batch, features = size(of) * lhs_groups, size(of)
    outputs = size(of) * lhs_groups * rhs_groups
    lhs, rhs, result = (of.sample(range(rank + 2), rank + 2) for _ in range(3))
    numbers = f"{_layout(lhs, 'b', 'f')}x{_layout(rhs, 'i', 'o')}->{_layout(result, 'b', 'f')}"
    sizes = (
        [batch, features * rhs_groups, *spatial],
        [features, outputs, *window],
        [batch // lhs_groups, outputs, *output],
    )
    types = [
        tensor([each[at] for at in order])
        for each, order in zip(sizes, (lhs, rhs, result), strict=True)
    ]
    properties = (
        f"dimension_numbers = #stablehlo.conv<{numbers}>, batch_group_count = {lhs_groups} : i64, "
        f"feature_group_count = {rhs_groups} : i64, window_strides = {array(stride)}"
    )
    return Op("stablehlo.convolution", types[:2], types[2:], properties)


def _layout(order: list[int], first: str, second: str) -> str:
    return f"[{', '.join((first, second, *map(str, range(8)))[at] for at in order)}]"


def _windows(of: random.Random, dims: list[int]) -> tuple[list[int], list[int], list[int], str]:
    """Return sizes of windows, strides, the sizes that result, and all of it as text."""
    sizes = [of.choice((1, 1, each, of.randint(1, each))) for each in dims]
    strides = [of.choice((1, 1, 2)) for _ in dims]
    padding = [(of.choice((0, 0, 1)), of.choice((0, 0, 1))) for _ in dims]
    padding = [
        pair if wide > max(pair) else (0, 0) for pair, wide in zip(padding, sizes, strict=True)
    ]
    result = [
        (each + sum(pair) - wide) // step + 1
        for each, pair, wide, step in zip(dims, padding, sizes, strides, strict=True)
    ]
    rows = ", ".join(f"[{low}, {high}]" for low, high in padding)
    text = (
        f"window_dimensions = {array(sizes)}, window_strides = {array(strides)}, "
        f"padding = dense<[{rows}]> : tensor<{len(dims)}x2xi64>"
    )
    return sizes, strides, result, text


@kind("reduce_window")
def reduce_window(of: random.Random) -> Op:
    dims, count = list(shape(of, 1)), of.randint(1, 2)
    _, _, result, text = _windows(of, dims)
    types = [*[tensor(dims)] * count, *[tensor(())] * count]
    return Op("stablehlo.reduce_window", types, [tensor(result)] * count, text, body("add", count))


@kind("select_and_scatter")
def select_and_scatter(of: random.Random) -> Op:
    dims = list(shape(of, 1))
    _, _, source, text = _windows(of, dims)
    scalar = tensor(())
    compare = (
        f"({{\n^bb0(%a0: {scalar}, %a1: {scalar}):\n"
        '%c = "stablehlo.compare"(%a0, %a1) '
        "<{comparison_direction = #stablehlo<comparison_direction GE>}> : "
        f'({scalar}, {scalar}) -> tensor<i1>\n"stablehlo.return"(%c) : (tensor<i1>) -> ()\n}})'
    )
    region = f"({compare[1:-1]}, {body('add')[1:-1]})"
    types = [tensor(dims), tensor(source), scalar]
    return Op("stablehlo.select_and_scatter", types, [tensor(dims)], text, region)


@kind("batch_norm_inference")
def batch_norm_inference(of: random.Random) -> Op:
    dims = shape(of, 1)
    feature = of.randrange(len(dims))
    types = [tensor(dims), *[tensor(dims[feature : feature + 1])] * 4]
    properties = f"epsilon = 0.1 : f32, feature_index = {feature} : i64"
    return Op("stablehlo.batch_norm_inference", types, [tensor(dims)], properties)


@kind("cholesky")
def cholesky(of: random.Random) -> Op:
    edge = size(of)
    type_ = tensor([*shape(of, 0, 2), edge, edge])
    return Op("stablehlo.cholesky", [type_], [type_], "lower = true")


@kind("triangular_solve")
def triangular_solve(of: random.Random) -> Op:
    batch, rows, columns = shape(of, 0, 2), size(of), size(of)
    is_left = of.random() < 0.5
    edge = rows if is_left else columns
    transpose = of.choice(("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"))
    properties = (
        f"left_side = {str(is_left).lower()}, lower = true, unit_diagonal = false, "
        f"transpose_a = #stablehlo<transpose {transpose}>"
    )
    b = tensor([*batch, rows, columns])
    return Op("stablehlo.triangular_solve", [tensor([*batch, edge, edge]), b], [b], properties)


@kind("fft")
def fft(of: random.Random) -> Op:
    lengths = [size(of) for _ in range(of.randint(1, 2))]
    dims = [*shape(of, 0, 2), *lengths]
    half = [*dims[:-1], dims[-1] // 2 + 1]
    name = of.choice(("FFT", "IFFT", "RFFT", "IRFFT"))
    types = {
        "RFFT": (tensor(dims), tensor(half, "complex<f32>")),
        "IRFFT": (tensor(half, "complex<f32>"), tensor(dims)),
    }.get(name, (tensor(dims, "complex<f32>"),) * 2)
    properties = f"fft_type = #stablehlo<fft_type {name}>, fft_length = {array(lengths)}"
    return Op("stablehlo.fft", [types[0]], [types[1]], properties)


@kind("rng_bit_generator")
def rng_bit_generator(of: random.Random) -> Op:
    state = tensor([of.choice((2, 3))], "ui64")
    properties = "rng_algorithm = #stablehlo<rng_algorithm DEFAULT>"
    return Op(
        "stablehlo.rng_bit_generator", [state], [state, tensor(shape(of), "ui32")], properties
    )
