"""Recordings of training loops: what is in the run, and what happens around it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import jax
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.recording import session
from sdykit.sparsecore.counts import count
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.run import read_run
from support.bridge.ffi_programs import run_python
from support.recording.loops import batches, make_layer, make_tables, train


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    sc.configure()
    sc.reset_counters()


LOOP = """
import sys
import sdykit.sparsecore as sc
from support.bridge.ffi_programs import run_python
from support.recording.loops import batches, make_layer, make_tables, train

folder, devices, minibatching = {!r}, {}, {!r}
sc.lookup  # JAX starts a thread for each device.
import jax

limits = {{}} if minibatching == "off" else {{"max_ids_per_partition": 16 // devices}}
mesh = None if devices == 1 else jax.make_mesh((devices,), ("x",))
layer = make_layer(make_tables(**limits), mesh=mesh, minibatching=minibatching)
with sc.record(folder):
    train(layer, batches(layer, 6))
"""


@pytest.mark.parametrize(("devices", "minibatching"), [(1, "vocabulary"), (2, "off")])
def test_a_run_has_each_program_of_each_step(
    tmp_path: Path, devices: int, minibatching: str
) -> None:
    flags = f"--xla_force_host_platform_device_count={devices}"
    run_python(LOOP.format(str(tmp_path / "run"), devices, minibatching), XLA_FLAGS=flags)
    run = read_run(tmp_path / "run")

    assert run.devices == devices
    assert run.steps == tuple(range(6))
    names = [(each.name, each.kind) for each in run.programs]
    stacks = ["table_0", "table_1"]
    assert names == [*((each, "lookup") for each in stacks), *((each, "update") for each in stacks)]
    assert [each.name for each in run.tables] == ["table_0", "table_1"]
    assert run.tables[0].features[0].name == "of_table_0"
    for step in run.steps:
        for device in range(devices):
            calls = run.calls.where((run.calls.step == step) & (run.calls.device == device))
            assert sorted(calls.program.tolist()) == [0, 1, 2, 3]
            assert len(set(calls.execution.tolist())) == 1
            assert (calls.start <= calls.end).all()
            lookups, updates = calls.program < 2, calls.program >= 2
            assert calls.end[lookups].max() <= calls.start[updates].min()
    assert run.calls.end.max() <= run.seconds
    assert run.host.name.tolist().count("preprocess") == 6
    compiles = run.host.where(run.host.name == "compile")
    for each in run.programs:  # They are compiled with the JAX function that calls them.
        assert ((compiles.start <= each.compiled_at) & (each.compiled_at <= compiles.end)).any()
    assert run.settings["pipelined"] is False
    assert len(run.batches) == 12
    assert (run.batches.minibatches > 1).any() == (minibatching != "off")
    assert run.settings["minibatching"] == minibatching
    assert run.ledger is not None
    assert not any(run.left_out.values())


def test_figures_are_those_that_the_runs_had(tmp_path: Path) -> None:
    sc.configure(counters=True)
    layer = make_layer(make_tables())
    step = list(batches(layer, 3))
    train(layer, iter(step))
    sc.reset_counters()
    with sc.record(tmp_path / "run"):
        train(layer, iter(step))
    run = read_run(tmp_path / "run")
    assert run.sampled_steps == (0, 1, 2)
    totals: dict[str, int] = {}
    for number in run.sampled_steps:
        for (program, _), figures in run.figures(number).items():
            for name, found in count(run.programs[program].tile, figures).totals.items():
                totals[name] = totals.get(name, 0) + found
    expected: dict[str, int] = {}
    for each in sc.counters():
        for name, found in each.totals.items():
            expected[name] = expected.get(name, 0) + found
    assert totals == expected
    kept = run.ids[0].ids["of_table_1"]
    assert np.array_equal(kept[0], np.ravel(step[0]["of_table_1"]))
    assert np.array_equal(kept[1], np.arange(65) * 4)


def test_figures_are_of_steps_with_updates_if_the_loop_evaluates_too(tmp_path: Path) -> None:
    layer = make_layer(make_tables())
    with sc.record(tmp_path / "run"):
        variables = train(layer, batches(layer, 3))
        for each in batches(layer, 9):
            jax.block_until_ready(layer.lookup(variables, layer.preprocess(each)))
    run = read_run(tmp_path / "run")
    assert len(run.steps) == 12
    assert run.sampled_steps == (0, 1, 2)
    assert all(len(run.figures(step)) == len(run.programs) for step in run.sampled_steps)


def test_programs_compiled_before_are_recorded_and_new_limits_are_a_recompilation(
    tmp_path: Path,
) -> None:
    small = make_layer(make_tables(1))
    train(small, batches(small, 1))
    with sc.record(tmp_path / "run"):
        train(small, batches(small, 2))
        large = make_layer(make_tables(1, max_ids_per_partition=512))
        train(large, batches(large, 2))
    run = read_run(tmp_path / "run")
    assert [each.compiled_at < 0 for each in run.programs] == [True, True, False, False]
    changed = [[each.name for each in program.changed] for program in run.programs]
    assert changed[2:] == [["max_ids_per_partition"], ["max_ids_per_partition"]]
    assert run.programs[2].changed[0].after == 512
    # The new functions take the places of the old ones.
    assert run.steps == (0, 1, 2, 3)


def test_lookups_without_a_layer(tmp_path: Path) -> None:
    table, ids = np.ones((50, 8), np.float32), np.zeros((8, 2), np.int32)
    lookup = jax.jit(lambda table, ids: sc.lookup(table, ids) + sc.lookup(table, ids + 1))
    with sc.record(tmp_path / "run"):
        for _ in range(3):
            lookup(table, ids).block_until_ready()
    run = read_run(tmp_path / "run")
    assert len(run.programs) == 1
    assert run.calls.step.tolist() == [0, 0, 1, 1, 2, 2]
    assert run.sampled_steps == (0, 1, 2)
    assert run.stacks == ()
    assert run.ledger is None


def test_an_error_in_the_loop_goes_on_and_the_run_is_written(tmp_path: Path) -> None:
    layer = make_layer(make_tables(1))

    def loop() -> None:
        with sc.record(tmp_path / "run"):
            train(layer, batches(layer, 2))
            raise ZeroDivisionError("of the loop")

    with pytest.raises(ZeroDivisionError):
        loop()
    run = read_run(tmp_path / "run")
    assert run.steps == (0, 1)
    assert run.error == "ZeroDivisionError: of the loop"
    with sc.record(tmp_path / "run", overwrite=True):
        pass
    assert read_run(tmp_path / "run").steps == ()


def test_a_second_recording_is_an_error(tmp_path: Path) -> None:
    second = sc.record(tmp_path / "other")
    message = "a recording is on already in this process"
    with sc.record(tmp_path / "run"), pytest.raises(SparseCoreError, match=message):
        second.__enter__()
    assert [each.name for each in tmp_path.iterdir()] == ["run"]


def test_the_folder_is_checked_before_the_loop(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    recording = sc.record(tmp_path / "mine", overwrite=True)
    with pytest.raises(SparseCoreError, match="is there already, and is not a run"):
        recording.__enter__()


def test_what_there_is_no_room_for_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MAX_CALLS", 5)
    monkeypatch.setattr(session, "MAX_SAMPLE_BYTES", 5000)
    layer = make_layer(make_tables(1))
    with sc.record(tmp_path / "run"):
        train(layer, batches(layer, 4))
    run = read_run(tmp_path / "run")
    assert len(run.calls) == 5
    assert run.left_out["calls"] == 3
    assert run.left_out["samples"] > 0


def test_batches_that_other_threads_prepare_are_recorded(tmp_path: Path) -> None:
    layer = make_layer(make_tables(1))
    with sc.record(tmp_path / "run"):
        thread = threading.Thread(
            target=lambda: [layer.prepare(each) for each in batches(layer, 3)]
        )
        thread.start()
        thread.join()
    run = read_run(tmp_path / "run")
    assert run.host.thread.tolist() == [1, 1, 1]
    assert run.batches.batch.tolist() == [0, 1, 2]


def test_minibatches_and_dropped_ids_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "sdykit")
    tables = make_tables(1, max_ids_per_partition=16)
    layer = make_layer(tables, minibatching="vocabulary")
    layer.prepare(next(batches(layer, 1)))
    config = sc.SparsecoreConfig(allow_id_dropping=True)
    dropping = make_layer(tables, config=config)
    done = dropping.prepare(next(batches(dropping, 1)))
    lost = done.statistics["table_0"].dropped
    assert lost > 0
    assert caplog.messages[0].startswith("a batch exceeds the limits of its tables: ")
    assert caplog.messages[1:] == [
        f"table 'table_0': {lost} ids of a batch exceed its limits, and are dropped"
    ]
