"""Limits of a layer: from a file, and from its first batch."""

from __future__ import annotations

import logging
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.embedding.layer import embedding as layer_module
from sdykit.bridge.embedding.layer import estimate
from sdykit.sparsecore.errors import LimitExceeded, SparseCoreError
from sdykit.sparsecore.limits import compute_limits, write_limits
from sdykit.sparsecore.optimizers import SGD

SAMPLES = 16
WORDS = sc.TableSpec("words", 64, 8, SGD(1.0))
FEATURES = [sc.FeatureSpec("word", WORDS, SAMPLES)]
PLAIN = sc.Embedding(FEATURES)
NUMBERS = np.arange(SAMPLES)
FEW = {"word": np.stack([NUMBERS % 8, np.where(NUMBERS, -1, 1)], axis=1)}
"""Ids 0 1, 1, 2, 3 on the first of 4 SparseCores, then 4, 5, 6, 7 and so on: 17 ids."""
MORE = {"word": np.stack([NUMBERS, NUMBERS + 1], axis=1)}
"""Ids 0 1, 1 2, 2 3, 3 4 on the first SparseCore: 32 ids."""


def limits_file(path: Path) -> str:
    """Write the limits of `FEW`."""
    write_limits(path, compute_limits([FEW], PLAIN.stacks, PLAIN.system))
    return str(path)


def layer_of(**settings: Any) -> sc.Embedding:
    return sc.Embedding(FEATURES, config=sc.SparsecoreConfig(**settings))


def limits_of(layer: sc.Embedding) -> list[int]:
    (stack,) = layer.stacks
    return [int(each.max()) for each in stack.partition_limits]


def check_that_the_file_counts(path: Path) -> None:
    """Check what a file of limits changes: buffers, the limits of programs, and what is refused."""
    layer = layer_of(xla_sparse_core_max_ids_file=limits_file(path))
    batch = layer.preprocess(FEW)["words"]
    assert (batch.max_ids_per_partition, batch.max_unique_ids_per_partition) == (2, 1)
    # 4 SparseCores send at most 2 ids to each of 4 partitions, in 8 entries.
    assert batch.embedding_ids.shape == (4 * 4 * 8,)
    assert PLAIN.preprocess(FEW)["words"].embedding_ids.shape == (4 * 4 * 256,)
    PLAIN.preprocess(MORE)
    with pytest.raises(LimitExceeded) as raised:
        layer.preprocess(MORE)
    assert str(raised.value) == (
        "table 'words': a step has 32 ids, over all SparseCores and partitions; compiled for 17 "
        "(max_ids_per_table): raise it, or set allow_id_dropping"
    )


def test_the_limits_of_a_file_count(tmp_path: Path) -> None:
    check_that_the_file_counts(tmp_path / "limits.json")


def ignore_everything(config: Any, stacks: Any, *_: Any) -> Any:
    return config, tuple(stacks)


def ignore_tables(config: Any, stacks: Any, system: Any) -> Any:
    return config, sc.limits.with_limits(config, stacks, system)[1]


def ignore_partitions(config: Any, stacks: Any, system: Any) -> Any:
    return sc.limits.with_limits(config, stacks, system)[0], tuple(stacks)


@pytest.mark.parametrize("broken", [ignore_everything, ignore_tables, ignore_partitions])
def test_a_layer_that_ignores_the_file_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: Any
) -> None:
    """The check above fails, were the file ignored."""
    monkeypatch.setattr(layer_module, "with_limits", broken)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check_that_the_file_counts(tmp_path / "limits.json")


def test_the_first_batch_determines_the_limits(caplog: pytest.LogCaptureFixture) -> None:
    layer = layer_of(xla_sparse_core_estimate_max_ids=True)
    assert limits_of(layer) == [256, 256]
    batch = layer.preprocess(FEW)["words"]
    layer.preprocess(FEW)
    assert (batch.max_ids_per_partition, batch.max_unique_ids_per_partition) == (2, 1)
    counted = compute_limits([FEW], PLAIN.stacks, PLAIN.system)
    config, stacks = counted.of_program(PLAIN.settings.config, PLAIN.stacks, PLAIN.system)
    assert layer.stacks == stacks
    assert layer.settings.config.max_ids_per_table == config.max_ids_per_table == {"words": 17}
    assert caplog.record_tuples == [
        (
            "sdykit.bridge.embedding.layer.estimate",
            logging.WARNING,
            "Embedding: limits are estimated from the first batch "
            "(xla_sparse_core_estimate_max_ids): stack words: 2 ids and 1 unique ids of a partition",
        )
    ]


def test_a_batch_that_exceeds_the_estimate_raises_the_limits(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Programs are compiled again, once, with a log line; the values are right."""
    layer = layer_of(xla_sparse_core_estimate_max_ids=True)
    table = np.random.default_rng(0).normal(size=(64, 8)).astype(np.float32)
    variables, traces = layer.from_tables({"words": table}), list[int]()

    @jax.jit
    def lookup(variables: Any, batch: Any) -> Any:
        traces.append(batch["words"].max_ids_per_partition)
        return layer.lookup(variables, batch)

    for features in (FEW, MORE, FEW, MORE):
        found = lookup(variables, layer.preprocess(features))["word"]
        ids = features["word"]
        expected = np.where(ids[..., None] < 0, 0, table[ids]).sum(axis=1)
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert traces == [2, 3]  # 1.25 * 2, rounded up
    assert limits_of(layer) == [3, 3]
    assert caplog.messages[1:] == [
        "Embedding: a batch exceeds the estimated limits: table 'words': a step has 32 ids, over "
        "all SparseCores and partitions; compiled for 17 (max_ids_per_table): raise it, or set "
        "allow_id_dropping. They are raised, and lookups and updates are compiled again: stack "
        "words: 5 to 12 ids and 4 to 9 unique ids, over its partitions"
    ]


def test_limits_that_programs_do_not_have_are_raised_without_a_new_compilation(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A sample has more ids, another none."""
    layer = layer_of(xla_sparse_core_estimate_max_ids=True)
    layer.prepare(FEW)
    before = layer.stacks
    ids = np.pad(FEW["word"], ((0, 0), (0, 1)), constant_values=-1)
    ids[0, 2], ids[2, 0] = 2, -1
    layer.prepare({"word": ids})
    assert layer.stacks == before
    assert caplog.messages[1:] == [
        "Embedding: a batch exceeds the estimated limits: device 0, sample 0: the features word "
        "have 3 ids together; compiled for 2 (max_ids_per_chip_per_sample): raise it, or set "
        "allow_id_dropping. They are raised, and lookups and updates are not compiled again"
    ]


def test_ids_are_dropped_rather_than_limits_raised() -> None:
    layer = layer_of(xla_sparse_core_estimate_max_ids=True, allow_id_dropping=True)
    layer.prepare(FEW)
    assert layer.prepare(MORE).statistics["words"].dropped >= 32 - 17
    assert limits_of(layer) == [2, 1]


def test_batches_are_split_rather_than_limits_raised() -> None:
    limits = {"words": 1000}
    config = sc.SparsecoreConfig(
        xla_sparse_core_estimate_max_ids=True,
        max_ids_per_table=limits,
        max_unique_ids_per_table=limits,
    )
    layer = sc.Embedding(FEATURES, config=config, minibatching="vocabulary")
    layer.prepare(FEW)
    assert layer.prepare({"word": np.arange(32).reshape(16, 2)}).num_minibatches > 1
    assert limits_of(layer) == [2, 1]


def test_a_limit_that_is_set_is_not_raised() -> None:
    layer = layer_of(xla_sparse_core_estimate_max_ids=True, max_ids_per_table={"words": 20})
    layer.prepare(FEW)
    with pytest.raises(LimitExceeded, match=r"32 ids.*; compiled for 20 \(max_ids_per_table\)"):
        layer.prepare(MORE)


def test_limits_of_tables_in_a_stack_of_several_are_warned_of() -> None:
    tables = [sc.TableSpec("a", 64, 8), sc.TableSpec("b", 64, 8, max_ids_per_partition=4096)]
    features = [sc.FeatureSpec(each.name, each, SAMPLES) for each in tables]
    with pytest.warns(UserWarning, match="has no effect") as caught:
        layer = sc.Embedding(features)
    assert limits_of(layer) == [256, 256]
    assert [(str(each.message), each.filename) for each in caught] == [
        (
            "Embedding: table 'b': max_ids_per_partition is 4096, and has no effect: the stack of its 2"
            " tables has 256. Expected limits of the stack, with limits=, xla_sparse_core_max_ids_file"
            " or xla_sparse_core_estimate_max_ids; or disable_table_stacking",
            __file__,
        )
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        apart = sc.Embedding(features, config=sc.SparsecoreConfig(disable_table_stacking=True))
        sc.Embedding(features, config=sc.SparsecoreConfig(xla_sparse_core_estimate_max_ids=True))
    assert [each.max_ids_per_partition for each in apart.stacks] == [256, 4096]


def test_threads_may_prepare_batches(caplog: pytest.LogCaptureFixture) -> None:
    layer = layer_of(xla_sparse_core_estimate_max_ids=True)
    grid = np.arange(SAMPLES * 8).reshape(SAMPLES, 8) % 64
    batches = [{"word": grid[:, : 1 + at % 8]} for at in range(64)]
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(layer.prepare, batches))
    for batch, prepared in zip(batches, done, strict=True):
        assert prepared.statistics["words"].ids.sum() == batch["word"].size
    assert sum("first batch" in message for message in caplog.messages) == 1
    assert len(caplog.messages) <= 9


def test_a_slower_thread_does_not_lower_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of the limits before is done after another one has raised them."""
    layer = layer_of(xla_sparse_core_estimate_max_ids=True)
    is_raised, has_begun, real = threading.Event(), threading.Event(), layer_module.preprocess

    def slow(features: Any, *arguments: Any, **options: Any) -> Any:
        if features is FEW:
            has_begun.set()
            assert is_raised.wait(60)
        return real(features, *arguments, **options)

    monkeypatch.setattr(layer_module, "preprocess", slow)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(layer.prepare, FEW)
        assert has_begun.wait(60)
        more = layer.prepare(MORE)
        raised = limits_of(layer)
        is_raised.set()
        few = first.result(60)
    assert limits_of(layer) == raised > [2, 1]
    variables = layer.init(jax.random.key(0), jax.nn.initializers.ones)
    found = [jax.jit(layer.lookup)(variables, layer.put(each))["word"] for each in (more, few)]
    assert [int(each.sum()) for each in found] == [32 * 8, 17 * 8]


def test_a_bad_first_batch_leaves_no_limits() -> None:
    layer = layer_of(xla_sparse_core_estimate_max_ids=True)
    with pytest.raises(sc.SparseCoreError, match="64"):
        layer.prepare({"word": np.full((SAMPLES, 1), 64)})
    layer.prepare(FEW)
    assert limits_of(layer) == [2, 1]


def test_a_file_and_an_estimate_are_an_error(tmp_path: Path) -> None:
    path = limits_file(tmp_path / "limits.json")
    with pytest.raises(sc.SparseCoreError) as raised:
        layer_of(xla_sparse_core_estimate_max_ids=True, xla_sparse_core_max_ids_file=path)
    assert str(raised.value) == (
        f"config: xla_sparse_core_max_ids_file is {path!r}, and "
        "xla_sparse_core_estimate_max_ids is true; expected one of them"
    )


def test_several_processes_cannot_estimate() -> None:
    config = sc.SparsecoreConfig(xla_sparse_core_estimate_max_ids=True)
    with pytest.raises(sc.SparseCoreError) as raised:
        estimate.make_estimator(config, PLAIN.stacks, PLAIN.system, 2)
    assert str(raised.value) == (
        "config: xla_sparse_core_estimate_max_ids is true, but the mesh has 2 processes, whose "
        "batches need different limits; expected xla_sparse_core_max_ids_file, a file that "
        "`sdykit limits` writes"
    )


def test_limits_that_are_given_win() -> None:
    config = sc.SparsecoreConfig(xla_sparse_core_estimate_max_ids=True)
    given = compute_limits([MORE], PLAIN.stacks, PLAIN.system)
    layer = sc.Embedding(FEATURES, config=config, limits=given)
    layer.prepare(FEW)
    assert limits_of(layer) == [2, 2]


def test_limits_whose_entries_do_not_fit_are_an_error_before_a_batch_takes_memory() -> None:
    table = sc.TableSpec("words", 64, 8, SGD(1.0), max_ids_per_partition=10**8)
    with pytest.raises(SparseCoreError) as raised:
        sc.Embedding([sc.FeatureSpec("word", table, SAMPLES)])
    text = str(raised.value)
    assert text.startswith(
        "Embedding: table 'words' (feature 'word'): Fixed size allocations (175000256 bytes) do not fit "
        "in TileSpmem (524288 bytes): 11 allocations, in bytes: entry_ids, entry_samples, entry_gains, "
        "entry_rows, own_entries, csr_rows, csr_gains 25000000 each (max_ids_per_partition / lanes * "
        "lanes); "
    )
    assert ". To fit: max_ids_per_partition = " in text


def test_estimated_limits_whose_entries_do_not_fit_are_an_error(tmp_path: Path) -> None:
    """A SparseCore has 40 x 16 entries for partition 0: 7 buffers, on 16 tiles of 1024 bytes."""
    small = tmp_path / "small.toml"
    small.write_text('base = "v5p"\ntile_memory_bytes = 1024\n')
    config = sc.SparsecoreConfig(xla_sparse_core_estimate_max_ids=True)
    layer = sc.Embedding([sc.FeatureSpec("word", WORDS, 160)], chip=str(small), config=config)
    with pytest.raises(SparseCoreError) as raised:
        layer.prepare({"word": np.tile(np.arange(0, 64, 4), (160, 1))})
    text = str(raised.value)
    assert text.startswith("Embedding: table 'words' (feature 'word'): Fixed size allocations (")
    assert "max_ids_per_partition = 640" in text
