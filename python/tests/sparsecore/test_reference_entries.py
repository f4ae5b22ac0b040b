"""COO lists to entries, combiners, their arithmetic, and the errors about bad arguments."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import (
    FTRL,
    SGD,
    Adagrad,
    AdagradMomentum,
    Custom,
    RowWiseAdagrad,
)
from sdykit.sparsecore.optimizers.rounding import power
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.reference import (
    entries_from_coo,
    fold_gains,
    gradient_sums,
    lookup,
    shard,
    unshard,
    update,
    update_rows,
)
from sdykit.sparsecore.reference.gains import add_square
from sdykit.sparsecore.specs import System
from support.amounts import examples

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(300))
F32 = np.float32
ONE = System(1, 1)


def test_places_of_samples_and_rows_are_those_computed_by_hand():
    # 2 devices of 2 SparseCores, 2 samples each; id 6 is in partition 2, row 1.
    system = System(2, 2)
    entries = entries_from_coo([0, 3, 5, 7], [6, 0, 3, 9], np.ones(4, F32), 8, system)
    assert entries.device.tolist() == [0, 0, 1, 1]
    assert entries.core.tolist() == [0, 1, 0, 1]
    assert entries.local_sample.tolist() == [0, 1, 1, 1]
    assert entries.sample.tolist() == [0, 3, 1, 3]
    assert entries.partition.tolist() == [2, 0, 3, 1]
    assert entries.local_id.tolist() == [1, 0, 0, 2]
    assert entries.owner.tolist() == [1, 0, 1, 0]
    assert entries.row(4).tolist() == [1, 0, 4, 6]
    assert entries.id.tolist() == [6, 0, 3, 9]


def test_entries_have_the_order_of_the_buffers():
    # By SparseCore, partition, local id, sample.
    listed = [(3, 0), (2, 1), (1, 0), (1, 4), (0, 4), (0, 3), (0, 2)]
    rows, cols = zip(*listed, strict=True)
    entries = entries_from_coo(rows, cols, np.arange(7).astype(F32), 4, System(1, 2))
    found = list(zip(entries.sample.tolist(), entries.id.tolist(), strict=True))
    assert found == [(1, 0), (0, 2), (0, 4), (1, 4), (0, 3), (3, 0), (2, 1)]
    assert entries.gain.tolist() == [2, 6, 4, 3, 5, 0, 1]


def test_duplicates_are_added_in_order():
    # 1e8 + 1 - 1e8 is 0 in this order, 1 in another.
    gains = np.array([1e8, 5, 1, -1e8], F32)
    entries = entries_from_coo([0, 0, 0, 0], [2, 1, 2, 2], gains, 1, ONE)
    assert dict(zip(entries.id.tolist(), entries.gain.tolist(), strict=True)) == {2: 0, 1: 5}


def test_no_entries_have_activations_of_zero():
    entries = entries_from_coo([], [], [], 2, ONE)
    assert len(entries) == 0
    assert lookup(np.ones((1, 3, 2), F32), entries).tolist() == [[[0, 0], [0, 0]]]
    assert len(gradient_sums(entries, np.ones((1, 2, 2), F32), 3).row) == 0


def test_gains_of_combiners_are_those_computed_by_hand():
    rows = [0, 0, 1, 1]
    weights = np.array([1, 3, 3, 4], F32)
    assert fold_gains("sum", rows, weights).tolist() == [1, 3, 3, 4]
    assert fold_gains("mean", rows, weights).tolist()[:2] == [0.25, 0.75]
    assert fold_gains("sqrtn", rows, weights).tolist()[2:] == [F32(0.6), F32(0.8)]


FINITE = st.floats(width=32, allow_nan=False, min_value=-(2.0**60), max_value=2.0**60)


def nearest_float32(value: Fraction) -> np.float32:
    """Return the float32 nearest to a value; of two, the even one."""
    guess = F32(float(value))
    around = [np.nextafter(guess, F32(-np.inf)), guess, np.nextafter(guess, F32(np.inf))]
    return min(around, key=lambda x: (abs(Fraction(float(x)) - value), int(x.view(np.int32)) & 1))


@SAME_EVERY_TIME
@given(FINITE.map(abs), FINITE)
# The square is 1 + 2^-11 + 2^-24. A float64 sum loses 2^-60, and is a tie, rounded down to even.
@example(2.0**-60, 1 + 2.0**-12)
def test_add_square_is_rounded_once(total: float, x: float):
    exact = Fraction(total) + Fraction(x) * Fraction(x)
    found = add_square(F32(total), F32(x))
    assert found.dtype == F32
    assert found == nearest_float32(exact)


def test_add_square_of_infinity_and_nan():
    assert add_square(F32(np.inf), F32(1)) == add_square(F32(1), F32(-np.inf)) == np.inf
    assert np.isnan(add_square(F32(np.nan), F32(1)))
    assert add_square(F32(3e38), F32(1e19)) == np.inf


def test_power_has_the_bits_of_the_root_and_the_square():
    x = np.abs(np.random.default_rng(0).standard_normal(10_000)).astype(F32)
    x[:4] = [0, np.inf, 1e-45, 3e38]
    assert np.array_equal(power(x, 0.5), np.sqrt(x))
    with np.errstate(over="ignore"):
        assert np.array_equal(power(x, 2), x * x)


ENTRIES = entries_from_coo([0, 1], [0, 2], np.ones(2, F32), 2, ONE)
TABLE = np.zeros((1, 4, 2), F32)
GRADIENTS = np.zeros((1, 2, 2), F32)
ROWS = np.zeros((3, 2), F32)


def coo(rows: Any = (0,), cols: Any = (0,), gains: Any = (1.0,), batch: int = 2) -> Any:
    factors = np.asarray(gains, F32) if isinstance(gains, tuple) else gains
    return lambda: entries_from_coo(rows, cols, factors, batch, System(1, 2))


def step(**changes: Any) -> Any:
    arguments = {
        "shards": TABLE,
        "slots": {},
        "entries": ENTRIES,
        "gradients": GRADIENTS,
        "optimizer": SGD(0.1),
        "hyperparameters": {"learning_rate": 0.1},
    }
    return lambda: update(**{**arguments, **changes})


def custom(result: Any) -> Any:
    optimizer = Custom(0.1, update=lambda *_: result, slot_values=(("v", 0.0),))
    scalars = optimizer.hyperparameters()
    return lambda: update_rows(optimizer, ROWS, ROWS, {"v": ROWS}, scalars)


ERRORS: list[tuple[Any, str]] = [
    (coo(rows=(2,)), "row_ids[0]: the sample is 2; expected from 0 to 1"),
    (coo(rows=(-1,)), "row_ids[0]: the sample is -1; expected from 0 to 1"),
    (coo(cols=(-3,)), "col_ids[0]: the id is -3; expected 0 or more"),
    (coo(cols=(0.5,)), "col_ids: it is float64[1]; expected a vector of integers"),
    (coo(gains=np.ones(1)), "gains: it is float64[1]; expected a vector of float32"),
    (coo(rows=((0,),)), "row_ids: it is int64[1, 1]; expected a vector of integers"),
    (
        coo(rows=(0, 1)),
        "entries: the lengths differ: row_ids 2, col_ids 1, gains 1; expected one length",
    ),
    (coo(batch=3), "batch_size: 3 samples over 2 SparseCores; expected a multiple"),
    (coo(batch=0), "batch_size: 0 samples over 2 SparseCores; expected a multiple"),
    (
        lambda: fold_gains("max", [0], np.ones(1, F32)),  # type: ignore[arg-type]
        "combiner: it is 'max'; expected one of sum, mean, sqrtn",
    ),
    (
        lambda: fold_gains("mean", [4, 4], np.array([1, -1], F32)),
        "weights: the weights of sample 4 sum to 0; expected another sum, as mean divides by it",
    ),
    (
        lambda: fold_gains("sqrtn", [0, 4], np.array([1, 0], F32)),
        "weights: the squared weights of sample 4 sum to 0; expected another sum, as sqrtn "
        "divides by it",
    ),
    (
        lambda: lookup(np.zeros((1, 2, 2), F32), ENTRIES),
        "entries: device 0, SparseCore 0, sample 1 asks for row 2 of partition 0 (id 2); the "
        "table has 2 rows a partition",
    ),
    (
        lambda: lookup(np.zeros((4, 2), np.float64), ENTRIES),
        "shards: its shape is [4, 2]; expected 1 devices and a multiple of 1 rows, one part for "
        "each SparseCore",
    ),
    (
        lambda: lookup(np.zeros((1, 4, 2)), ENTRIES),
        "shards: it is float64[1, 4, 2]; expected float32, bfloat16 or integers of up to 32 bits",
    ),
    (
        lambda: lookup(TABLE.astype(np.int32), ENTRIES, Quantization(0, 1)),
        "shards: it is int32[1, 4, 2] and quantized; expected float32, bfloat16 or int8",
    ),
    (
        lambda: lookup(np.zeros(4, F32), ENTRIES),
        "shards: it is float32[4]; expected [devices, rows, dim] or [devices, rows]",
    ),
    (
        lambda: gradient_sums(ENTRIES, np.zeros((1, 3, 2), F32), 4),
        "gradients: its shape is [1, 3, 2]; expected [1, 2, 2]",
    ),
    (
        lambda: gradient_sums(ENTRIES, np.zeros((1, 2, 2)), 4),  # type: ignore[arg-type]
        "gradients: it is float64[1, 2, 2]; expected an array of float32",
    ),
    (
        step(gradients=np.zeros((1, 2, 3), F32)),
        "gradients: their rows have shape [3]; expected that of the table's rows, [2]",
    ),
    (
        step(shards=TABLE.astype(np.int8)),
        "shards: it is int8[1, 4, 2]; expected an array of float32",
    ),
    (
        step(optimizer="sgd"),
        "optimizer: it is 'sgd'; expected one of sgd, adagrad, row_wise_adagrad, "
        "adagrad_momentum, adam, ftrl, "
        "laprop, f2a, custom",
    ),
    (
        step(optimizer=Adagrad(0.1)),
        "optimizer adagrad: slots: accumulator is missing; found none, expected accumulator",
    ),
    (
        step(optimizer=Adagrad(0.1), slots={"accumulator": ROWS}),
        "slots['accumulator']: it is float32[3, 2]; expected the shape of table, [1, 4, 2]",
    ),
    (
        step(slots={"momentum": TABLE}),
        "optimizer sgd: slots: 'momentum' is unknown; expected none",
    ),
    (
        step(hyperparameters={}),
        "optimizer sgd: hyperparameters: learning_rate is missing; found none, "
        "expected learning_rate",
    ),
    (
        step(hyperparameters={"learning_rate": 0.1, "learning_rat": 1}),
        "optimizer sgd: hyperparameters: 'learning_rat' is unknown; expected learning_rate; "
        "did you mean 'learning_rate'?",
    ),
    (
        step(hyperparameters={"learning_rate": "fast"}),
        "hyperparameters['learning_rate']: it is 'fast'; expected a number",
    ),
    (
        step(hyperparameters=[0.1]),
        "optimizer sgd: hyperparameters: it is list; expected a mapping",
    ),
    (
        lambda: update_rows(
            AdagradMomentum(0.1),
            ROWS,
            ROWS,
            {"accumulator": ROWS, "momentum": ROWS},
            {**AdagradMomentum(0.1).hyperparameters(), "use_nesterov": 1.0},
        ),
        "hyperparameters['use_nesterov']: it is 1.0; expected True or False",
    ),
    (
        lambda: update_rows(FTRL(0.1), ROWS, ROWS[:2], {}, {}),
        "table: it is float32[2, 2]; expected the shape of gradient, [3, 2]",
    ),
    (
        custom(ROWS),
        "optimizer custom: update returned ndarray; expected a tuple of 2: table, v",
    ),
    (
        custom((ROWS,)),
        "optimizer custom: update returned a tuple of 1; expected a tuple of 2: table, v",
    ),
    (
        custom((ROWS[:1], ROWS[:1].astype(np.float64))),
        "optimizer custom: update's v: it is float64[1, 2]; expected an array of float32",
    ),
    (
        custom((ROWS, ROWS[:1])),
        "optimizer custom: update's table: it is float32[3, 2]; expected the shape of the given "
        "table, [1, 2]",
    ),
    (
        lambda: update_rows(RowWiseAdagrad(0.1), ROWS, ROWS, {"accumulator": ROWS}, {}),
        "slots['accumulator']: its shape is [3, 2]; expected [3, 1]",
    ),
    (
        lambda: shard(np.zeros((6, 2)), System(2, 2)),
        "table: its vocabulary is 6; expected a multiple of 4 SparseCores",
    ),
    (
        lambda: shard(np.zeros((6, 2, 1)), System(2, 2)),
        "table: it is float64[6, 2, 1]; expected [vocabulary, dim] or [vocabulary]",
    ),
    (
        lambda: unshard(np.zeros((2, 3, 2)), System(2, 2)),
        "shards: its shape is [2, 3, 2]; expected 2 devices and a multiple of 2 rows, one part "
        "for each SparseCore",
    ),
]


@pytest.mark.parametrize(("call", "message"), ERRORS, ids=[text[:60] for _, text in ERRORS])
def test_a_bad_argument_is_an_error(call: Any, message: str):
    with pytest.raises(SparseCoreError) as error:
        call()
    assert str(error.value) == message
