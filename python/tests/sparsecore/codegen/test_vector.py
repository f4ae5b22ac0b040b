"""`vector`: elements, shapes, masks, reductions against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.codegen import compile_module, run
from support.codegen.tile_programs import DTYPES, Array, assert_same, random_values

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def of_vector(dtype: str, body: str, a: Array, result: Array, result_dtype: str = "") -> Array:
    """Run `body` once: %a is all of `a` as a vector of its shape, %r becomes the result."""
    shapes = ["x".join(map(str, array.shape)) for array in (a, result)]
    types = [f"{shapes[0]}x{dtype}", f"{shapes[1]}x{result_dtype or dtype}"]
    zeros = [", ".join(["%c0"] * array.ndim) for array in (a, result)]
    text = f"""
    func.func @once(%x: memref<{types[0]}>, %k: index, %y: memref<{types[1]}>) {{
      %c0 = arith.constant 0 : index
      %a = vector.load %x[{zeros[0]}] : memref<{types[0]}>, vector<{types[0]}>
      {body}
      vector.store %r, %y[{zeros[1]}] : memref<{types[1]}>, vector<{types[1]}>
      return
    }}
    func.func @main(%x: memref<{types[0]}>, %y: memref<{types[1]}>)
        attributes {{sparsecore.entry}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      scf.parallel (%k) = (%c4) to (%c5) step (%c1) {{
        func.call @once(%x, %k, %y) : (memref<{types[0]}>, index, memref<{types[1]}>) -> ()
      }}
      return
    }}"""
    run(compile_module(text, cache=None), [a, result])
    return result


SHAPES = [
    ("vector.broadcast %a : vector<4xi16> to vector<3x4xi16>", (4,), (3, 4)),
    ("vector.broadcast %a : vector<3x1xi16> to vector<3x4xi16>", (3, 1), (3, 4)),
    ("vector.broadcast %a : vector<1xi16> to vector<2x3x5xi16>", (1,), (2, 3, 5)),
    ("vector.shape_cast %a : vector<3x4xi16> to vector<2x6xi16>", (3, 4), (2, 6)),
    ("vector.transpose %a, [1, 0] : vector<3x4xi16> to vector<4x3xi16>", (3, 4), (4, 3)),
    ("vector.transpose %a, [2, 0, 1] : vector<2x3x4xi16> to vector<4x2x3xi16>", (2, 3, 4), None),
    (
        "vector.extract_strided_slice %a {offsets = [1, 2], sizes = [2, 2], strides = [1, 1]}"
        " : vector<3x4xi16> to vector<2x2xi16>",
        (3, 4),
        None,
    ),
    ("vector.shuffle %a, %a [3, 0, 7, 7, 2] : vector<4xi16>, vector<4xi16>", (4,), None),
    ("vector.shuffle %a, %a [2, 0, 3] : vector<2x3xi16>, vector<2x3xi16>", (2, 3), None),
    ("vector.interleave %a, %a : vector<4xi16> -> vector<8xi16>", (4,), None),
    ("vector.extract %a[1] : vector<4xi16> from vector<3x4xi16>", (3, 4), None),
]
MEANINGS = {
    "[2, 0, 1]": lambda a: a.transpose(2, 0, 1),
    "[1, 0]": lambda a: a.transpose(1, 0),
    "extract_strided": lambda a: a[1:3, 2:4],
    "[3, 0, 7": lambda a: np.concatenate([a, a])[[3, 0, 7, 7, 2]],
    "[2, 0, 3]": lambda a: np.concatenate([a, a])[[2, 0, 3]],
    "interleave": lambda a: np.repeat(a, 2),
    "extract %a[1]": lambda a: a[1],
}


@pytest.mark.parametrize(("op", "shape", "result"), SHAPES)
def test_shape_ops_pick_numpys_elements(
    op: str, shape: tuple[int, ...], result: tuple[int, ...] | None
) -> None:
    a = random_values("i16", int(np.prod(shape)), 1).reshape(shape)
    meaning = next((f for key, f in MEANINGS.items() if key in op), None)
    if meaning:
        expected = np.ascontiguousarray(meaning(a))
    elif "broadcast" in op:
        expected = np.broadcast_to(a, result or ()).copy()
    else:
        expected = a.reshape(result or ())
    found = of_vector("i16", f"%r = {op}", a, np.zeros(expected.shape, np.int16))
    assert (found == expected).all()


def test_deinterleave_splits_even_and_odd_elements() -> None:
    a = np.arange(16, dtype=np.int32).reshape(2, 8)
    body = """%e, %o = vector.deinterleave %a : vector<2x8xi32> -> vector<2x4xi32>
    %r = arith.subi %o, %e : vector<2x4xi32>"""
    found = of_vector("i32", body, a, np.zeros((2, 4), np.int32))
    assert (found == a[:, 1::2] - a[:, ::2]).all()


def test_insertions_replace_elements_and_slices() -> None:
    a = np.arange(12, dtype=np.int32).reshape(3, 4)
    body = """%row = vector.extract %a[0] : vector<4xi32> from vector<3x4xi32>
    %b = vector.insert %row, %a[2] : vector<4xi32> into vector<3x4xi32>
    %z = vector.extract %b[1, %k2] : i32 from vector<3x4xi32>
    %c = vector.insert %z, %b[0, 3] : i32 into vector<3x4xi32>
    %d = vector.insert %z, %c[%k2, 1] : i32 into vector<3x4xi32>
    %s = vector.extract_strided_slice %a {offsets = [1, 0], sizes = [2, 2], strides = [1, 1]}
      : vector<3x4xi32> to vector<2x2xi32>
    %r = vector.insert_strided_slice %s, %d {offsets = [0, 1], strides = [1, 1]}
      : vector<2x2xi32> into vector<3x4xi32>"""
    body = "%c2 = arith.constant 2 : index\n%k2 = arith.subi %k, %c2 : index\n" + body
    found = of_vector("i32", body, a, np.zeros((3, 4), np.int32))
    expected = a.copy()
    expected[2] = a[0]
    x = expected[1, 2]
    expected[0, 3] = x
    expected[2, 1] = x
    expected[0:2, 1:3] = a[1:3, 0:2]
    assert (found == expected).all()


def test_elements_go_in_and_out_of_vectors() -> None:
    a = np.array([3, 1, 4, 1], np.int64)
    body = """%p:4 = vector.to_elements %a : vector<4xi64>
    %b = vector.from_elements %p#3, %p#0, %p#0, %p#2 : vector<4xi64>
    %s = vector.step : vector<4xindex>
    %t = arith.index_cast %s : vector<4xindex> to vector<4xi64>
    %k64 = arith.index_cast %k : index to i64
    %v = vector.broadcast %k64 : i64 to vector<4xi64>
    %m = arith.muli %t, %v : vector<4xi64>
    %r = arith.addi %b, %m : vector<4xi64>"""
    found = of_vector("i64", body, a, np.zeros(4, np.int64))
    assert found.tolist() == [1, 3 + 4, 3 + 8, 4 + 12]


def test_masks_are_true_below_their_limits() -> None:
    a = np.zeros((3, 8), np.int8)
    body = """%c2 = arith.constant 2 : index
    %m = vector.create_mask %c2, %k : vector<3x8xi1>
    %c = vector.constant_mask [3, 1] : vector<3x8xi1>
    %o = arith.xori %m, %c : vector<3x8xi1>
    %r = arith.extui %o : vector<3x8xi1> to vector<3x8xi8>"""
    found = of_vector("i8", body, a, np.zeros((3, 8), np.int8))
    row, column = np.indices((3, 8))
    assert (found == (((row < 2) & (column < 4)) ^ (column < 1))).all()


def test_poison_is_an_operand_that_is_not_used() -> None:
    """Canonicalization puts it into a shuffle of one vector."""
    a = np.array([3, 1, 4, 1], np.int32)
    body = """%p = ub.poison : vector<4xi32>
    %r = vector.shuffle %a, %p [3, 2, 1, 0] : vector<4xi32>, vector<4xi32>"""
    found = of_vector("i32", body, a, np.zeros(4, np.int32))
    assert found.tolist() == [1, 4, 1, 3]


@pytest.mark.parametrize(("count", "source", "target"), [(2, "i32", "i8"), (8, "bf16", "f32")])
def test_bitcasts_keep_the_bits(count: int, source: str, target: str) -> None:
    a = random_values(source, count, 3)
    sizes = [DTYPES[name].itemsize for name in (source, target)]
    result = np.zeros(count * sizes[0] // sizes[1], DTYPES[target])
    body = f"%r = vector.bitcast %a : vector<{count}x{source}> to vector<{len(result)}x{target}>"
    assert of_vector(source, body, a, result, target).tobytes() == a.tobytes()


INTEGER_KINDS = {
    "add": np.add,
    "mul": np.multiply,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "minsi": np.minimum,
    "maxsi": np.maximum,
    "minui": np.minimum,
    "maxui": np.maximum,
}
FLOAT_KINDS = {
    "add": np.add,
    "mul": np.multiply,
    "minimumf": np.minimum,
    "maximumf": np.maximum,
    "minnumf": np.fmin,
    "maxnumf": np.fmax,
}


@pytest.mark.parametrize("start", [False, True])
@pytest.mark.parametrize("dtype", ["i8", "i32", "i64", "f32", "f64", "bf16"])
def test_reductions_go_from_the_first_lane_to_the_last(dtype: str, start: bool) -> None:
    is_float = dtype in {"f32", "f64", "bf16"}
    kinds = FLOAT_KINDS if is_float else INTEGER_KINDS
    for seed in range(5):
        a = random_values(dtype, 16, 40 + seed)
        if seed and is_float:  # Without the extremes that hide what the order does.
            a = np.random.default_rng(seed).standard_normal(16).astype(DTYPES[dtype])
        more = f", %first : vector<16x{dtype}>" if start else f" : vector<16x{dtype}>"
        lines = [f"%first = vector.extract %a[5] : {dtype} from vector<16x{dtype}>"]
        lines += [
            f"%p{k} = vector.reduction <{kind}>, %a{more} into {dtype}"
            for k, kind in enumerate(kinds)
        ]
        names = ", ".join(f"%p{k}" for k in range(len(kinds)))
        lines.append(f"%r = vector.from_elements {names} : vector<{len(kinds)}x{dtype}>")
        found = of_vector(dtype, "\n".join(lines), a, np.zeros(len(kinds), DTYPES[dtype]))
        expected = [in_order(a, kind, kinds[kind], start) for kind in kinds]
        equal_zeros = [x if x == y == 0 else y for x, y in zip(found, expected, strict=True)]
        assert_same(found, np.array(equal_zeros, found.dtype))


def in_order(a: Array, kind: str, function: np.ufunc, start: bool) -> Any:
    """Fold from the left, rounding each time."""
    unsigned = kind.endswith("ui")
    items = a.view(f"u{a.dtype.name}") if unsigned else a
    total = items[5] if start else None
    for item in items:
        total = item if total is None else function(total, item)
    return np.array(total).view(a.dtype)[()]


@pytest.mark.parametrize("dims", [(0,), (1,), (2,), (0, 2), (1, 2)])
@pytest.mark.parametrize("dtype", ["i32", "f32", "bf16"])
def test_reductions_along_dimensions_go_from_the_first_to_the_last(
    dtype: str, dims: tuple[int, ...]
) -> None:
    a = random_values(dtype, 24, 7).reshape(2, 3, 4)
    kept = [k for k in range(3) if k not in dims]
    shape = [a.shape[k] for k in kept]
    kind = "maxsi" if dtype == "i32" else "add"
    result = f"vector<{'x'.join(map(str, shape))}x{dtype}>"
    first = "dense<-7> : " if dtype == "i32" else "dense<1.5> : "
    body = f"""%first = arith.constant {first}{result}
    %r = vector.multi_reduction <{kind}>, %a, %first {list(dims)}
      : vector<2x3x4x{dtype}> to {result}"""
    found = of_vector(dtype, body, a, np.zeros(shape, DTYPES[dtype]))
    expected = np.full(shape, -7 if dtype == "i32" else 1.5, DTYPES[dtype])
    for item in a.transpose([*dims, *kept]).reshape(-1, *shape):
        expected = np.maximum(expected, item) if dtype == "i32" else expected + item
    assert_same(found, expected)


def test_a_reduction_along_all_dimensions_is_a_scalar() -> None:
    a = np.arange(6, dtype=np.int32).reshape(2, 3)
    body = """%first = arith.constant 100 : i32
    %s = vector.multi_reduction <add>, %a, %first [0, 1] : vector<2x3xi32> to i32
    %r = vector.broadcast %s : i32 to vector<1xi32>"""
    assert of_vector("i32", body, a, np.zeros(1, np.int32)).tolist() == [115]


@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16"])
def test_a_sum_of_negative_zeros_is_negative_zero(dtype: str) -> None:
    a = np.full(8, -0.0).astype(DTYPES[dtype])
    body = f"""%s = vector.reduction <add>, %a : vector<8x{dtype}> into {dtype}
    %r = vector.broadcast %s : {dtype} to vector<1x{dtype}>"""
    assert np.signbit(of_vector(dtype, body, a, np.zeros(1, DTYPES[dtype]))).all()


def test_reassociated_reductions_are_close() -> None:
    a = np.random.default_rng(1).standard_normal(64).astype(np.float32)
    body = """%s = vector.reduction <add>, %a fastmath<reassoc> : vector<64xf32> into f32
    %r = vector.broadcast %s : f32 to vector<1xf32>"""
    (found,) = of_vector("f32", body, a, np.zeros(1, np.float32))
    assert abs(float(found) - a.astype(np.float64).sum()) < 1e-5
    words = a.view(np.int32)
    body = """%s = vector.reduction <add>, %a fastmath<fast> : vector<64xi32> into i32
    %r = vector.broadcast %s : i32 to vector<1xi32>"""
    (total,) = of_vector("i32", body, words, np.zeros(1, np.int32))
    assert total == words.sum(dtype=np.int32)
