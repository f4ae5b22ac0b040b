"""Arguments of `preprocess`, and batches of several hosts."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.preprocess import Preprocessed, preprocess
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import Stack, stack
from support.sparsecore.preprocess_cases import ANY_SAMPLE, make_case

SYSTEM = System(2, 2)
IDS = np.arange(8, dtype=np.int32).reshape(8, 1)


def one_stack(table: str = "t", batch_size: int = 8) -> tuple[Stack, ...]:
    return stack([FeatureSpec("f", TableSpec(table, 64, 8), batch_size)], SYSTEM)


@pytest.mark.parametrize(
    "setting", ["max_ids_per_partition", "max_unique_ids_per_partition", "buffer_size_per_device"]
)
@pytest.mark.parametrize("value", [0, -8, 2.0])
def test_a_bad_limit_of_a_stack_is_an_error(setting: str, value: float):
    with pytest.raises(SparseCoreError) as caught:
        dataclasses.replace(one_stack()[0], **{setting: value})
    assert str(caught.value) == (
        f"stack 't': {setting} is {value}; expected an integer from 1 to 2147483647"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layout": "tf"}, "preprocess: layout is 'tf'; expected one of sdykit, jax_tpu_embedding"),
        (
            {"minibatching": True},
            "preprocess: minibatching is True; expected one of off, vocabulary, sample",
        ),
        (
            {"local_devices": 3},
            "preprocess: local_devices is 3; expected 1 to 2, the devices of the system",
        ),
        ({"threads": 0}, "preprocess: threads is 0; expected an integer from 1 on"),
        (
            {"local_devices": 1, "minibatching": "vocabulary"},
            "preprocess: this host has 1 of 2 devices; "
            "expected `agree`, as all hosts must use the same minibatches",
        ),
        (
            {"features": {}},
            "preprocess: features are none; expected f, as the stacks have them",
        ),
        (
            {"features": {"f": IDS, "g": IDS}},
            "preprocess: features are f, g; expected f, as the stacks have them",
        ),
        (
            {"weights": {"g": IDS}},
            "preprocess: there are weights for g; expected names among f",
        ),
        (
            {"system": System(8, 2)},
            "stack 't' is made for 4 SparseCores; the system has 16",
        ),
        (
            {"stacks": one_stack() * 2},
            "stack 't' is there twice, of the tables t and of t; names are unique: rename a table",
        ),
        (
            {"stacks": one_stack() + one_stack(table="u", batch_size=64)},
            "feature 'f' is in the stacks 't' and 'u'; expected it in one",
        ),
    ],
)
def test_a_bad_argument_is_an_error(changes: dict[str, Any], message: str):
    given: dict[str, Any] = {"features": {"f": IDS}, "stacks": one_stack(), "system": SYSTEM}
    with pytest.raises(SparseCoreError) as caught:
        preprocess(**(given | changes))
    assert str(caught.value) == message


NUMBERS = np.arange(3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"config": None}, "preprocess: config is None; expected a SparsecoreConfig"),
        ({"threads": "2"}, "preprocess: threads is '2'; expected an integer from 1 on"),
        ({"threads": True}, "preprocess: threads is True; expected an integer from 1 on"),
        ({"threads": 2.0}, "preprocess: threads is 2.0; expected an integer from 1 on"),
        (
            {"local_devices": "all"},
            "preprocess: local_devices is 'all'; expected 1 to 2, the devices of the system",
        ),
        (
            {"layout": NUMBERS},
            "preprocess: layout is array([0, 1, 2]); expected one of sdykit, jax_tpu_embedding",
        ),
        (
            {"agree": 3},
            "preprocess: agree is 3; expected a function from an integer to one, or None",
        ),
        ({"system": None}, "system: it is None; expected a System"),
        ({"stacks": None}, "stacks: they are None; expected a sequence of Stack"),
        ({"stacks": iter(())}, "stacks: they are <tuple_iterator object at "),
        ({"stacks": one_stack()[0]}, "stacks: they are Stack(name='t', tables=(StackedTable("),
        ({"stacks": ["t"]}, "stacks[0] is 't'; expected a Stack"),
        (
            {"features": IDS},
            "preprocess: features is array([[0], [1], [2], [3], [4], [5], [6], [7]], dtype=int32); "
            "expected a mapping from the names of features",
        ),
        (
            {"features": {1: IDS}},
            "preprocess: features has the key 1; expected the name of a feature",
        ),
        (
            {"weights": [IDS]},
            "preprocess: weights is [array([[0], [1], [2], [3], [4], [5], [6], [7]], dtype=int32)];"
            " expected a mapping from the names of features",
        ),
        (
            {"weights": {None: IDS}},
            "preprocess: weights has the key None; expected the name of a feature",
        ),
    ],
)
def test_an_argument_of_a_wrong_type_is_an_error(changes: dict[str, Any], message: str):
    given: dict[str, Any] = {"features": {"f": IDS}, "stacks": one_stack(), "system": SYSTEM}
    with pytest.raises(SparseCoreError) as caught:
        preprocess(**(given | changes))
    assert str(caught.value)[: len(message)] == message


def test_numbers_may_be_of_numpy():
    numbers: dict[str, Any] = {"threads": np.int64(2), "local_devices": np.int32(2)}
    done = preprocess({"f": IDS}, list(one_stack()), SYSTEM, **numbers)
    assert done.buffers["t"].gains.shape[0] == 2


@pytest.mark.parametrize(
    ("vote", "shown"), [(lambda _: None, "None"), (lambda _: 2, "2"), (lambda _: -1, "-1")]
)
def test_an_agreement_without_this_hosts_bits_is_an_error(vote: Any, shown: str):
    """This host's bit is 1, which 2 lacks."""
    ids = np.zeros((8, 1), np.int32)  # They exceed the limit of ids, not that of unique ids.
    stacks = [dataclasses.replace(one_stack()[0], max_ids_per_partition=1)]
    with pytest.raises(SparseCoreError) as caught:
        preprocess({"f": ids}, stacks, SYSTEM, minibatching="vocabulary", agree=vote)
    assert str(caught.value) == (
        f"preprocess: agree(1) is {shown}; expected an integer with these bits and those of the "
        "other processes"
    )


def test_the_first_of_several_errors_is_raised():
    """Which error is raised does not depend on which thread is faster."""
    names = [f"f{number}" for number in range(8)]
    stacks = stack(
        [FeatureSpec(name, TableSpec(f"t{name}", 64, 8), 1 << 16) for name in names],
        SYSTEM,
        disable_table_stacking=True,
    )
    features = {name: np.full((1 << 16, 1), 64, np.int32) for name in names}
    for _ in range(5):
        with pytest.raises(SparseCoreError, match="feature 'f0', sample 0: id is 64"):
            preprocess(features, stacks, SYSTEM)


def test_hosts_agree_on_minibatches():
    """Each of two hosts preprocesses its half; together they have the buffers of one host."""
    case = make_case(
        np.random.default_rng(5),
        System(4, 2),
        tables=2,
        features=2,
        combiners=["sum"],
        weighted=True,
        stacking=False,
        valencies=(16,),
        vocabularies=(3_000_000,),
    ).limited(6, 6)
    whole = case.run("sdykit", "vocabulary")
    assert whole.num_minibatches > 1
    assert case.weights is not None
    barrier = threading.Barrier(2)
    votes: list[list[int]] = [[], []]
    done: list[Preprocessed | None] = [None, None]

    def host(number: int) -> None:
        def agree(bits: int) -> int:
            votes[number].append(bits)
            barrier.wait(60)
            both = votes[0][-1] | votes[1][-1]
            barrier.wait(60)
            return both

        features, weights = {}, {}
        for stacked in case.stacks:
            for feature in stacked.features:
                name, half = feature.spec.name, feature.spec.batch_size // 2
                features[name], weights[name] = _half(case, name, number, half)
        done[number] = preprocess(
            features,
            case.stacks,
            case.system,
            weights=weights,
            config=ANY_SAMPLE,
            minibatching="vocabulary",
            local_devices=2,
            agree=agree,
        )

    other = threading.Thread(target=host, args=(1,))
    other.start()
    host(0)
    other.join()
    for stacked in case.stacks:
        expected = whole.buffers[stacked.name]
        for name in ("row_pointers", "embedding_ids", "sample_ids", "gains"):
            parts = [getattr(each.buffers[stacked.name], name) for each in done if each]
            assert np.concatenate(parts).tobytes() == getattr(expected, name).tobytes()


def _half(case: Any, name: str, number: int, half: int) -> tuple[Any, Any]:
    given, weights = case.features[name], case.weights[name]
    if isinstance(given, np.ndarray):
        chosen = slice(number * half, (number + 1) * half)
        return given[chosen], weights[chosen]
    splits = given.row_splits[number * half : (number + 1) * half + 1]
    chosen = slice(splits[0], splits[-1])
    return type(given)(given.values[chosen], splits - splits[0]), weights[chosen]
