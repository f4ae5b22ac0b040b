"""Runs as folders: what is written is read again, and what is damaged is an error that says so."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.run import Calls, Run, ScopeSpans, is_run, read_run, write_run
from sdykit.sparsecore.run import writer as writer_module
from sdykit.sparsecore.timeline import measured
from support.runs import make_run, with_fields


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.shape == other.shape and bool((one == other).all())
    if dataclasses.is_dataclass(one) and not isinstance(one, type):
        names = [each.name for each in dataclasses.fields(one) if each.name != "path"]
        return type(one) is type(other) and all(
            _same(getattr(one, name), getattr(other, name)) for name in names
        )
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(_same, one, other))
    return one == other


def _written(folder: Path, **fields: Any) -> Run:
    run = with_fields(make_run(), **fields)
    write_run(folder, run)
    return run


@pytest.mark.parametrize("tables", [1, 3])
def test_what_is_written_is_read(tmp_path: Path, tables: int) -> None:
    run = make_run(tables=tables, seed=tables)
    write_run(tmp_path / "run", run)
    found = read_run(tmp_path / "run")
    assert _same(run, found)
    assert found.path == tmp_path / "run"
    assert found.steps == (0, 1, 2)
    assert found.sampled_steps == (1,)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_figures_of_a_step_are_checked_by_the_program_that_they_are_of(tmp_path: Path) -> None:
    _written(tmp_path / "run")
    found = read_run(tmp_path / "run")
    figures = found.figures(1)
    assert set(figures) == {(number, 0) for number in range(4)}
    for (program, _), statistics in figures.items():
        statistics.check(found.programs[program].tile)
        assert int(statistics.ids.sum()) == 100
    with pytest.raises(SparseCoreError, match=r"step 0 was not sampled; expected one of 1"):
        found.figures(0)


def test_a_run_without_calls_is_a_run(tmp_path: Path) -> None:
    run = make_run()
    none = np.zeros(0, np.int64)
    empty = Calls(none, none, none, none.astype(float), none.astype(float), none)
    write_run(tmp_path / "run", with_fields(run, calls=empty, ids=(), ledger=None))
    found = read_run(tmp_path / "run")
    assert found.steps == ()
    assert found.ledger is None


def test_a_file_of_a_chip_is_kept_with_the_run(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('base = "v5p"\nhbm_bytes = 1073741824\n')
    write_run(tmp_path / "run", make_run(chip_name=str(file)))
    file.unlink()
    found = read_run(tmp_path / "run")
    assert found.programs[0].tile.hardware.hbm_bytes == 2**30
    assert found.ledger is not None
    assert found.ledger.capacity == 2**30


def test_a_run_is_replaced_only_if_asked(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    _written(folder)
    with pytest.raises(SparseCoreError, match=r"has a run already; expected .* overwrite=True"):
        _written(folder)
    write_run(folder, make_run(steps=5), overwrite=True)
    assert len(read_run(folder).steps) == 5
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_other_folders_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("x")
    with pytest.raises(SparseCoreError, match=r"is there already, and is not a run"):
        write_run(tmp_path / "mine", make_run(), overwrite=True)
    with pytest.raises(SparseCoreError, match=r"there is no folder '.*none'"):
        write_run(tmp_path / "none" / "run", make_run())
    (tmp_path / "empty").mkdir()
    write_run(tmp_path / "empty", make_run())
    assert is_run(tmp_path / "empty")


def test_a_failing_write_leaves_the_run_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    _written(folder)

    def full(*_: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writer_module, "text_of", full)
    with pytest.raises(SparseCoreError, match=r"cannot write '.*run': No space left on device"):
        write_run(folder, make_run(steps=5), overwrite=True)
    assert len(read_run(folder).steps) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _set(folder: Path, key: str, value: object) -> None:
    file = folder / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {key: value}))


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda folder: (folder / "run.json").unlink(), r"is not a run: it has no run\.json"),
        (lambda folder: _cut(folder / "run.json"), r"run\.json: error: it is damaged or cut off"),
        (lambda folder: _cut(folder / "arrays.npz"), r"bytes; expected \d+: it is cut off"),
        (lambda folder: (folder / "arrays.npz").unlink(), r"the run is not whole: record it again"),
        (lambda folder: _set(folder, "version", 2), r"version 2, and this sdykit reads up to 1"),
        (lambda folder: _set(folder, "format", "x"), r"run\.json: error: it is not of a run"),
        (lambda folder: _set(folder, "tables", 1), r"it is damaged: .*int.*; record it again"),
        (lambda folder: _set(folder, "programs", [{}]), r"damaged: there is no 'spec'"),
    ],
)
def test_what_is_no_whole_run_is_an_error(tmp_path: Path, harm: Any, message: str) -> None:
    folder = tmp_path / "run"
    _written(folder)
    harm(folder)
    with pytest.raises(SparseCoreError, match=message):
        read_run(folder)


def _without(folder: Path, prefix: str) -> None:
    """Take the arrays away whose names begin so."""
    file = folder / "arrays.npz"
    with np.load(file, allow_pickle=False) as arrays:
        kept = {name: arrays[name] for name in arrays.files if not name.startswith(prefix)}
        assert len(kept) < len(arrays.files)
    np.savez_compressed(file, allow_pickle=False, **kept)
    _set(folder, "arrays_bytes", file.stat().st_size)


def _with_a_scope(folder: Path) -> Run:
    numbers, times = np.zeros(1, np.int64), np.zeros(1)
    names = np.array(["outer/inner"])
    scopes = ScopeSpans(numbers, numbers, numbers, names, times, times + 1, numbers, times)
    return _written(folder, scopes=scopes)


def test_scopes_are_read_as_they_were_written(tmp_path: Path) -> None:
    run = _with_a_scope(tmp_path / "run")
    assert len(run.scopes) == 1
    assert _same(run, read_run(tmp_path / "run"))


def test_a_run_recorded_before_scopes_is_read_without_them(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run = _with_a_scope(folder)
    _without(folder, "scopes/")
    found = read_run(folder)
    assert len(found.scopes) == 0
    assert _same(dataclasses.replace(run, scopes=ScopeSpans.none()), found)
    assert [each for each in measured(found) if "scope" in each.arguments] == []
    assert measured(found) == measured(dataclasses.replace(run, scopes=ScopeSpans.none()))


def test_a_run_with_a_part_of_its_scopes_is_damaged(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    _with_a_scope(folder)
    _without(folder, "scopes/left_out_seconds")
    with pytest.raises(SparseCoreError, match=r"damaged: there is no 'scopes/left_out_seconds'"):
        read_run(folder)


def test_there_is_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(SparseCoreError, match=r"is not a run: there is no such folder; expected"):
        read_run(tmp_path / "none")


def test_columns_have_one_length() -> None:
    calls = make_run().calls
    with pytest.raises(SparseCoreError, match=r"Calls\.device is int64\[1\]; expected rank 1"):
        dataclasses.replace(calls, device=calls.device[:1])
    with pytest.raises(SparseCoreError, match=r"Calls\.start is int64"):
        dataclasses.replace(calls, start=calls.device)
