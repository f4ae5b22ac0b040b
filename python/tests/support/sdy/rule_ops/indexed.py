"""Gathers, scatters, collectives and custom calls."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from support.sdy.rule_ops.drawing import Op, array, body, kind, shape, size, tensor


@dataclass(frozen=True)
class _Slices:
    operand: list[int]
    indices: list[int]
    slices: list[int]
    window: list[int]
    collapsed: list[int]
    batching: list[int]
    index_batching: list[int]
    index_map: list[int]
    index_vector: int
    sizes: list[int]


def _slices(of: random.Random) -> _Slices:
    operand = [size(of) for _ in range(of.randint(1, 4))]
    dims = list(range(len(operand)))
    of.shuffle(dims)
    batching = sorted(dims[: of.choice((0, 0, 1, 2))])
    rest = [dim for dim in range(len(operand)) if dim not in batching]
    collapsed = sorted(of.sample(rest, of.randint(0, len(rest))))
    index_map = of.sample(rest, of.randint(0, len(rest)))
    kept = [dim for dim in rest if dim not in collapsed]
    sizes = [
        1 if dim not in kept else of.choice((each, each, 1, of.randint(1, each)))
        for dim, each in enumerate(operand)
    ]
    # Indices: batch dimensions in any order, some of them those of the operand.
    batch = [*(operand[dim] for dim in batching), *shape(of, 0, 2)]
    order = of.sample(range(len(batch)), len(batch))
    indices = [batch[at] for at in order]
    index_batching = [order.index(at) for at in range(len(batching))]
    index_vector = len(indices)
    if len(index_map) != 1 or of.random() < 0.5:
        index_vector = of.randint(0, len(indices))
    slices_batch = list(indices)
    if len(index_map) != 1 or index_vector < len(indices) or of.random() < 0.5:
        index_batching = [at + (at >= index_vector) for at in index_batching]
        indices.insert(index_vector, len(index_map))
    window = sorted(of.sample(range(len(slices_batch) + len(kept)), len(kept)))
    parts, batches = iter(sizes[dim] for dim in kept), iter(slices_batch)
    slices = [
        next(parts) if at in window else next(batches)
        for at in range(len(slices_batch) + len(kept))
    ]
    return _Slices(
        operand,
        indices,
        slices,
        window,
        collapsed,
        batching,
        index_batching,
        index_map,
        index_vector,
        sizes,
    )


@kind("gather")
def gather(of: random.Random) -> Op:
    found = _slices(of)
    numbers = (
        f"offset_dims = {found.window}, collapsed_slice_dims = {found.collapsed}, "
        f"operand_batching_dims = {found.batching}, "
        f"start_indices_batching_dims = {found.index_batching}, "
        f"start_index_map = {found.index_map}, index_vector_dim = {found.index_vector}"
    )
    properties = (
        f"dimension_numbers = #stablehlo.gather<{numbers}>, slice_sizes = {array(found.sizes)}, "
        "indices_are_sorted = false"
    )
    types = [tensor(found.operand), tensor(found.indices, "i32")]
    return Op("stablehlo.gather", types, [tensor(found.slices)], properties)


@kind("scatter")
def scatter(of: random.Random) -> Op:
    found, count = _slices(of), of.choice((1, 1, 2))
    numbers = (
        f"update_window_dims = {found.window}, inserted_window_dims = {found.collapsed}, "
        f"input_batching_dims = {found.batching}, "
        f"scatter_indices_batching_dims = {found.index_batching}, "
        f"scatter_dims_to_operand_dims = {found.index_map}, index_vector_dim = {found.index_vector}"
    )
    element = of.choice(("f32", "i1"))
    combine = "and or xor add" if element == "i1" else "add multiply maximum minimum subtract"
    region = body(of.choice(combine.split()), count, element)
    if of.random() < 0.2:
        region = region.replace("(%a0, ", "(%a1, ")
    operands = [
        *[tensor(found.operand, element)] * count,
        tensor(found.indices, "i32"),
        *[tensor(found.slices, element)] * count,
    ]
    properties = (
        f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}>, indices_are_sorted = false, "
        "unique_indices = false"
    )
    results = [tensor(found.operand, element)] * count
    return Op("stablehlo.scatter", operands, results, properties, region)


_GROUPS: Final = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"


@kind("collective")
def collective(of: random.Random) -> Op:
    dims = list(shape(of, 1))
    at = of.randrange(len(dims))
    name = of.choice(
        ("all_gather", "reduce_scatter", "all_to_all", "all_reduce", "permute", "broadcast")
    )
    if name == "all_gather":
        result = [each * (2 if dim == at else 1) for dim, each in enumerate(dims)]
        properties = f"all_gather_dim = {at} : i64, {_GROUPS}"
        return Op("stablehlo.all_gather", [tensor(dims)], [tensor(result)], properties)
    if name == "reduce_scatter":
        operand = [each * (2 if dim == at else 1) for dim, each in enumerate(dims)]
        properties = f"scatter_dimension = {at} : i64, {_GROUPS}"
        return Op(
            "stablehlo.reduce_scatter", [tensor(operand)], [tensor(dims)], properties, body("add")
        )
    if name == "all_to_all":
        return _all_to_all(of, dims)
    if name == "all_reduce":
        types = [tensor(dims)] * of.randint(1, 2)
        return Op("stablehlo.all_reduce", types, types, _GROUPS, body("add"))
    if name == "permute":
        pairs = "source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>"
        return Op("stablehlo.collective_permute", [tensor(dims)], [tensor(dims)], pairs)
    return Op("stablehlo.collective_broadcast", [tensor(dims)], [tensor(dims)], _GROUPS)


def _all_to_all(of: random.Random, dims: list[int]) -> Op:
    split, joined = of.randrange(len(dims)), of.randrange(len(dims))
    operand, result = list(dims), list(dims)
    operand[split] *= 2
    result[split] = operand[split] // 2
    result[joined] = result[joined] * 2
    if split == joined:
        result = operand
    else:
        result[joined] = operand[joined] * 2
    properties = (
        f"split_dimension = {split} : i64, concat_dimension = {joined} : i64, "
        f"split_count = 2 : i64, {_GROUPS}"
    )
    return Op("stablehlo.all_to_all", [tensor(operand)], [tensor(result)], properties)


_ELEMENTWISE: Final = [
    "annotate_device_placement",
    "Cholesky",
    "CompactWyHelper",
    "InspectSharding",
    "InvertDiagBlocksLowerTriangular",
    "InvertDiagBlocksUpperTriangular",
    "LayoutConstraint",
    "mhlo.erf",
    "MoveToDevice",
    "MoveToHost",
    "X64SplitHigh",
    "X64SplitLow",
    "xla.megascale.provide_metadata",
    "_SPMDInternalOp_MultiPad",
    "_SPMDInternalOp_RotateRight",
    "_SPMDInternalOp_MultiRotate",
    "_SPMDInternalOp_MultiSlice",
    "_SPMDInternalOp_Wrap",
]
_QUIET: Final = [
    "sdy_testonly",
    "tpu_custom_call",
    "xla_python_cpu_callback",
    "xla_python_gpu_callback",
    "xla_ffi_python_cpu_callback",
    "xla_ffi_python_gpu_callback",
    "foo",
]


def _call(target: str, operands: list[str], results: list[str], after: str = "") -> Op:
    return Op(
        "stablehlo.custom_call", operands, results, f'call_target_name = "{target}"', after=after
    )


@kind("custom_call")
def custom_call(of: random.Random) -> Op:
    dims = list(shape(of))
    same = [tensor(dims)]
    return _call(of.choice((*_ELEMENTWISE, *_QUIET)), same * of.randint(1, 2), same)


@kind("x64_combine")
def x64_combine(of: random.Random) -> Op:
    if of.random() < 0.5:
        part, whole = tensor([2], "ui32"), tensor([2], "ui64")
        after = (
            f'%s, %b = "stablehlo.rng_bit_generator"(%r) <{{rng_algorithm = '
            f"#stablehlo<rng_algorithm DEFAULT>}}> : ({whole}) -> ({whole}, tensor<8xui32>)"
        )
        return _call("X64Combine", [part, part], [whole], after=after)
    dims = shape(of)
    part = tensor(dims, "ui32")
    return _call("X64Combine", [part, part], [tensor(dims, "ui64")])


@kind("decomposition")
def decomposition(of: random.Random) -> Op:
    batch, rows, columns = list(shape(of, 0, 2)), size(of), size(of)
    target = of.choice(
        ("Eigh", "Qr", "QrDecompositionBlock", "ProductOfElementaryHouseholderReflectors")
    )
    if target == "Eigh":
        square = tensor([*batch, rows, rows])
        return _call(target, [square], [square, tensor([*batch, rows])])
    matrix, scales = tensor([*batch, rows, columns]), tensor([*batch, min(rows, columns)])
    if target.startswith("Qr"):
        return _call(target, [matrix], [matrix, scales])
    return _call(target, [matrix, scales], [matrix])


@kind("topk")
def topk(of: random.Random) -> Op:
    dims = list(shape(of, 1))
    result = list(dims)
    result[-1] = of.randint(1, dims[-1])
    values, indices = tensor(result), tensor(result, "i32")
    if of.random() < 0.5:
        return _call("mhlo.topk", [tensor(dims)], [values, indices])
    operands = [tensor(dims), tensor(dims, "i32"), tensor(()), tensor((), "i32")]
    return _call(of.choice(("ApproxTopK", "PartialReduce")), operands, [values, indices])
