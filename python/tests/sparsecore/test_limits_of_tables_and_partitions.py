"""Limits of whole tables and of single partitions, against counting one id after another."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import LimitExceeded, SparseCoreError
from sdykit.sparsecore.limits.program import capped
from sdykit.sparsecore.preprocess import Minibatching, preprocess
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import Stack, stack
from support.amounts import examples
from support.sparsecore.preprocess_cases import (
    ANY_SAMPLE,
    DROPPING,
    Case,
    Entry,
    decode,
    make_case,
    samples,
)

MANY = settings(derandomize=True, max_examples=examples(150), deadline=None)
SEEDS = st.integers(0, 2**32)
UNLIMITED = 2**31 - 1
Limit = tuple[int, ...]
"""The maximum ids and unique ids of a group."""


def case_of(random: np.random.Generator) -> Case:
    return make_case(
        random,
        System(int(random.choice([1, 2])), int(random.choice([1, 2, 4]))),
        tables=int(random.integers(1, 4)),
        features=4,
        combiners=["sum"],
        weighted=bool(random.integers(2)),
        stacking=bool(random.integers(2)),
        valencies=(1, 2, 5),
        vocabularies=(3, 10, 200),
        rows=4,
    )


def raw_ids(case: Case, stacked: Stack) -> Counter[Entry]:
    """Return the number of ids of each entry of a stack; those after the first are duplicates."""
    cores, found = case.system.num_sparse_cores, Counter[Entry]()
    for feature in stacked.features:
        rows = feature.spec.batch_size // cores
        for sample, (ids, _) in enumerate(samples(case, feature.spec.name)):
            core, row = sample // rows, feature.row_offset // cores + sample % rows
            for number in ids.tolist():
                column = (number + feature.col_shift) % cores + number // cores * cores
                found[core, row, column + feature.col_offset] += 1
    return found


def in_order(case: Case, found: Counter[Entry]) -> list[Entry]:
    """Return entries as the buffers have them: by SparseCore, partition, row, and sample."""
    cores = case.system.num_sparse_cores
    return sorted(found, key=lambda each: (each[0], each[2] % cores, each[2] // cores, each[1]))


def table_of(stacked: Stack, column: int) -> str:
    return [each.spec.name for each in stacked.tables if each.col_offset <= column][-1]


def within(
    entries: list[Entry],
    group: Callable[[Entry], Hashable],
    limit: Callable[[Any], Limit],
) -> tuple[set[Entry], dict[Any, Limit]]:
    """Take entries one after another; return those within the limits, and all counts by group."""
    ids, unique_ids = Counter[Hashable](), Counter[Hashable]()
    kept: set[Entry] = set()
    seen: set[tuple[int, int]] = set()
    for each in entries:
        key = group(each)
        ids[key] += 1
        # A unique id counts once in each list, of a SparseCore to the id's partition.
        unique_ids[key] += (each[0], each[2]) not in seen
        seen.add((each[0], each[2]))
        if ids[key] <= limit(key)[0] and unique_ids[key] <= limit(key)[1]:
            kept.add(each)
    return kept, {key: (ids[key], unique_ids[key]) for key in ids}


def found_entries(case: Case, done: Any, name: str, absolute: bool) -> set[Entry]:
    return set(decode(done.buffers[name], case.system, done.num_minibatches, absolute)[0])


@MANY
@given(SEEDS, st.sampled_from(["off", "vocabulary", "sample"]))
def test_limits_of_tables_are_on_the_sum_over_all_lists(
    seed: int, minibatching: Minibatching
) -> None:
    """The first entries are kept, SparseCore after SparseCore; without dropping it is an error."""
    random = np.random.default_rng(seed)
    case = case_of(random)
    raw = {each.name: raw_ids(case, each) for each in case.stacks}
    limits: dict[str, Limit] = {}
    kept: dict[str, set[Entry]] = {}
    exceeded = False
    for stacked in case.stacks:

        def table(entry: Entry, stacked: Stack = stacked) -> str:
            return table_of(stacked, entry[2])

        order = in_order(case, raw[stacked.name])
        _, totals = within(order, table, lambda _: (UNLIMITED, UNLIMITED))
        for each in stacked.tables:
            name = each.spec.name
            limits[name] = tuple(
                int(random.integers(1, total + 3)) if random.integers(3) else UNLIMITED
                for total in totals.get(name, (0, 0))
            )
            exceeded |= any(np.array(totals.get(name, (0, 0))) > limits[name])
        kept[stacked.name], _ = within(order, table, limits.__getitem__)
    settings = {
        setting: {name: limit[kind] for name, limit in limits.items() if limit[kind] < UNLIMITED}
        for kind, setting in enumerate(("max_ids_per_table", "max_unique_ids_per_table"))
    }
    done = case.run(minibatching=minibatching, config=dataclasses.replace(DROPPING, **settings))
    for name, expected in kept.items():
        assert found_entries(case, done, name, minibatching != "off") == expected
        lost = [count for entry, count in raw[name].items() if entry not in expected]
        assert done.statistics[name].dropped == sum(lost)
    config = dataclasses.replace(ANY_SAMPLE, **settings)
    if not exceeded:
        case.run(minibatching=minibatching, config=config)
        return
    with pytest.raises(LimitExceeded, match="over all SparseCores and partitions; compiled for"):
        case.run(minibatching=minibatching, config=config)


@MANY
@given(SEEDS)
def test_each_partition_has_its_own_limits(seed: int) -> None:
    """They decide which entries are kept, and how many entries the buffers have."""
    random = np.random.default_rng(seed)
    case = case_of(random)
    cores = case.system.num_sparse_cores
    of_partitions = {each.name: random.integers(1, 12, (2, cores)).tolist() for each in case.stacks}
    limited = dataclasses.replace(
        case,
        stacks=tuple(
            dataclasses.replace(
                each,
                max_ids_of_partitions=tuple(of_partitions[each.name][0]),
                max_unique_ids_of_partitions=tuple(of_partitions[each.name][1]),
            )
            for each in case.stacks
        ),
    )
    done = limited.run(config=DROPPING)
    exceeded = False
    for stacked in case.stacks:
        ids, unique_ids = of_partitions[stacked.name]
        raw = raw_ids(case, stacked)
        expected, counts = within(
            in_order(case, raw),
            lambda entry: (entry[0], entry[2] % cores),
            lambda key, ids=ids, unique_ids=unique_ids: (ids[key[1]], unique_ids[key[1]]),
        )
        assert found_entries(case, done, stacked.name, absolute=False) == expected
        padded = sum(-(-limit // 8) * 8 for limit in ids)
        entries = padded * case.system.sparse_cores_per_device
        assert done.buffers[stacked.name].gains.shape == (case.system.num_devices, entries)
        exceeded |= any(
            count > ids[partition] or unique > unique_ids[partition]
            for (_, partition), (count, unique) in counts.items()
        )
    if exceeded:
        with pytest.raises(LimitExceeded, match="to partition"):
            limited.run()


@MANY
@given(SEEDS, st.sampled_from(["vocabulary", "sample"]))
def test_minibatches_keep_the_limits_of_partitions(seed: int, minibatching: Minibatching) -> None:
    """Every segment has at most as many entries of a partition as that partition allows."""
    random = np.random.default_rng(seed)
    case = case_of(random)
    cores = case.system.num_sparse_cores
    ids = {each.name: tuple(random.integers(1, 12, cores).tolist()) for each in case.stacks}
    limited = dataclasses.replace(
        case,
        stacks=tuple(
            dataclasses.replace(each, max_ids_of_partitions=ids[each.name]) for each in case.stacks
        ),
    )
    done = limited.run(minibatching=minibatching, config=DROPPING)
    width = max(cores, 8)
    for name, limits in ids.items():
        for pointers in done.buffers[name].row_pointers:
            start = 0
            for segment in range(case.system.sparse_cores_per_device * done.num_minibatches):
                for partition in range(cores):
                    end = int(pointers[segment * width + partition])
                    assert end - start <= limits[partition]
                    start = -(-end // 8) * 8


SYSTEM = System(1, 2)


def one_stack(**fields: Any) -> Stack:
    table = TableSpec("t", 64, 8)
    return dataclasses.replace(stack([FeatureSpec("f", table, 2)], SYSTEM)[0], **fields)


def test_the_error_has_the_limit_of_the_partition() -> None:
    """Partition 0 has more ids, but is within its limits."""
    ids = np.array([[0, 2, 4, 6, 1, 3], [-1] * 6])
    case = Case(SYSTEM, (one_stack(max_ids_of_partitions=(4, 1)),), {"f": ids}, None)
    with pytest.raises(LimitExceeded) as raised:
        case.run()
    assert str(raised.value) == (
        "table 't': SparseCore 0 sends 2 ids to partition 1; compiled for 1 "
        "(max_ids_per_partition): raise it, or set allow_id_dropping"
    )


def test_the_limit_of_all_partitions_counts_if_it_is_lower() -> None:
    stacked = one_stack(max_ids_per_partition=3, max_ids_of_partitions=(5, 2))
    assert [each.tolist() for each in stacked.partition_limits] == [[3, 2], [256, 256]]
    assert stacked.compiled_limits == {
        "max_ids_per_partition": 3,
        "max_unique_ids_per_partition": 256,
        "max_ids_of_partitions": (3, 2),
        "max_unique_ids_of_partitions": None,
    }


def test_the_limit_of_all_partitions_is_at_most_the_largest_of_them() -> None:
    """Buffers that all partitions use in turn are no larger than they need be."""
    stacked = one_stack(max_ids_per_partition=100, max_ids_of_partitions=(5, 2))
    assert stacked.max_ids_per_partition == 5
    assert one_stack(max_ids_of_partitions=(5, 5)).compiled_limits["max_ids_of_partitions"] is None


def test_a_process_counts_the_ids_of_its_own_devices() -> None:
    """Of two devices, which have 6 ids each."""
    system = System(2, 1)
    stacks = stack([FeatureSpec("f", TableSpec("t", 64, 8), 4)], system)
    ids = np.arange(12).reshape(4, 3)

    def ids_of(limit: int, features: Any, devices: int) -> int:
        config = dataclasses.replace(ANY_SAMPLE, max_ids_per_table={"t": limit})
        done = preprocess({"f": features}, stacks, system, config=config, local_devices=devices)
        return int(done.statistics["t"].ids.sum())

    assert ids_of(12, ids, 2) == 12
    with pytest.raises(LimitExceeded, match="a step has 12 ids"):
        ids_of(11, ids, 2)
    for half in (ids[:2], ids[2:]):
        assert ids_of(6, half, 1) == 6
        with pytest.raises(LimitExceeded, match="a step has 6 ids"):
            ids_of(5, half, 1)


def test_a_stack_stores_limits_as_integers_of_python() -> None:
    stacked = one_stack(max_ids_of_partitions=[np.int32(5), 2])
    assert stacked.max_ids_of_partitions == (5, 2)
    assert [type(limit) for limit in stacked.max_ids_of_partitions or ()] == [int, int]
    assert hash(stacked) == hash(one_stack(max_ids_of_partitions=(5, 2)))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            (1, 2, 3),
            "stack 't': max_ids_of_partitions is (1, 2, 3); expected 2 integers, one for each "
            "partition, or None",
        ),
        (
            5,
            "stack 't': max_ids_of_partitions is 5; expected 2 integers, one for each partition, "
            "or None",
        ),
        (
            (5, 0),
            "stack 't': max_ids_of_partitions[1] is 0; expected an integer from 1 to 2147483647",
        ),
    ],
)
def test_wrong_limits_of_partitions_are_an_error(given: Any, message: str) -> None:
    with pytest.raises(SparseCoreError) as raised:
        one_stack(max_ids_of_partitions=given)
    assert str(raised.value) == message


def test_limits_of_tables_bound_those_of_their_partitions() -> None:
    """A stack of two tables is bounded if both are."""
    tables = [TableSpec(name, 64, 8) for name in "ab"]
    (both,) = stack([FeatureSpec(each.name, each, 2) for each in tables], SYSTEM)

    def limits(**settings: Any) -> Limit:
        (found,) = capped([both], SparsecoreConfig(**settings))
        return found.max_ids_per_partition, found.max_unique_ids_per_partition

    assert limits() == (256, 256)
    assert limits(max_ids_per_table={"a": 5}) == (256, 256)
    assert limits(max_ids_per_table={"a": 5, "b": 2}) == (7, 256)
    assert limits(max_unique_ids_per_table={"a": 500, "b": 2}) == (256, 256)
    assert limits(max_unique_ids_per_table={"a": 3, "b": 2}) == (256, 5)
