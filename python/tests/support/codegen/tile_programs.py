"""Small tile programs that apply ops to arrays, and what their results are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.codegen import compile_module, run

Array = npt.NDArray[Any]

DTYPES: dict[str, np.dtype] = {
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f16": np.dtype(np.float16),
    "f8E4M3B11FNUZ": np.dtype(ml_dtypes.float8_e4m3b11fnuz),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "i1": np.dtype(np.bool_),
    "i2": np.dtype(ml_dtypes.int2),
    "i4": np.dtype(ml_dtypes.int4),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "index": np.dtype(np.int64),
}
_BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_SPECIAL = [0.0, -0.0, 1.0, -1.0, 1.5, -2.5, 1e-45, -1e-39, 1e-38, 3e38, -3e38, 65504.0]
"""Zeros, subnormals of float32, what overflows when doubled."""


def random_values(dtype: str, count: int, seed: int) -> Array:
    """Random values of all magnitudes, and the special ones in any order."""
    rng = np.random.default_rng(seed)
    numpy_type = DTYPES[dtype]
    if dtype == "i1":
        return rng.integers(0, 2, count).astype(bool)
    if dtype in {"i2", "i4"}:
        limit = 1 << (int(dtype[1]) - 1)
        # With the sign in all bits of the byte, as programs store them; ml_dtypes reads both.
        return rng.integers(-limit, limit, count, dtype=np.int8).view(numpy_type)
    if dtype[0] in "bf":
        largest = min(np.log10(float(ml_dtypes.finfo(numpy_type).max)), 38)
        exponents = rng.uniform(-largest, largest, count)
        values = rng.standard_normal(count) * 10.0**exponents
        near = rng.standard_normal(count)
        values = np.where(rng.random(count) < 0.5, values, near)
        values[rng.integers(0, count, count // 3)] = rng.choice(
            [*_SPECIAL, np.inf, -np.inf, np.nan], count // 3
        )
        with np.errstate(over="ignore"):
            return values.astype(numpy_type)
    words = rng.integers(0, 256, count * numpy_type.itemsize, dtype=np.uint8).view(numpy_type)
    small = rng.integers(-5, 6, count)
    limits = np.iinfo(numpy_type)
    edges = rng.choice([limits.min, limits.max, -1, 0, 1], count)
    which = rng.integers(0, 3, count)
    return np.choose(which, [words, small.astype(numpy_type), edges.astype(numpy_type)])


def apply(
    ops: Sequence[str], inputs: Sequence[tuple[str, Array]], result: str, lanes: int
) -> list[Array]:
    """Apply each op to the inputs, element by element.

    Args:
        ops: such as `arith.addi {0}, {1} : {t}`: {0}, {1} are the inputs, {t} is the type of the
            first of them, {u} of the second, {r} of the result.
        inputs: types and arrays of one length, a multiple of `lanes`.
        result: type of the results.
        lanes: 0: scalars; otherwise vectors of this width.
    """
    count = len(inputs[0][1])
    out = np.zeros((len(ops), count), DTYPES[result])
    text = program(ops, [dtype for dtype, _ in inputs], result, lanes)
    run(compile_module(text, cache=None), [*(array for _, array in inputs), out])
    return list(out)


def program(ops: Sequence[str], inputs: Sequence[str], result: str, lanes: int) -> str:
    """Write the program that `apply` runs."""

    def value(dtype: str) -> str:
        return f"vector<{lanes}x{dtype}>" if lanes else dtype

    def memory(name: str, indices: str, type_: str, vector: str) -> str:
        return f"%{name}[{indices}] : {type_}" + (f", {vector}" if lanes else "")

    dialect = "vector" if lanes else "memref"
    out = f"memref<{len(ops)}x?x{result}>"
    parameters = [f"%x{k}: memref<?x{dtype}>" for k, dtype in enumerate(inputs)]
    lines = [
        f"func.func @ops({', '.join(parameters)}, %out: {out}) attributes {{sparsecore.entry}} {{",
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        f"%step = arith.constant {max(lanes, 1)} : index",
        f"%n = memref.dim %out, %c1 : {out}",
        "scf.parallel (%i) = (%c0) to (%n) step (%step) {",
    ]
    for k, dtype in enumerate(inputs):
        source = memory(f"x{k}", "%i", f"memref<?x{dtype}>", value(dtype))
        lines.append(f"%a{k} = {dialect}.load {source}")
    names = [f"%a{k}" for k in range(len(inputs))]
    types = {"t": value(inputs[0]), "u": value(inputs[-1]), "r": value(result)}
    for k, op in enumerate(ops):
        target = memory("out", f"%k{k}, %i", out, value(result))
        lines += [
            f"%r{k} = {op.format(*names, **types)}",
            f"%k{k} = arith.constant {k} : index",
            f"{dialect}.store %r{k}, {target}",
        ]
    return "\n".join([*lines, "}", "return", "}"])


def assert_same(found: Array, expected: Array, what: str = "") -> None:
    """Check that arrays agree bit for bit; one NaN is as good as another."""
    assert found.dtype == expected.dtype, what
    bits = _BITS[found.dtype.itemsize]
    with np.errstate(invalid="ignore"):
        nan = (found != found) & (expected != expected)  # noqa: PLR0124
    wrong = np.flatnonzero((found.view(bits) != expected.view(bits)) & ~nan)
    places = [(int(k), found[k], expected[k]) for k in wrong[:5]]
    assert not len(wrong), f"{what}: {len(wrong)} differ; (place, found, expected): {places}"


def ulps(found: Array, expected: npt.NDArray[np.float64]) -> float:
    """The largest distance to the exact results, in units of the last place of the result."""
    numpy_type = found.dtype
    info = ml_dtypes.finfo(numpy_type)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = expected.astype(numpy_type).astype(np.float64)
        special = ~np.isfinite(rounded)
        same = (rounded == found.astype(np.float64)) | (np.isnan(rounded) & np.isnan(found))
        assert same[special].all()
        _, exponent = np.frexp(expected)
        unit = np.ldexp(1.0, np.maximum(exponent - 1, info.minexp) - info.nmant)
        distance = np.abs(found.astype(np.float64) - expected) / unit
    return float(distance[~special].max(initial=0))
