"""Loads and stores by mask, gathers and scatters: compiled, by the reference, and by numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from sdykit.sparsecore.mosaic.kernel import read_kernel
from sdykit.sparsecore.mosaic.reference.run import run
from sdykit.sparsecore.mosaic.reports import KernelError
from support.codegen.tile_programs import DTYPES, Array, assert_same, random_values
from support.mosaic.free_kernels import DMA, memref_type, module, run_compiled, spec

ELEMENTS = ["f32", "i32"]
"""What the dialect lets loads and stores by mask or index take."""
LANES = [8, 16]
MASKS = ["none", "all", "some", "absent"]


def kernel(types: dict[str, str], shapes: dict[str, tuple[int, ...]], body: str) -> str:
    """Return a kernel that copies its operands to VMEM, runs a body, and copies the last one back.

    In `body`, %v_x is the copy of the operand %x in VMEM.
    """
    hbm = {name: memref_type(shapes[name], element) for name, element in types.items()}
    local = {name: memref_type(shapes[name], element, "vmem") for name, element in types.items()}
    pairs = [(f"%{name} : {hbm[name]}", f"%v_{name} : {local[name]}") for name in types]
    last = list(types)[-1]
    pairs.append((pairs[-1][1], f"%result : {hbm[last]}"))
    *copies, back = [
        f"tpu.enqueue_dma source({source}) target({target}) target_semaphore(%sem : {DMA})\n"
        f"tpu.wait_dma2 semaphore(%sem : {DMA}) src({source}) dst({target})"
        for source, target in pairs
    ]
    lines = [f"%sem = tpu.sem_alloc : {DMA}", *copies, body, back]
    arguments = [f"%{name}: {hbm[name]}" for name in types] + [f"%result: {hbm[last]}"]
    scratch = [f"%v_{name}: {local[name]}" for name in types]
    return module("\n".join(lines), ", ".join([*arguments, *scratch]), scratch=len(types))


def check(text: str, arrays: dict[str, Array], expected: Array) -> None:
    """Run a kernel in both engines; the expected result is the last operand, changed."""
    for engine in (run_compiled, run_by_reference):
        operands = [each.copy() for each in arrays.values()]
        result = np.zeros_like(operands[-1])
        engine(text, operands, [result])
        assert_same(result.ravel(), expected.ravel(), f"{engine.__name__}: {text}")


def run_by_reference(text: str, operands: Sequence[Array], results: Sequence[Array]) -> None:
    of = replace(spec(text, len(operands)), mode="reference")
    run(read_kernel(text, "kernel"), [*operands, *results], of)


def failure(text: str, arrays: dict[str, Array]) -> list[str]:
    """Return the error of each engine."""
    operands, texts = list(arrays.values()), []
    for engine in (run_compiled, run_by_reference):
        with pytest.raises(KernelError) as caught:
            engine(text, operands, [np.zeros_like(operands[-1])])
        texts.append(str(caught.value))
    return texts


def mask_of(which: str, lanes: int, seed: int = 1) -> Array:
    if which == "some":
        return (np.random.default_rng(seed).random(lanes) < 0.5).astype(np.int32)
    return np.full(lanes, which != "none", np.int32)


def start(lanes: int) -> str:
    """Return ops that define the mask %k, and constants."""
    masked = f"memref<{lanes}xi32, #tpu.memory_space<vmem>>"
    return f"""%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%zeros = arith.constant dense<0> : vector<{lanes}xi32>
%m0 = tpu.vector_load %v_m[%c0] {{strides = array<i32>}} : {masked}, vector<{lanes}xi32>,
%k = arith.cmpi ne, %m0, %zeros : vector<{lanes}xi32>"""


def masked(which: str, lanes: int) -> tuple[str, str]:
    """Return how a load or store names its mask: after its operands, and its type."""
    return ("", "") if which == "absent" else (" masked %k", f", vector<{lanes}xi1>")


def vmem(shape: tuple[int, ...], element: str) -> str:
    return memref_type(shape, element, "vmem")


@pytest.mark.parametrize("which", MASKS[:-1])
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("element", ELEMENTS)
def test_loads_by_mask_expand(element: str, lanes: int, which: str) -> None:
    vector, shape = f"vector<{lanes}x{element}>", (3, lanes + 2)
    zero = "0.0" if element == "f32" else "0"
    body = f"""{start(lanes)}
%z = arith.constant dense<{zero}> : {vector}
%l = tpu.vector_load %v_x[%c1, %c2] masked %k {{strides = array<i32>}} : {vmem(shape, element)}, {vector}, vector<{lanes}xi1>
%s = arith.select %k, %l, %z : vector<{lanes}xi1>, {vector}
tpu.vector_store %v_o[%c0], %s {{strides = array<i32>}} : {vmem((lanes,), element)}, {vector},"""
    types, shapes = (
        {"x": element, "m": "i32", "o": element},
        {"x": shape, "m": (lanes,), "o": (lanes,)},
    )
    x, mask = random_values(element, 3 * (lanes + 2), 1).reshape(shape), mask_of(which, lanes)
    expected = np.zeros(lanes, DTYPES[element])
    expected[mask == 1] = x[1, 2 : 2 + mask.sum()]
    check(kernel(types, shapes, body), {"x": x, "m": mask, "o": np.zeros_like(expected)}, expected)


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("which", MASKS[:-1])
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("element", ELEMENTS)
def test_stores_by_mask_compress(element: str, lanes: int, which: str, add: bool) -> None:
    vector, shape = f"vector<{lanes}x{element}>", (3, lanes + 2)
    body = f"""{start(lanes)}
%v = tpu.vector_load %v_x[%c0] {{strides = array<i32>}} : {vmem((lanes,), element)}, {vector},
tpu.vector_store %v_o[%c1, %c2], %v masked %k {{add = {str(add).lower()}, strides = array<i32>}} : {vmem(shape, element)}, {vector}, vector<{lanes}xi1>"""
    types, shapes = (
        {"x": element, "m": "i32", "o": element},
        {"x": (lanes,), "m": (lanes,), "o": shape},
    )
    x, mask = random_values(element, lanes, 2), mask_of(which, lanes)
    before = random_values(element, 3 * (lanes + 2), 3).reshape(shape)
    expected, chosen = before.copy(), x[mask == 1]
    with np.errstate(all="ignore"):
        row = expected[1, 2 : 2 + len(chosen)]
        row[...] = row + chosen if add else chosen
    check(kernel(types, shapes, body), {"x": x, "m": mask, "o": before}, expected)


def indices(lanes: int) -> str:
    """Return ops that load the index vectors %rows and %columns."""
    type_ = vmem((2 * lanes,), "i32")
    return f"""%cl = arith.constant {lanes} : index
%rows = tpu.vector_load %v_i[%c0] {{strides = array<i32>}} : {type_}, vector<{lanes}xi32>,
%columns = tpu.vector_load %v_i[%cl] {{strides = array<i32>}} : {type_}, vector<{lanes}xi32>,"""


def places(lanes: int, which: str) -> tuple[Array, Array, Array]:
    """Return row and column indices, some of them equal, and the mask; those not in it are wrong."""
    rng = np.random.default_rng(4)
    rows, columns = rng.integers(0, 3, lanes), rng.integers(0, 5, lanes)
    mask = mask_of(which, lanes)
    rows[mask == 0], columns[mask == 0] = -7, 1 << 20
    return rows.astype(np.int32), columns.astype(np.int32), mask


@pytest.mark.parametrize("which", MASKS)
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("element", ELEMENTS)
def test_gathers_take_an_element_for_each_lane(element: str, lanes: int, which: str) -> None:
    vector, keyword, type_ = f"vector<{lanes}x{element}>", *masked(which, lanes)
    zero = "0.0" if element == "f32" else "0"
    body = f"""{start(lanes)}
{indices(lanes)}
%z = arith.constant dense<{zero}> : {vector}
%l = tpu.vector_load_idx %v_x[%rows, %columns]{keyword} : {vmem((3, 5), element)}[vector<{lanes}xi32>, vector<{lanes}xi32>], {vector}, {type_[2:]}
%s = arith.select %k, %l, %z : vector<{lanes}xi1>, {vector}
tpu.vector_store %v_o[%c0], %s {{strides = array<i32>}} : {vmem((lanes,), element)}, {vector},"""
    types = {"x": element, "i": "i32", "m": "i32", "o": element}
    shapes = {"x": (3, 5), "i": (2 * lanes,), "m": (lanes,), "o": (lanes,)}
    rows, columns, mask = places(lanes, which)
    x = random_values(element, 15, 5).reshape(3, 5)
    expected, chosen = np.zeros(lanes, DTYPES[element]), mask == 1
    expected[chosen] = x[rows[chosen], columns[chosen]]
    arrays = {"x": x, "i": np.concatenate([rows, columns]), "m": mask, "o": np.zeros_like(expected)}
    check(kernel(types, shapes, body), arrays, expected)


def scattering(element: str, lanes: int, which: str, add: bool) -> str:
    vector, keyword, type_ = f"vector<{lanes}x{element}>", *masked(which, lanes)
    body = f"""{start(lanes)}
{indices(lanes)}
%v = tpu.vector_load %v_x[%c0] {{strides = array<i32>}} : {vmem((lanes,), element)}, {vector},
tpu.vector_store_idx %v_o[%rows, %columns], %v{keyword} {{add = {str(add).lower()}}} : {vmem((3, 5), element)}[vector<{lanes}xi32>, vector<{lanes}xi32>], {vector}, {type_[2:]}"""
    types = {"x": element, "i": "i32", "m": "i32", "o": element}
    shapes = {"x": (lanes,), "i": (2 * lanes,), "m": (lanes,), "o": (3, 5)}
    return kernel(types, shapes, body)


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("which", MASKS)
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("element", ELEMENTS)
def test_of_equal_places_the_last_lane_stays_or_all_are_added(
    element: str, lanes: int, which: str, add: bool
) -> None:
    rows, columns, mask = places(lanes, which)
    x, before = random_values(element, lanes, 6), random_values(element, 15, 7).reshape(3, 5)
    expected = before.copy()
    for lane in np.flatnonzero(mask):
        at = rows[lane], columns[lane]
        with np.errstate(all="ignore"):
            expected[at] = expected[at] + x[lane] if add else x[lane]
    arrays = {"x": x, "i": np.concatenate([rows, columns]), "m": mask, "o": before}
    check(scattering(element, lanes, which, add), arrays, expected)


@pytest.mark.parametrize("which", ["some", "absent"])
@pytest.mark.parametrize("wrong", [5, -1, -(2**31), 2**31 - 1])
def test_an_index_out_of_bounds_is_the_same_error_in_both_engines(which: str, wrong: int) -> None:
    rows, columns, mask = places(8, which)
    lane = int(np.flatnonzero(mask)[-1])
    columns[lane] = wrong
    x, out = np.arange(8, dtype=np.float32), np.zeros((3, 5), np.float32)
    arrays = {"x": x, "i": np.concatenate([rows, columns]), "m": mask, "o": out}
    compiled, by_reference = failure(scattering("f32", 8, which, False), arrays)
    line = compiled.partition("k.py:")[2].partition(":")[0]
    assert (
        compiled
        == by_reference
        == (
            f"kernel 'kernel': vector subcore (0, 0): scatter out of bounds at k.py:{line}: "
            f"index {wrong} of dimension 1 in lane {lane} is not in [0, 5)"
        )
    )


def test_a_load_by_mask_reads_no_more_than_the_lanes_of_the_mask() -> None:
    body = f"""{start(8)}
%c3 = arith.constant 3 : index
%l = tpu.vector_load %v_x[%c3] masked %k {{strides = array<i32>}} : {vmem((8,), "i32")}, vector<8xi32>, vector<8xi1>
tpu.vector_store %v_o[%c3], %l masked %k {{strides = array<i32>}} : {vmem((8,), "i32")}, vector<8xi32>, vector<8xi1>"""
    text = kernel({"x": "i32", "m": "i32", "o": "i32"}, {"x": (8,), "m": (8,), "o": (8,)}, body)
    x, mask = np.arange(8, dtype=np.int32), np.array([1, 1, 0, 1, 0, 1, 0, 1], np.int32)
    expected = np.array([0, 0, 0, 3, 4, 5, 6, 7], np.int32)
    check(text, {"x": x, "m": mask, "o": np.zeros_like(expected)}, expected)
    mask[2] = 1
    compiled, by_reference = failure(text, {"x": x, "m": mask, "o": np.zeros_like(expected)})
    assert compiled == by_reference
    assert ": load out of bounds at k.py:" in compiled
    assert compiled.endswith(" 3 to 9 of 8")


def test_a_failed_check_of_the_user_ends_both_engines() -> None:
    body = """%c0 = arith.constant 0 : index
%v = tpu.vector_load %v_x[%c0] {strides = array<i32>} : memref<8xi32, #tpu.memory_space<vmem>>, vector<8xi32>,
%first = vector.extract %v[0] : i32 from vector<8xi32>
%zero = arith.constant 0 : i32
%ok = arith.cmpi sgt, %first, %zero : i32
cf.assert %ok, "first is not positive: \\22é\\22" """
    text = kernel({"x": "i32", "o": "i32"}, {"x": (8,), "o": (8,)}, body)
    ones, zeros = np.ones(8, np.int32), np.zeros(8, np.int32)
    check(text, {"x": ones, "o": zeros}, zeros)
    compiled, by_reference = failure(text, {"x": zeros, "o": zeros})
    assert compiled == by_reference
    assert "check failed at k.py:" in compiled
    assert compiled.endswith(': first is not positive: "é"')
