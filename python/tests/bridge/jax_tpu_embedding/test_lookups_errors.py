"""Errors of calls of the library's lookup."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest
from jax.extend.core import Primitive

import sdykit.sparsecore as sc
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.jax_tpu_embedding.devices import axes_of_tables
from sdykit.bridge.jax_tpu_embedding.primitives import lookups
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.specs import System
from support.jax_tpu_embedding import lookup_cases as cases
from support.jax_tpu_embedding.gradient_cases import make_case

WHERE = "sparse_dense_matmul_csr: "
RUN_ERRORS = (jax.errors.JaxRuntimeError, ValueError)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    sc.configure()


@pytest.fixture(scope="module")
def case() -> Any:
    return make_case(0, System(1, 4))


def run(case: Any, *operands: Any, **changed: Any) -> Any:
    primitive = cases.lowered("csr").tpu_sparse_dense_matmul_csr_primitive
    given = {**cases.options(case), **changed}
    return jax.jit(functools.partial(primitive.bind, **given))(*operands)


def changed(case: Any, number: int, operand: Any) -> list[Any]:
    operands = [*case.buffers, case.table[0]]
    operands[number] = operand
    return operands


def error(case: Any, *operands: Any, **changed: Any) -> str:
    with pytest.raises(BridgeError) as found:
        run(case, *operands, **changed)
    return str(found.value).removeprefix(WHERE)


def run_error(case: Any, *operands: Any, **changed: Any) -> str:
    with pytest.raises(RUN_ERRORS) as found:
        jax.block_until_ready(run(case, *operands, **changed))
    return str(found.value)


def test_shapes_that_do_not_fit_are_errors(case: Any) -> None:
    pointers = case.buffers[0]
    place = "as the call has 1 devices (it is not in a jax.shard_map) with 4 SparseCores each"
    assert error(case, *changed(case, 0, pointers[:24])) == (
        f"lhs_row_pointers is int32[24]; expected int32[32], {place}"
    )
    # Buffers with minibatches for a lookup without them, and the reverse.
    assert error(case, *changed(case, 0, np.tile(pointers, 64))) == (
        "lhs_row_pointers is int32[2048], made by preprocessing with enable_minibatching=True, and "
        "enable_minibatching is False here; expected the same in preprocessing, lookup and update"
    )
    assert error(case, *changed(case, 0, pointers), enable_minibatching=True) == (
        "lhs_row_pointers is int32[32], made by preprocessing with enable_minibatching=False, and "
        "enable_minibatching is True here; expected the same in preprocessing, lookup and update"
    )
    assert error(case, *changed(case, 0, pointers[:24]), enable_minibatching=True) == (
        f"lhs_row_pointers is int32[24]; expected int32[2048] (minibatches), {place}"
    )
    assert error(case, *case.buffers, case.table[0, :158]) == (
        "embedding_table is float32[158,8]; expected a multiple of 4 rows, as a device has 4 "
        "SparseCores"
    )
    assert error(case, *case.buffers, case.table[0], device_batch_size=18) == (
        "a device has 18 samples; expected a multiple of 4, its SparseCores"
    )
    short = [each[:-8] for each in case.buffers[1:4]]
    assert error(case, pointers, *short, case.buffers[4], case.table[0]) == (
        f"lhs_local_embedding_ids is int32[{len(short[0])}]; expected a multiple of 32 elements, "
        "8 for each of 4 SparseCores"
    )


def test_errors_of_the_library_come_first(case: Any) -> None:
    with pytest.raises(ValueError, match="lhs_gains must have type"):
        run(case, *changed(case, 3, case.buffers[1]))
    with pytest.raises(ValueError, match="embedding_table must have dim"):
        run(case, *case.buffers, case.table)


def test_a_quantization_with_too_many_buckets_is_an_error(case: Any) -> None:
    with pytest.raises(SparseCoreError, match=r"^quantization: num_buckets is 33554432; "):
        run(case, *case.buffers, case.table[0], quantization_config=(0.0, 1.0, 2**25))


def test_a_lookup_without_row_pointers_is_an_error() -> None:
    primitive = Primitive("sparse_dense_matmul_local")
    primitive.def_abstract_eval(lambda x: x)
    module: Any = SimpleNamespace(tpu_sparse_dense_matmul_local_primitive=primitive)
    lookups.register_local(module)
    with pytest.raises(BridgeError) as found:
        jax.jit(primitive.bind)(np.ones((2, 2)))
    assert str(found.value) == (
        "sparse_dense_matmul_local: a lookup without row pointers cannot be compiled for CPU "
        "devices, since its buffers are not described in any published version of "
        "jax-tpu-embedding; expected sparse_dense_matmul_csr"
    )


def test_axes_without_a_mesh_are_an_error(case: Any) -> None:
    with axes_of_tables("a"):
        assert error(case, *case.buffers, case.table[0]) == (
            "axis_name names 'a'; the manual axes of the mesh are none: the call is not in a "
            "jax.shard_map"
        )


def test_a_row_outside_of_its_partition_is_an_error(case: Any) -> None:
    ids = case.buffers[1].copy()
    ids[0] = 1000
    assert (
        "sparse_dense_matmul_csr: embedding_table float32[160,8]: embedding_ids: device 0, "
        "SparseCore 0, position 0: row 1000 of partition 0, which has 40 rows: id 4000 of the table"
    ) in run_error(case, *changed(case, 1, ids))


def test_a_sample_outside_of_its_sparse_core_is_an_error(case: Any) -> None:
    # As in a batch of twice the size.
    samples = case.buffers[2].copy()
    samples[0] = 4
    assert (
        "sparse_dense_matmul_csr: embedding_table float32[160,8]: sample_ids: device 0, SparseCore "
        "0, position 0: sample 4 of a SparseCore that has 4; expected batches of the size that the "
        "feature specs say: 16 samples for a device"
    ) in run_error(case, *changed(case, 2, samples))


def test_a_nan_is_an_error_with_the_flag(case: Any) -> None:
    sc.configure(xla_sc_detect_nan=True)
    table = np.full_like(case.table[0], np.nan)
    with pytest.raises(RUN_ERRORS, match="NaN"):
        jax.block_until_ready(run(case, *case.buffers, table))


@pytest.mark.parametrize("number", [-1, 0, 65])
def test_a_number_of_minibatches_without_room_is_an_error(number: int) -> None:
    case = make_case(0, System(1, 4), minibatching=True)
    operands = changed(case, 4, np.int32(number))
    with pytest.raises(RUN_ERRORS) as found:
        jax.block_until_ready(run(case, *operands))
    assert (
        f"sparse_dense_matmul_csr: embedding_table float32[160,8]: num_minibatches: device 0 has "
        f"{number}; expected 1 to 64, the same on all devices"
    ) in str(found.value)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ((1, 1), r"(\d+) ids for partition (\d); the program is compiled for 1 \(max_ids_per_part"),
        ((1000, 1), r"(\d+) unique ids for partition (\d); the program is compiled for 1 \(max_un"),
    ],
)
def test_buffers_that_exceed_the_limits_of_the_call_are_errors(
    case: Any, limits: tuple[int, int], expected: str
) -> None:
    ids, unique = limits
    changed_limits = {"max_ids_per_partition": ids, "max_unique_ids_per_partition": unique}
    text = run_error(case, *case.buffers, case.table[0], **changed_limits)
    assert re.search(
        rf"{WHERE}embedding_table float32.*: device 0, SparseCore 0, .*: {expected}", text
    )
