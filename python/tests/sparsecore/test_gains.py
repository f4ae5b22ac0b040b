"""Weights, and sums of weights, that are not finite: errors, or the gains of the library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.inputs import Ragged
from sdykit.sparsecore.preprocess import Layout
from sdykit.sparsecore.specs import Combiner, FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack
from support.sparsecore.preprocess_cases import Case, Entry, decode

SYSTEM = System(1, 2)
I32 = np.int32
IDS = np.array([[1, 2], [2, 2], [9, 0], [4, 4]], I32)


def make_case(combiner: Combiner, feature: Any, weights: Any) -> Case:
    """Four samples of a table of 10 rows."""
    stacks = stack([FeatureSpec("f", TableSpec("t", 10, 8, combiner=combiner), 4)], SYSTEM)
    return Case(SYSTEM, stacks, {"f": feature}, {"f": weights})


def gains(
    combiner: Combiner, feature: Any, weights: Any, layout: Layout = "sdykit"
) -> dict[Entry, float]:
    done = make_case(combiner, feature, weights).run(layout)
    return dict(zip(*decode(done.buffers["t"], SYSTEM, 1, absolute=False), strict=True))


def bad(combiner: Combiner, feature: Any, weights: Any, layout: Layout = "sdykit") -> str:
    with pytest.raises(SparseCoreError) as caught:
        make_case(combiner, feature, weights).run(layout)
    return str(caught.value)


@pytest.mark.parametrize("layout", ["sdykit", "jax_tpu_embedding"])
@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
@pytest.mark.parametrize(("weight", "shown"), [(np.nan, "nan"), (-np.inf, "-inf"), (1e39, "inf")])
def test_a_weight_that_is_not_finite_is_an_error(
    weight: float, shown: str, combiner: Combiner, layout: Layout
):
    weights = np.ones((4, 2))
    weights[2, 0] = weight
    assert bad(combiner, IDS, weights, layout) == (
        f"feature 'f', sample 2: weight of id 9 is {shown}; expected a finite float32"
    )


@pytest.mark.parametrize(
    ("combiner", "weights", "what"),
    [
        ("mean", [1, -1], "weights sum to 0.0"),
        ("mean", [0, 0], "weights sum to 0.0"),
        ("mean", [3e38, 3e38], "weights sum to inf"),
        ("sqrtn", [0, -0.0], "squares of weights sum to 0.0"),
        ("sqrtn", [1e-30, 0], "squares of weights sum to 0.0"),
        ("sqrtn", [1e30, 0], "squares of weights sum to inf"),
    ],
)
def test_a_sum_of_zero_or_infinity_is_an_error_of_mean_and_sqrtn(
    combiner: Combiner, weights: list[float], what: str
):
    given = np.ones((4, 2), np.float32)
    given[3] = weights
    assert bad(combiner, np.arange(8, dtype=I32).reshape(4, 2), given) == (
        f"feature 'f', sample 3: the {what}; "
        f"expected a finite sum other than 0, as {combiner} divides by it"
    )
    assert gains("sum", np.arange(8, dtype=I32).reshape(4, 2), given)


def test_a_mean_whose_gain_is_infinite_is_an_error():
    weights = np.tile(np.array([1e30, -1e30, 1e-30]), (4, 1))
    ids = np.tile(np.array([1, 2, 3], I32), (4, 1))
    total = np.float32(1e-30)
    assert bad("mean", ids, weights) == (
        f"feature 'f', sample 0: the weights sum to {total}, and a weight divided by it is "
        "beyond float32; expected a sum farther from 0"
    )
    found = gains("mean", ids, weights, "jax_tpu_embedding").values()
    assert sorted(set(found)) == [-np.inf, 1, np.inf]


# Sample 0 is [1]; sample 2 has the id 5 twice or more; sample 3 is empty.
TWICE = Ragged(np.array([1, 8, 5, 6, 5, 6, 7], I32), np.array([0, 1, 2, 7, 7]))


@pytest.mark.parametrize(
    ("combiner", "weights", "whose", "total"),
    [
        ("sum", [1, 3e38, 3e38, 1, 3e38, 1, 1], "weights of id 5, which", "inf"),
        ("sum", [1, 3e38, 1, -3e38, 1, -3e38, 1], "weights of id 6, which", "-inf"),
        # The weights of each sample sum to 1, which makes them the gains.
        ("mean", [1, 1, 3e38, -3e38, 3e38, -3e38, 1], "gains of id 5, which", "inf"),
    ],
)
def test_duplicates_whose_gains_sum_to_infinity_are_an_error(
    combiner: Combiner, weights: list[float], whose: str, total: str
):
    """The compatible layout has infinite gains, as the library (`test_preprocess_oracle.py`)."""
    assert bad(combiner, TWICE, np.array(weights, np.float32)) == (
        f"feature 'f', sample 2: the {whose} is there more than once, sum to {total}; "
        "expected a finite float32"
    )
    found = gains(combiner, TWICE, np.array(weights, np.float32), "jax_tpu_embedding")
    assert float(total) in found.values()


@pytest.mark.parametrize("combiner", ["sum", "mean"])
def test_large_weights_with_finite_sums_are_allowed(combiner: Combiner):
    """The sums over all samples, and those of the absolute values, are beyond float32."""
    weights = np.array([3e38, 3e38, 3e38, -3e38, -3e38, 3e38, 3e38], np.float32)
    large, divisor = np.float32(3e38), np.float32(1)
    if combiner == "mean":
        divisor = large
    assert gains(combiner, TWICE, weights) == {
        (0, 0, 1): large / divisor,
        (0, 1, 8): large / divisor,
        (1, 0, 5): 0,
        (1, 0, 6): 0,
        (1, 0, 7): large / divisor,
    }


def test_duplicates_are_summed_in_their_order():
    """In another order the sum would be infinite."""
    weights = np.array([1, 1, 3e38, 1, -3e38, 1, 1], np.float32)
    ids = Ragged(np.array([1, 8, 5, 5, 5, 5, 5], I32), TWICE.row_splits)
    assert gains("sum", ids, weights)[1, 0, 5] == 2
    weights = np.array([1, 1, 3e38, -3e38, 3e38, 3e38, -3e38], np.float32)
    assert "id 5, which is there more than once, sum to inf" in bad("sum", ids, weights)
