"""The compatible layout is bit-identical to the C++ preprocessor, over a matrix of cases."""

from __future__ import annotations

import itertools
import zlib

import numpy as np
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.inputs import Ragged
from sdykit.sparsecore.specs import Combiner, System
from support.sparsecore.preprocess_cases import ANY_SAMPLE, DROPPING, Case, make_case
from support.sparsecore.preprocess_oracle import assert_same, run_oracle

SYSTEMS = [System(devices, cores) for devices in (1, 2, 4, 8, 16) for cores in (2, 4)]
SHAPES = {"one feature": (1, 1), "features of one table": (1, 3), "tables in a stack": (3, 4)}
COMBINERS: tuple[Combiner, ...] = ("sum", "mean", "sqrtn")
VALENCIES = (1, 2, 3, 5, 8, 16, 31, 64)
MODES = ("within limits", "dropping", "minibatches", "minibatches and dropping")
LIMITS = {"within limits": (4096, 4096), "minibatches": (14, 12)}
TIGHT = (5, 3)


def matrix_case(system: System, shape: str, combiner: Combiner, mode: str) -> Case:
    """Draw the case of one point of the matrix; its other parameters follow from the point."""
    point = zlib.crc32(f"{system} {shape} {combiner} {mode}".encode())
    tables, features = SHAPES[shape]
    valency = VALENCIES[point % len(VALENCIES)]
    case = make_case(
        np.random.default_rng(point),
        system,
        tables=tables,
        features=features,
        combiners=[combiner],
        weighted=bool(point // 8 % 2),
        stacking=True,
        valencies=[valency],
        # Without dropping, the ids of each bucket must fit.
        vocabularies=(100_000, 3_000_000) if mode == "minibatches" else (7, 1000, 3_000_000),
        rows=3,
    )
    return case.limited(*LIMITS.get(mode, TIGHT))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("combiner", COMBINERS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_buffers_have_the_bits_of_the_library(
    system: System, shape: str, combiner: Combiner, mode: str
):
    case = matrix_case(system, shape, combiner, mode)
    config = DROPPING if "dropping" in mode else ANY_SAMPLE
    ours = case.run(
        "jax_tpu_embedding", "vocabulary" if "minibatches" in mode else "off", config=config
    )
    expected = run_oracle(
        case.features,
        case.stacks,
        system,
        case.weights,
        allow_id_dropping="dropping" in mode,
        enable_minibatching="minibatches" in mode,
    )
    assert_same(ours, expected, case.stacks, system)


@pytest.mark.parametrize("combiner", COMBINERS)
def test_sums_beyond_float32_have_the_bits_of_the_library(combiner: Combiner):
    """Duplicates and divisors of random large weights; some gains are infinite or NaN."""
    system = System(2, 2)
    case = make_case(
        np.random.default_rng(11),
        system,
        tables=2,
        features=4,
        combiners=[combiner],
        weighted=True,
        stacking=True,
        valencies=[16],
        vocabularies=(7,),
    )
    assert case.weights is not None
    for weights in case.weights.values():
        np.multiply(weights, 1e19 if combiner == "sqrtn" else 1e38, out=weights)
    ours = case.run("jax_tpu_embedding")
    with pytest.raises(SparseCoreError, match=r"sum to -?inf; expected a finite"):
        case.run()
    expected = run_oracle(case.features, case.stacks, system, case.weights)
    assert_same(ours, expected, case.stacks, system)


def test_the_matrix_has_every_kind_of_batch():
    seen = set()
    for system, shape, combiner, mode in itertools.product(SYSTEMS, SHAPES, COMBINERS, MODES):
        case = matrix_case(system, shape, combiner, mode)
        done = case.run(
            minibatching="vocabulary" if "minibatches" in mode else "off",
            config=DROPPING,
            layout="jax_tpu_embedding",
        )
        for each in case.features.values():
            seen.add("ragged" if isinstance(each, Ragged) else "dense")
        seen.add("weights" if case.weights else "no weights")
        seen.add((mode, "split" if done.num_minibatches > 1 else "whole"))
        dropped = sum(each.dropped for each in done.statistics.values())
        seen.add((mode, "dropped" if dropped else "kept"))
    assert seen >= {"ragged", "dense", "weights", "no weights"}
    assert seen >= {(mode, "dropped") for mode in MODES if "dropping" in mode}
    assert seen >= {(mode, "split") for mode in MODES if "minibatches" in mode}
    assert ("minibatches", "dropped") not in seen
    assert len(SYSTEMS) * len(SHAPES) * len(COMBINERS) * len(MODES) >= 300
