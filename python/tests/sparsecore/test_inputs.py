"""Every form of a feature's ids, and the errors about bad ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.inputs import Ragged, Sparse
from sdykit.sparsecore.preprocess import preprocess
from sdykit.sparsecore.specs import Combiner, FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack
from support.sparsecore.preprocess_cases import ANY_SAMPLE, UNCHECKED, Entry, decode

SYSTEM = System(1, 2)
I32 = np.int32


def entries_of(
    feature: Any, weights: Any = None, combiner: Combiner = "sum", **options: Any
) -> dict[Entry, float]:
    """Preprocess four samples of a table of 10 rows."""
    stacks = stack([FeatureSpec("f", TableSpec("t", 10, 8, combiner=combiner), 4)], SYSTEM)
    given = {} if weights is None else {"f": weights}
    done = preprocess(
        {"f": feature}, stacks, SYSTEM, weights=given, **{"config": ANY_SAMPLE, **options}
    )
    return dict(zip(*decode(done.buffers["t"], SYSTEM, 1, absolute=False), strict=True))


# The samples [3], [], [5, 4, 5], [0].
RAGGED = Ragged(np.array([3, 5, 4, 5, 0], I32), np.array([0, 1, 1, 4, 5]))
EXPECTED = {(0, 0, 3): 1, (1, 0, 5): 2, (1, 0, 4): 1, (1, 1, 0): 1}


def test_ragged_ids_become_entries():
    assert entries_of(RAGGED) == EXPECTED


def test_ragged_ids_may_be_lists():
    given = Ragged(np.array(RAGGED.values).tolist(), np.array(RAGGED.row_splits).tolist())
    assert entries_of(given) == EXPECTED


def test_sparse_ids_become_entries():
    indices = np.array([[0, 1], [2, 0], [2, 1], [2, 2], [3, 0]])
    assert entries_of(Sparse(indices, RAGGED.values, (4, 3))) == EXPECTED


def test_sparse_ids_may_be_in_any_order_of_samples():
    # Within a sample the order is kept: weights are summed in it.
    order = np.array([4, 1, 0, 2, 3])
    indices = np.array([[0, 1], [2, 0], [2, 1], [2, 2], [3, 0]])[order]
    values = np.asarray(RAGGED.values)[order]
    weights = np.array([1, 2, 4, 8, 16], np.float32)[order]
    assert entries_of(Sparse(indices, values, (4, 3)), weights) == {
        (0, 0, 3): 1,
        (1, 0, 5): 10,
        (1, 0, 4): 4,
        (1, 1, 0): 16,
    }


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_dense_ids_become_entries(dtype: type):
    ids = np.array([[1, 2], [2, 2], [9, 0], [4, 4]], dtype)
    assert entries_of(ids) == {
        (0, 0, 1): 1,
        (0, 0, 2): 1,
        (0, 1, 2): 2,
        (1, 0, 9): 1,
        (1, 0, 0): 1,
        (1, 1, 4): 2,
    }


def test_arrays_need_not_be_contiguous():
    ids = np.arange(10, dtype=I32).repeat(4).reshape(10, 4)[2:6].T
    assert entries_of(ids) == {
        (core, row, number): 1 for core in (0, 1) for row in (0, 1) for number in range(2, 6)
    }


@pytest.mark.parametrize(
    ("combiner", "gains"), [("sum", [3, 4]), ("mean", [3 / 7, 4 / 7]), ("sqrtn", [0.6, 0.8])]
)
def test_combiners_fold_weights_into_gains(combiner: Combiner, gains: list[float]):
    ids = np.array([[1, 2]] * 4, I32)
    weights = np.array([[3, 4]] * 4, np.float64)  # Rounded to float32.
    found = entries_of(ids, weights, combiner)
    assert [found[0, 0, 1], found[0, 0, 2]] == pytest.approx(gains, rel=1e-7)


def test_features_without_ids_have_no_entries():
    empty = Ragged(np.array([], I32), np.zeros(5, int))
    assert entries_of(empty, combiner="mean") == {}
    assert entries_of(np.zeros((4, 0), I32), combiner="mean") == {}
    assert entries_of(empty, np.array([], np.float32)) == {}


def bad(feature: Any, weights: Any = None, combiner: Combiner = "sum", **options: Any) -> str:
    with pytest.raises(SparseCoreError) as caught:
        entries_of(feature, weights, combiner, **options)
    return str(caught.value)


IDS = np.array([[1, 2], [2, 2], [9, 0], [4, 4]], I32)


@pytest.mark.parametrize(
    ("layout", "number"),
    [("sdykit", -2), ("sdykit", 10), ("jax_tpu_embedding", -1), ("jax_tpu_embedding", 10)],
)
def test_an_id_outside_of_the_vocabulary_is_an_error(layout: str, number: int):
    ids = IDS.copy()
    ids[2, 1] = number
    assert bad(ids, layout=layout) == (
        f"feature 'f', sample 2: id is {number}; expected one in [0, 10), the vocabulary of table "
        "'t'"
    )


def test_a_negative_id_is_an_error_without_the_check_too():
    ids = IDS.copy()
    ids[2, 1] = -1
    assert bad(ids, layout="jax_tpu_embedding", config=UNCHECKED) == (
        "feature 'f', sample 2: id is -1; expected one in [0, 2147483647]"
    )


@pytest.mark.parametrize("number", [10, 2**31, 2**63 - 1, -(2**63)])
def test_an_id_beyond_int32_is_an_error(number: int):
    ids = np.array([3, 5, 4, 5, 0], np.int64)
    ids[2] = number
    assert bad(Ragged(ids, RAGGED.row_splits)) == (
        f"feature 'f', sample 2: id is {number}; "
        "expected one in [0, 10), the vocabulary of table 't'"
    )


def test_an_id_beyond_int32_is_an_error_without_the_check_too():
    ids = IDS.astype(np.int64)
    ids[3, 0] = 2**31
    assert bad(ids, layout="jax_tpu_embedding", config=UNCHECKED) == (
        "feature 'f', sample 3: id is 2147483648; expected one in [0, 2147483647]"
    )


SPLITS = "feature 'f': row_splits"
INDICES = np.array([[0, 1], [2, 0], [2, 1], [2, 2], [3, 0]])


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        (IDS.astype(np.float32), "feature 'f': ids are float32; expected int32 or int64"),
        (IDS.astype(np.uint32), "feature 'f': ids are uint32; expected int32 or int64"),
        (IDS > 2, "feature 'f': ids are bool; expected int32 or int64"),
        (IDS[0], "feature 'f': ids have shape [2]; expected 2 dimensions"),
        (IDS[None], "feature 'f': ids have shape [1, 4, 2]; expected 2 dimensions"),
        (IDS[:3], "feature 'f': there are 3 samples; expected 4"),
        (
            [[1], [2, 3], [4], [5]],
            "feature 'f': ids have rows of several lengths; expected an array, or Ragged",
        ),
        (Ragged(IDS, [0, 8]), "feature 'f': ids have shape [4, 2]; expected 1 dimension"),
        (
            Ragged(RAGGED.values, np.array([0.0, 5.0])),
            f"{SPLITS} are float64[2]; expected integers [samples + 1]",
        ),
        (
            Ragged(RAGGED.values, np.zeros((1, 5), int)),
            f"{SPLITS} are int64[1, 5]; expected integers [samples + 1]",
        ),
        (
            Ragged(RAGGED.values, np.array([], int)),
            f"{SPLITS} are int64[0]; expected integers [samples + 1]",
        ),
        (
            Ragged(RAGGED.values, [0, 1, 1, 4, 6]),
            f"{SPLITS} go from 0 to 6; expected from 0 to 5, the number of values",
        ),
        (
            Ragged(RAGGED.values, [1, 1, 1, 4, 5]),
            f"{SPLITS} go from 1 to 5; expected from 0 to 5, the number of values",
        ),
        (
            Ragged(RAGGED.values, [0, 3, 2, 4, 5]),
            f"{SPLITS} fall from 3 to 2 at sample 1; expected them to rise or stay",
        ),
        (
            Ragged(RAGGED.values, [0, 1, 5]),
            "feature 'f': there are 2 samples; expected 4",
        ),
        (
            Sparse(INDICES[:4], RAGGED.values, (4, 3)),
            "feature 'f': indices are int64[4, 2]; expected integers [5, 2], as there are 5 values",
        ),
        (
            Sparse(INDICES * 1.0, RAGGED.values, (4, 3)),
            "feature 'f': indices are float64[5, 2]; "
            "expected integers [5, 2], as there are 5 values",
        ),
        (
            Sparse(INDICES, RAGGED.values, (4, 2)),
            "feature 'f': indices[3] is [2, 2]; expected a place in [4, 2]",
        ),
        (
            Sparse(INDICES - [0, 1], RAGGED.values, (4, 2)),
            "feature 'f': indices[1] is [2, -1]; expected a place in [4, 2]",
        ),
        (
            Sparse(INDICES, RAGGED.values, (5, 3)),
            "feature 'f': there are 5 samples; expected 4",
        ),
        (
            Sparse(INDICES, RAGGED.values, (4,)),  # pyright: ignore[reportArgumentType]
            "feature 'f': shape is (4,); expected the integers (samples, columns)",
        ),
        (
            Sparse(INDICES, RAGGED.values, 4),  # pyright: ignore[reportArgumentType]
            "feature 'f': shape is 4; expected the integers (samples, columns)",
        ),
        (
            Sparse(INDICES, RAGGED.values, (4, None)),  # pyright: ignore[reportArgumentType]
            "feature 'f': shape is (4, None); expected the integers (samples, columns)",
        ),
        (
            Sparse(INDICES, RAGGED.values, (4, True)),
            "feature 'f': shape is (4, True); expected the integers (samples, columns)",
        ),
        (
            Sparse([[0, 1], [2]], RAGGED.values, (4, 3)),  # pyright: ignore[reportArgumentType]
            "feature 'f': indices have rows of several lengths; expected an array",
        ),
        (
            Ragged(RAGGED.values, [0, [1], 2]),  # pyright: ignore[reportArgumentType]
            "feature 'f': row_splits have rows of several lengths; expected an array",
        ),
        (
            np.ma.masked_equal(np.ones((4, 2), I32), 1),
            "feature 'f': ids are a masked array; expected one without a mask, or Ragged",
        ),
    ],
)
def test_ids_of_a_bad_form_are_an_error(feature: Any, message: str):
    assert bad(feature) == message


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones((4, 2), int), "feature 'f': weights are int64; expected float32"),
        (np.ones((4, 2), np.float16), "feature 'f': weights are float16; expected float32"),
        (
            np.ones((4, 1), np.float32),
            "feature 'f': weights have shape [4, 1]; expected that of the ids, [4, 2]",
        ),
        (
            [[1.0], [1.0, 2.0], [1.0], [1.0]],
            "feature 'f': weights have rows of several lengths; expected an array",
        ),
        (
            np.ones(8, np.float32),
            "feature 'f': weights have shape [8]; expected that of the ids, [4, 2]",
        ),
    ],
)
def test_weights_of_a_bad_form_are_an_error(weights: Any, message: str):
    assert bad(IDS, weights) == message
