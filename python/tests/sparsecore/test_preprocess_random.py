"""Random batches: bit-identical to the C++ preprocessor."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import LimitExceeded
from sdykit.sparsecore.specs import Combiner, FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack
from support.amounts import examples
from support.sparsecore.preprocess_cases import DROPPING, UNCHECKED, Case, make_case
from support.sparsecore.preprocess_oracle import assert_same, run_oracle

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(120))
COMBINERS: list[Combiner] = ["sum", "mean", "sqrtn"]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    system = System(draw(st.sampled_from([1, 2, 4, 8])), draw(st.sampled_from([1, 2, 4])))
    tables = draw(st.integers(1, 4))
    return make_case(
        np.random.default_rng(draw(st.integers(0, 2**32))),
        system,
        tables=tables,
        features=tables + draw(st.integers(0, 2)),
        combiners=draw(st.lists(st.sampled_from(COMBINERS), min_size=1, max_size=3)),
        weighted=draw(st.booleans()),
        stacking=draw(st.booleans()),
    )


LIMITS = st.integers(1, 12)


@SAME_EVERY_TIME
@given(cases())
def test_buffers_equal_those_of_the_library(case: Case):
    ours = case.run("jax_tpu_embedding")
    expected = run_oracle(case.features, case.stacks, case.system, case.weights)
    assert_same(ours, expected, case.stacks, case.system)


@SAME_EVERY_TIME
@given(cases(), LIMITS, LIMITS, st.booleans())
def test_buffers_with_dropped_ids_equal_those_of_the_library(
    case: Case, ids: int, unique_ids: int, minibatches: bool
):
    case = case.limited(ids, unique_ids)
    ours = case.run("jax_tpu_embedding", "vocabulary" if minibatches else "off", config=DROPPING)
    expected = run_oracle(
        case.features,
        case.stacks,
        case.system,
        case.weights,
        allow_id_dropping=True,
        enable_minibatching=minibatches,
    )
    assert_same(ours, expected, case.stacks, case.system)


@SAME_EVERY_TIME
@given(cases(), st.integers(8, 40), st.integers(8, 40))
def test_minibatches_equal_those_of_the_library(case: Case, ids: int, unique_ids: int):
    case = case.limited(ids, unique_ids)
    try:
        ours = case.run("jax_tpu_embedding", "vocabulary")
    except LimitExceeded:
        return  # The library would abort the process.
    expected = run_oracle(
        case.features, case.stacks, case.system, case.weights, enable_minibatching=True
    )
    assert_same(ours, expected, case.stacks, case.system)


@pytest.mark.parametrize("minibatches", [False, True])
def test_buffers_of_a_given_size_equal_those_of_the_library(minibatches: bool):
    system = System(2, 4)
    case = make_case(
        np.random.default_rng(1),
        system,
        tables=2,
        features=3,
        combiners=["mean"],
        weighted=True,
        stacking=True,
    ).limited(4096, 4096, 7001)
    ours = case.run("jax_tpu_embedding", "vocabulary" if minibatches else "off")
    expected = run_oracle(
        case.features,
        case.stacks,
        system,
        case.weights,
        enable_minibatching=minibatches,
    )
    assert_same(ours, expected, case.stacks, system)


def test_unchecked_ids_beyond_the_vocabulary_are_packed():
    # Column 1000 is row 500 of partition 0, after the last row.
    system = System(1, 2)
    stacks = stack([FeatureSpec("f", TableSpec("t", 64, 8), 4)], system)
    ids = np.array([[1000], [2**31 - 1], [7], [3]], np.int32)
    case = Case(system, stacks, {"f": ids}, None)
    ours = case.run("jax_tpu_embedding", config=UNCHECKED)
    assert_same(ours, run_oracle({"f": ids}, stacks, system), stacks, system)
    with pytest.raises(ValueError, match="sample 0: id is 1000"):
        case.run("jax_tpu_embedding")


def test_a_mean_over_a_sum_of_zero_is_infinite_or_nan():
    system = System(1, 1)
    stacks = stack([FeatureSpec("f", TableSpec("t", 64, 8, combiner="mean"), 2)], system)
    ids = np.array([[1, 2], [3, 4]], np.int32)
    weights = np.array([[1, -1], [0, 0]], np.float32)
    case = Case(system, stacks, {"f": ids}, {"f": weights})
    ours = case.run("jax_tpu_embedding")
    assert_same(ours, run_oracle({"f": ids}, stacks, system, {"f": weights}), stacks, system)
    gains = ours.buffers["t"].gains[0, :4]
    assert gains[:2].tolist() == [np.inf, -np.inf]
    assert np.isnan(gains[2:]).all()


ABORTS = """
import sys
sys.path.insert(0, sys.argv[1])
from sparsecore.test_preprocess_random import too_much
case = too_much()
from support.amounts import examples
from support.sparsecore.preprocess_oracle import run_oracle
print("started", flush=True)
run_oracle(case.features, case.stacks, case.system)
"""


def too_much() -> Case:
    system = System(1, 2)
    table = TableSpec("t", 64, 8, max_ids_per_partition=3)
    features = {"f": np.arange(16, dtype=np.int32).reshape(4, 4)}
    return Case(system, stack([FeatureSpec("f", table, 4)], system), features, None)


def test_a_batch_that_aborts_the_library_is_an_error():
    tests = str(Path(__file__).parents[1])
    child = subprocess.run(
        [sys.executable, "-c", ABORTS, tests], capture_output=True, text=True, check=False
    )
    assert child.stdout == "started\n"
    assert child.returncode == -6, child.stderr
    with pytest.raises(LimitExceeded) as caught:
        too_much().run("jax_tpu_embedding", config=SparsecoreConfig())
    assert str(caught.value) == (
        "table 't': SparseCore 0 sends 4 ids to partition 0; "
        "compiled for 3 (max_ids_per_partition): raise it, or set allow_id_dropping"
    )
