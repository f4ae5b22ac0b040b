"""Limits by hand, headroom, limits in stacks and configurations, and bad input."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.inputs import Ragged
from sdykit.sparsecore.limits import Limits, StackFigures, TableFigures, with_headroom
from sdykit.sparsecore.limits.counter import LimitCounter, compute_limits
from sdykit.sparsecore.preprocess import preprocess
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import Stack, stack

TWO = System(num_devices=1, sparse_cores_per_device=2)
WORDS = TableSpec("words", vocabulary_size=32, embedding_dim=8)
PLACES = TableSpec("places", vocabulary_size=20, embedding_dim=8)


def stacks(*features: FeatureSpec, system: System = TWO) -> tuple[Stack, ...]:
    return stack(features, system)


ONE_TABLE = stacks(FeatureSpec("word", WORDS, 4))
TWO_TABLES = stacks(FeatureSpec("word", WORDS, 4), FeatureSpec("place", PLACES, 2))


def test_limits_are_those_counted_by_hand() -> None:
    """Two SparseCores with two samples each; even ids go to partition 0.

    SparseCore 0 has [1], [1, 2, 3, 1]: partition 0 gets 2, partition 1 gets 1 1 3.
    SparseCore 1 has [2, 2, 4], []: partition 0 gets 2 4.
    """
    ids = Ragged([1, 1, 2, 3, 1, 2, 2, 4], [0, 1, 5, 8, 8])
    limits = compute_limits([{"word": ids}], ONE_TABLE, TWO)
    words = TableFigures("words", 32, 0, 3, 2, 2, 6, 5)
    assert limits == Limits(
        TWO,
        (StackFigures("words", 4, (2, 3), (2, 2), 32, (words,), 2),),
        max_ids_per_chip_per_sample=4,
    )


def test_a_stack_counts_the_rotated_ids_of_all_its_tables() -> None:
    """The second table is rotated by the two SparseCores of a device."""
    wide = System(num_devices=2, sparse_cores_per_device=2)
    both = stacks(FeatureSpec("word", WORDS, 4), FeatureSpec("place", PLACES, 4), system=wide)
    zeros = np.zeros((4, 1), np.int32)
    limits = compute_limits([{"word": zeros, "place": zeros}], both, wide)
    (figures,) = limits.stacks
    assert [table.col_shift for table in figures.tables] == [0, 2]
    assert figures.max_ids_per_partition == 1  # 2, were the tables not rotated.
    unrotated = stack([feature.spec for feature in both[0].features], wide, rotation=0)
    (figures,) = compute_limits([{"word": zeros, "place": zeros}], unrotated, wide).stacks
    assert (figures.max_ids_per_partition, figures.max_unique_ids_per_partition) == (2, 2)


def test_ids_with_a_gain_of_zero_count() -> None:
    ids = np.array([[1, 3], [5, 7], [1, 1], [1, 1]])
    limits = compute_limits([{"word": ids}], ONE_TABLE, TWO)
    applied = limits.applied(ONE_TABLE, TWO)
    weights = {"word": np.zeros(ids.shape, np.float32)}
    done = preprocess({"word": ids}, applied, TWO, weights=weights)
    assert done.statistics["words"].ids.max() == limits.stacks[0].max_ids_per_partition == 4


def test_limits_of_no_ids_are_one() -> None:
    nothing = Ragged(np.empty(0, np.int32), np.zeros(5, np.int64))
    limits = compute_limits([{"word": nothing}], ONE_TABLE, TWO)
    assert limits.stacks[0].max_ids_per_partition == 1
    assert limits.max_ids_per_chip_per_sample == 1
    config = limits.configured(SparsecoreConfig())
    done = preprocess({"word": nothing}, limits.applied(ONE_TABLE, TWO), TWO, config=config)
    assert done.statistics["words"].dropped == 0


@pytest.mark.parametrize(
    ("observed", "headroom", "limit"),
    [
        (10, 1.0, 10),
        (10, 1.1, 11),
        (10, 1.11, 12),
        (0, 5.0, 1),
        (3, 1.5, 5),
        (2**31, 1.0, 2**31 - 1),
    ],
)
def test_headroom_multiplies_and_rounds_up(observed: int, headroom: float, limit: int) -> None:
    assert with_headroom(observed, headroom) == limit


@pytest.mark.parametrize("headroom", [0.99, -1, float("nan"), float("inf"), 1001, True, "2", None])
def test_a_headroom_out_of_its_range_is_an_error(headroom: Any) -> None:
    with pytest.raises(SparseCoreError) as raised:
        compute_limits([{"word": np.zeros((4, 1), np.int32)}], ONE_TABLE, TWO, headroom)
    assert str(raised.value) == (
        f"limits: headroom is {headroom!r}; expected a factor from 1 to 1000"
    )


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (
            {"wort": np.zeros((4, 1), np.int32)},
            "limits: the stacks have no feature 'wort'; did you mean 'word'?",
        ),
        (
            {},
            "limits: the batch has no feature 'word'; expected those of the stacks, word",
        ),
        (
            {"word": np.array([[0], [1], [32], [0]])},
            "feature 'word', sample 2: id is 32; expected one in [0, 32), the vocabulary of "
            "table 'words'",
        ),
        (
            {"word": np.array([[0], [1], [-3], [0]])},
            "feature 'word', sample 2: id is -3; expected one in [0, 32), the vocabulary of "
            "table 'words'",
        ),
        (
            {"word": np.array([[0], [2**40], [-1], [0]])},
            "feature 'word', sample 1: id is 1099511627776; expected one in [0, 32), the "
            "vocabulary of table 'words'",
        ),
        (
            {"word": np.zeros((6, 1), np.int32)},
            "feature 'word': there are 6 samples; expected 4",
        ),
        (
            {"word": np.zeros((4, 1), np.float32)},
            "feature 'word': ids are float32; expected int32 or int64",
        ),
        (
            {"word": Ragged([1, 2], [0, 1, 2, 3, 4])},
            "feature 'word': row_splits go from 0 to 4; expected from 0 to 2, the number of values",
        ),
    ],
)
def test_a_bad_batch_is_an_error_and_not_counted(features: Any, message: str) -> None:
    counter = LimitCounter(ONE_TABLE, TWO)
    counter.add({"word": np.array([[0], [1], [2], [3]])})
    before = counter.limits()
    with pytest.raises(SparseCoreError) as raised:
        counter.add(features)
    assert str(raised.value) == message
    assert counter.limits() == before
    assert counter.steps == 1


def test_stacks_of_another_system_are_an_error() -> None:
    with pytest.raises(SparseCoreError) as raised:
        LimitCounter(ONE_TABLE, System(4, 4))
    assert str(raised.value) == (
        f"stack 'words' is made for {TWO.num_sparse_cores} SparseCores; the system has 16"
    )


@pytest.mark.parametrize(
    ("arguments", "features", "message"),
    [
        ((ONE_TABLE[0], TWO), {}, "stacks: they are Stack(name='words', tables=(StackedTable("),
        ((ONE_TABLE, None), {}, "system: it is None; expected a System"),
        ((ONE_TABLE, TWO, "2"), {}, "limits: threads is '2'; expected an integer from 1 on"),
        (
            (ONE_TABLE, TWO),
            [3],
            "limits: features is [3]; expected a mapping from the names of features",
        ),
    ],
)
def test_an_argument_of_a_wrong_type_is_an_error(
    arguments: Any, features: Any, message: str
) -> None:
    with pytest.raises(SparseCoreError) as raised:
        LimitCounter(*arguments).add(features)
    assert str(raised.value)[: len(message)] == message


def test_no_batches_are_an_error() -> None:
    with pytest.raises(SparseCoreError) as raised:
        compute_limits([], ONE_TABLE, TWO)
    assert str(raised.value) == "limits: no batch was counted; expected at least one"


def example() -> Limits:
    """Limits of `TWO_TABLES`."""
    words = TableFigures("words", 32, 0, 5, 3, 2, 9, 6)
    places = TableFigures("places", 20, 0, 4, 2, 1, 8, 4)
    figures = StackFigures("words_places", 6, (7, 5), (3, 4), 64, (words, places), 2)
    return Limits(TWO, (figures,), max_ids_per_chip_per_sample=70)


def test_limits_are_applied_to_stacks_and_their_tables() -> None:
    (found,) = example().applied(TWO_TABLES, TWO)
    assert (found.max_ids_per_partition, found.max_unique_ids_per_partition) == (7, 4)
    assert [each.tolist() for each in found.partition_limits] == [[7, 5], [3, 4]]
    assert found.buffer_size_per_device is None
    words = dataclasses.replace(WORDS, max_ids_per_partition=5, max_unique_ids_per_partition=3)
    places = dataclasses.replace(PLACES, max_ids_per_partition=4, max_unique_ids_per_partition=2)
    assert [table.spec for table in found.tables] == [words, places]
    assert [feature.spec.table for feature in found.features] == [words, places]
    assert found.vocabulary_size == TWO_TABLES[0].vocabulary_size


@pytest.mark.parametrize(("given", "expected"), [(None, None), (8, 64), (1000, 1000)])
def test_a_given_buffer_size_is_increased_if_it_is_too_small(
    given: int | None, expected: int | None
) -> None:
    changed = [dataclasses.replace(TWO_TABLES[0], buffer_size_per_device=given)]
    assert example().applied(changed, TWO)[0].buffer_size_per_device == expected


def test_limits_in_the_configuration_are_kept() -> None:
    config = example().configured(SparsecoreConfig())
    assert config.max_ids_per_chip_per_sample == 70
    assert config.max_ids_per_table == {"words": 9, "places": 8}
    assert config.max_unique_ids_per_table == {"words": 6, "places": 4}
    own = SparsecoreConfig(max_ids_per_chip_per_sample=32, max_ids_per_table={"words": 3})
    config = example().configured(own)
    assert config.max_ids_per_chip_per_sample == 32
    assert config.max_ids_per_table == {"words": 3, "places": 8}


def test_unknown_figures_change_nothing() -> None:
    tables = tuple(TableFigures(*each) for each in (("words", 32, 0), ("places", 20, 0)))
    limits = Limits(TWO, (dataclasses.replace(example().stacks[0], tables=tables),))
    config = SparsecoreConfig(max_ids_per_chip_per_sample=9)
    assert limits.configured(config) == config
    assert limits.configured(SparsecoreConfig()) == SparsecoreConfig()
    assert [each.spec for each in limits.applied(TWO_TABLES, TWO)[0].tables] == [WORDS, PLACES]
