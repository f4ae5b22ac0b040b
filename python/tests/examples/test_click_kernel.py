"""The lookup of the click model as a kernel, beside the built-in one: the same bits, all the way."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import sdykit.sparsecore as sc
from examples.click_model.data import ClickData
from examples.click_model.embeddings import AXIS, make_embedding
from examples.click_model.kernel import KernelLearner, compare_lookups, lookup, rows_of
from examples.click_model.learner import Learner, State
from examples.click_model.model import log_odds, losses
from examples.click_model.options import parse
from examples.click_model.training import train
from sdykit.sparsecore.memory.kernels import kernel_spmem
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.run import read_run
from sdykit.sparsecore.timeline import measured

WIDTH, BATCH = 16, 256
TRAIN = Path(__file__).parents[3] / "examples" / "click_model" / "train.py"
VOCABULARIES = (4, 37, 1000)
"""Tables that end in the middle of a row of partitions."""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, TRAIN, *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    yield
    sc.configure()


def learners(chip: str, **settings: Any) -> tuple[ClickData, Learner, KernelLearner]:
    """Return the same model twice, with the built-in lookup and with the kernel."""
    sc.configure(chip, **settings)
    mesh = jax.make_mesh((1,), (AXIS,))
    data = ClickData(VOCABULARIES)
    embedding = make_embedding(data, WIDTH, BATCH, mesh)
    return data, Learner(mesh, WIDTH, embedding), KernelLearner(mesh, WIDTH, embedding)


def same(ours: Any, theirs: Any) -> None:
    """Compare two pytrees bit by bit."""
    ours, theirs = jax.tree.leaves(ours), jax.tree.leaves(theirs)
    assert len(ours) == len(theirs) > 0
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(
            np.asarray(one).view(np.int32), np.asarray(other).view(np.int32)
        )


@pytest.mark.parametrize(("chip", "mode"), [("v5p", "check"), ("v6e", "fast"), ("7x", "fast")])
def test_lookups_and_gradients(chip: str, mode: str) -> None:
    """Of numpy, too: an embedding is the row of an id."""
    data, plain, ours = learners(chip, pallas=mode)
    embedding = ours.embedding
    assert embedding is not None
    state, clicks = ours.init(1), data.batch("training", 0, BATCH)
    inputs = ours.inputs(clicks)
    ids = plain.inputs(clicks).ids

    def loss(embeddings: dict[str, jax.Array]) -> jax.Array:
        return losses(log_odds(state.params, inputs.numeric, embeddings), inputs.labels).sum()

    @jax.jit
    def by_kernel(tables: Any) -> Any:
        found = lookup(embedding, ours.mesh, tables, inputs.rows)
        return found, jax.grad(loss)(found)

    @jax.jit
    def built_in(tables: Any) -> Any:
        found = embedding.lookup(tables, ids)
        return found, jax.grad(loss)(found)

    found, gradients = by_kernel(state.tables)
    expected, expected_gradients = built_in(state.tables)
    same(found, expected)
    same(gradients, expected_gradients)
    tables = embedding.tables(state.tables)
    for number in range(len(VOCABULARIES)):
        rows = tables[f"table{number}"][clicks.ids[:, number]]
        np.testing.assert_array_equal(found[f"feature{number}"], rows)


def test_training_takes_the_same_steps() -> None:
    """Losses follow from the log odds, and tables from the built-in update."""
    data, plain, ours = learners("v5p", pallas="fast")
    options = parse(["--steps=3", f"--batch={BATCH}", "--devices=1"])
    results = [train(each, each.init(0), data, options, lambda _: None) for each in (plain, ours)]
    expected, found = (each.progress for each in results)
    assert len(found.recent) == 3
    same([odds for odds, _ in found.recent], [odds for odds, _ in expected.recent])
    assert found.scores() == expected.scores()
    same(*[(each.state.params, each.state.tables) for each in reversed(results)])


def test_rows_are_where_the_devices_hold_them() -> None:
    _, _, ours = learners("v5p")
    embedding = ours.embedding
    assert embedding is not None
    numbered = {
        f"table{number}": np.tile(np.arange(rows)[:, None] + number / 8, WIDTH).astype(np.float32)
        for number, rows in enumerate(VOCABULARIES)
    }
    (variables,) = embedding.from_tables(numbered).values()
    ids = np.array([[0, 0, 0], [3, 36, 999], [1, 17, 512]], np.int32)
    held = np.asarray(variables["table"])[rows_of(embedding, ids), 0]
    np.testing.assert_array_equal(held, ids + np.arange(3) / 8)


def test_the_comparison_counts_what_differs() -> None:
    data, _, ours = learners("v5p")
    embedding = ours.embedding
    assert embedding is not None
    tables = ours.init(0).tables
    text = compare_lookups(embedding, ours.mesh, tables, data.batch("held out", 0, BATCH)).text(
        BATCH
    )
    assert re.sub(r"\d+\.\d+", "?", text).splitlines() == [
        "kernel, fast   a lookup of 256 samples takes ? ms",
        "kernel, check  a lookup of 256 samples takes ? ms",
        "built-in       a lookup of 256 samples takes ? ms",
        "kernel and built-in lookup: the same bits",
    ]


def test_the_kernel_is_recorded_beside_the_update(tmp_path: Path) -> None:
    """In counters, memory and timeline, as the built-in programs."""
    data, _, ours = learners("v5p", counters=True, pallas="fast")
    sc.reset_counters()
    state, inputs = ours.init(0), ours.inputs(data.batch("training", 0, BATCH))
    with sc.record(tmp_path / "run"):
        step = ours.compiled_step(state, inputs)
        new: State = jax.block_until_ready(step(state, inputs)[0])
    assert new.params
    (counted,) = [each for each in sc.counters() if each.spec.label == "own_rows"]
    fetched = [name for name in counted.names if name.endswith("fetch: indirect rows")]
    assert [counted.totals[name] for name in fetched] == [BATCH * len(VOCABULARIES)]
    run = read_run(tmp_path / "run")
    spans = [each for each in measured(run) if each.kind == "program"]
    assert [each.name.split()[0] for each in spans] == ["kernel", "update"]
    (spec,) = [each.spec for each in run.programs if each.name == "own_rows"]
    assert isinstance(spec, MosaicSpec)
    scratch = [each for phase in kernel_spmem(spec).phases for each in phase.buffers]
    assert max(each.bytes for each in scratch) >= 128 * WIDTH * 4


def test_two_devices_learn_the_same() -> None:
    """By the command: the lines of both models are those of the built-in lookup."""
    arguments = ("--devices=2", "--tables=4", "--vocab=100", "--batch=128", "--steps=4")
    plain, ours = run(*arguments), run("--kernel", *arguments)
    assert (plain.returncode, ours.returncode) == (0, 0), ours.stderr
    assert "kernel and built-in lookup: the same bits" in ours.stdout
    assert "kernel and" not in plain.stdout
    progress = [re.sub(r", [\d.]+ steps/s", "", each.stderr) for each in (plain, ours)]
    assert progress[0] == progress[1]
    assert progress[0].count("with tables: step") == 4


def test_a_kernel_takes_widths_of_whole_vectors(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--kernel", "--width=24"])
    assert (
        "argument --kernel: found --width 24; expected a multiple of 16" in capsys.readouterr().err
    )
    with pytest.raises(SystemExit):
        parse(["--kernel", "--pipelined"])
    assert "argument --kernel: not allowed with argument --pipelined" in capsys.readouterr().err
