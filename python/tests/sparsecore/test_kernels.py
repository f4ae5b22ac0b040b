"""The native loops take no bad arguments: an error, or a result, but never a crash.

`make asan` runs these tests with a build that stops at the first access outside of an array.
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sdykit.errors import SdykitError
from sdykit.sparsecore import _kernels, loops
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.limits import counter
from sdykit.sparsecore.preprocess import batch, buckets, plan, target
from sdykit.sparsecore.specs import Combiner, FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack
from support.sparsecore.preprocess_cases import UNCHECKED, Case, make_case

USERS = {
    "fill_lists": plan,
    "pack_stacks": batch,
    "group_cores": buckets,
    "pack_minibatches": buckets,
    "split_bits": buckets,
    "index_samples": target,
    "count_cores": counter,
}
COMBINERS: tuple[Combiner, ...] = ("sum", "mean", "sqrtn")
REFUSED = (ValueError, TypeError, OverflowError, RuntimeError)
NUMBERS = (-(2**63), -(2**31), -1, 0, 1, 7, 33, 64, 2**31 - 1, 2**31, 2**40, 2**63 - 1)
Call = tuple[str, list[Any]]


def make(seed: int) -> Case:
    random = np.random.default_rng(seed)
    system = System(int(random.choice([1, 2])), int(random.choice([1, 4])))
    return make_case(
        random,
        system,
        tables=2,
        features=3,
        combiners=[COMBINERS[seed % 3]],
        weighted=seed % 2 == 1,
        stacking=True,
        valencies=(1, 5),
        rows=4,
    )


def run(case: Case) -> None:
    names = [table.spec.name for stack in case.stacks for table in stack.tables]
    config = SparsecoreConfig(
        max_ids_per_chip_per_sample=2**30,
        allow_id_dropping=True,
        max_ids_per_table=dict.fromkeys(names, 20),
    )
    case.run(minibatching="off", config=config)
    for minibatching_by in ("vocabulary", "sample"):
        case.limited(3, 3).run(minibatching=minibatching_by, config=config)
    limits = counter.LimitCounter(case.stacks, case.system)
    limits.add(case.features)


@pytest.fixture(scope="module")
def calls() -> dict[str, list[Call]]:
    """Real calls of each function, with the arguments as they were before the call."""
    found: dict[str, list[Call]] = {name: [] for name in USERS}

    def recording(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            if len(found[name]) < 12:
                found[name].append((name, copy.deepcopy(list(arguments))))
            return function(*arguments)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name, module in USERS.items():
            patch.setattr(module, name, recording(name, getattr(_kernels, name)))
        for seed in range(4):
            run(make(seed))
    assert all(found.values()), [name for name, each in found.items() if not each]
    return found


def broken_array(random: np.random.Generator, array: np.ndarray) -> Any:
    """Return another array, or the same with other numbers."""
    way = random.integers(9)
    if way == 0:
        return array.astype(np.float64)
    if way == 1:
        return np.repeat(array, 2, axis=-1)[..., ::2]
    if way == 2:
        return array[..., : int(random.integers(array.shape[-1] + 1))].copy()
    if way == 3:
        return array[: int(random.integers(len(array) + 1))]
    if way == 4:
        return array[None]
    if way == 5:
        array = array.copy()
        array.flags.writeable = False
        return array
    if way == 6:
        return None
    # Numbers that no caller of the package passes.
    bytes_of = random.integers(0, 256, array.nbytes, dtype=np.uint8)
    wild = bytes_of.view(array.dtype).reshape(array.shape)
    if way == 7:
        return wild
    return np.where(random.random(array.shape) < 0.1, wild, array).astype(array.dtype)


def broken(random: np.random.Generator, value: Any) -> Any:
    """Return something that differs from an argument in one place."""
    if isinstance(value, np.ndarray):
        return broken_array(random, value)
    if isinstance(value, tuple):
        if random.random() < 0.1:
            return value[:-1]
        at = int(random.integers(len(value)))
        return (*value[:at], broken(random, value[at]), *value[at + 1 :])
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | np.integer):
        return int(value) + 1 if random.random() < 0.3 else int(random.choice(NUMBERS))
    return None


@pytest.mark.parametrize("name", USERS)
def test_bad_arguments_are_refused_or_harmless(name: str, calls: dict[str, list[Call]]) -> None:
    """One argument in a real call is broken: of 1200 calls some hundreds are refused."""
    function, random = getattr(_kernels, name), np.random.default_rng(0)
    refused = 0
    for number in range(1200):
        arguments = copy.deepcopy(calls[name][number % len(calls[name])][1])
        at = int(random.integers(len(arguments)))
        arguments[at] = broken(random, arguments[at])
        try:
            function(*arguments)
        except REFUSED:
            refused += 1
    assert 100 < refused < 1200, refused


def replaced(arguments: list[Any], path: tuple[int, ...], value: Any) -> list[Any]:
    """Return the arguments with another value in one place."""
    first, *rest = path
    changed = list(arguments)
    if rest:
        value = tuple(replaced(list(changed[first]), tuple(rest), value))
    changed[first] = value
    return changed


F32 = np.zeros(3, np.float32)


@pytest.mark.parametrize(
    ("name", "path", "value", "text"),
    [
        (
            "fill_lists",
            (1, 0, 0, 0),
            np.zeros(9),
            r"fill_lists: ids is float64\[9\]; expected int32 or int64",
        ),
        (
            "fill_lists",
            (1, 0, 0, 0),
            np.zeros(0, np.int32),
            r"fill_lists: (there are 0 ids|SparseCore 0|sample 0)",
        ),
        (
            "fill_lists",
            (3,),
            np.zeros(0, np.uint64),
            r"fill_lists: words is uint64\[0\]; expected at least \d+ elements",
        ),
        ("fill_lists", (1, 0, 0, 5, 4), 33, r"fill_lists: bits is 33; expected 0 to 32"),
        ("fill_lists", (1, 1), 3, r"fill_lists: combiner is 3; expected 0 to 2"),
        (
            "fill_lists",
            (1, 3, 2),
            np.zeros((1, 1, 1), np.int64),
            r"fill_lists: observed is int64\[1, 1, 1\]; expected \[SparseCores, tables, 2\]",
        ),
        ("pack_stacks", (4,), -(2**63), r"pack_stacks: threads is -\d+; expected 1 to \d+"),
        ("pack_stacks", (0, 0), (1,), r"pack_stacks: stack has 1 elements; expected 8"),
        (
            "pack_stacks",
            (0, 0, 3, 1),
            np.zeros((1, 8), np.int32),
            r"pack_stacks: sample ids is int32\[1, 8\]; expected \[\d+, \d+\]",
        ),
        (
            "pack_stacks",
            (0, 0, 4),
            np.zeros((1, 1), np.int32),
            r"pack_stacks: pointers is int32\[1, 1\]; expected at least \[\d+, \d+\]",
        ),
        (
            "pack_stacks",
            (1,),
            np.array([[0, 0, 1], [0, 0, 1]]),
            r"pack_stacks: SparseCore of a part is 0; expected 1 to 1",
        ),
        (
            "pack_stacks",
            (1,),
            np.array([[0, 0, 99]]),
            r"pack_stacks: SparseCore of a part is 99; expected 0 to \d+",
        ),
        (
            "pack_stacks",
            (1,),
            np.array([[99, 0, 1]]),
            r"pack_stacks: stack of a part is 99; expected 0 to \d+",
        ),
        (
            "group_cores",
            (2, 1),
            33,
            r"group_cores: bits of a key is 33; expected \d+ to 32",
        ),
        (
            "pack_minibatches",
            (4,),
            np.array([0, 65]),
            r"pack_minibatches: firsts is 65; expected 0 to 64",
        ),
        (
            "split_bits",
            (0,),
            np.zeros((1, 1, 63), np.int32),
            r"split_bits: counts is int32\[1, 1, 63\]; expected \[SparseCores, partitions, 64\]",
        ),
        (
            "count_cores",
            (4,),
            np.zeros(2, np.int64),
            r"count_cores: (a word is of row|counts of ids is)",
        ),
        (
            "index_samples",
            (4, 0),
            np.zeros((1, 4, 1), np.int32),
            r"index_samples: entry \d+ is of sample \d+; expected one below 0",
        ),
        ("index_samples", (3, 2), 65, r"index_samples: minibatches is 65; expected 1 to 64"),
        (
            "index_samples",
            (4, 0),
            np.zeros((1, 1), np.int32),
            r"index_samples: splits is int32\[1, 1\]; expected 3 dimensions",
        ),
    ],
)
def test_an_error_names_the_argument(
    calls: dict[str, list[Call]], name: str, path: tuple[int, ...], value: Any, text: str
) -> None:
    arguments = replaced(copy.deepcopy(calls[name][0][1]), path, value)
    with pytest.raises(ValueError, match=text):
        getattr(_kernels, name)(*arguments)


def test_a_read_only_output_is_an_error(calls: dict[str, list[Call]]) -> None:
    arguments = copy.deepcopy(calls["fill_lists"][0][1])
    arguments[3].flags.writeable = False
    with pytest.raises(ValueError, match=r"fill_lists: words: .*read-only"):
        _kernels.fill_lists(*arguments)


def test_an_unchecked_id_keeps_the_key_within_32_bits() -> None:
    """The largest id of a stack's second table on one SparseCore needs all bits of a key."""
    system = System(1, 1)
    features = [FeatureSpec(name, TableSpec(name, 64, 8), 2) for name in "ab"]
    case = Case(
        system,
        stack(features, system),
        {"a": np.array([[1], [2]], np.int32), "b": np.array([[5], [2**31 - 1]], np.int32)},
        None,
    )
    done = case.run("jax_tpu_embedding", config=UNCHECKED)
    ((name, buffers),) = done.buffers.items()
    assert done.statistics[name].ids.tolist() == [[4]]
    assert buffers.embedding_ids[0, :3].tolist() == [1, 2, 69]


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ((0,), np.zeros(29, np.int32), r"ids is int32\[29\]; expected at least 30 elements"),
        ((2, 1), 0, r"samples is 0; expected 1 to \d+"),
        ((3,), np.zeros((1, 3), np.int64), r"tiles of all SparseCores is 3; expected 4 to 4"),
        ((4,), np.zeros(4, np.int32), r"unique_ids is int32\[4\]; expected int64"),
    ],
)
def test_wrong_arguments_of_raw_ids_are_errors(
    path: tuple[int, ...], value: Any, text: str
) -> None:
    # 2 SparseCores of 2 tiles and 5 samples, of 3 ids each.
    arguments: list[Any] = [np.zeros(30, np.int32), (0, 9), (3, 5, 2, 1024)]
    arguments += [np.zeros((1, 4), np.int64), np.zeros(4, np.int64)]
    _kernels.count_raw_ids(*arguments)
    assert arguments[3].tolist() == [[6, 9, 6, 9]]
    assert arguments[4].tolist() == [1, 1, 1, 1]
    with pytest.raises(ValueError, match=f"^count_raw_ids: {text}"):
        _kernels.count_raw_ids(*replaced(arguments, path, value))


def test_loops_of_another_build_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kernels, "INTERFACE", "0" * 64)
    with pytest.raises(SdykitError) as raised:
        importlib.reload(loops)
    assert str(raised.value) == (
        f"{_kernels.__file__} was built from other sources than the Python files beside it: expected the "
        "interface of _kernels.pyi; install sdykit again, in a checkout with `make -B setup`"
    )


def test_a_build_without_an_interface_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(_kernels, "INTERFACE")
    with pytest.raises(SdykitError, match="was built from other sources"):
        importlib.reload(loops)


def test_all_loops_are_exported() -> None:
    known = {name for name in vars(_kernels) if not name.startswith("_")} - {"INTERFACE"}
    assert all(getattr(loops, name) is getattr(_kernels, name) for name in known)
