"""The programs against jax-tpu-embedding: what they learn, and how they say so."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from examples.jax_tpu_embedding_on_cpu.clicks import LONGEST_HISTORY, ClickLog
from examples.jax_tpu_embedding_on_cpu.sonnets import TEXT, Corpus

HERE = Path(__file__).parents[3] / "examples" / "jax_tpu_embedding_on_cpu"
PROGRAMS = ("next_word.py", "two_tower.py")


def run(name: str, devices: int, chip: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, HERE / name, *arguments],
        env={**os.environ, "JAX_NUM_CPU_DEVICES": str(devices), "SDYKIT_CHIP": chip},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("devices", "chip", "cores"), [(4, "v5p", 4), (8, "v6e", 2)])
def test_next_word_memorizes_the_sonnets(devices: int, chip: str, cores: int) -> None:
    done = run("next_word.py", devices, chip)
    assert done.returncode == 0, done.stderr
    first, *progress, recited, last = done.stdout.splitlines()
    assert first == f"346 words, 204 different; {devices} devices x {cores} SparseCores"
    assert [re.sub(r"loss .*", "", line) for line in progress] == [
        f"step {step}: " for step in range(30, 151, 30)
    ]
    assert " ".join(re.findall(r"[a-z][a-z'-]*", TEXT.lower())).startswith(recited)
    assert re.fullmatch(r"loss 0\.0\d+, expected below 0\.1", last), last


@pytest.mark.parametrize(("devices", "chip", "cores"), [(4, "v5p", 4), (8, "v6e", 2)])
def test_two_tower_reaches_the_loss_of_the_planted_model(
    devices: int, chip: str, cores: int
) -> None:
    done = run("two_tower.py", devices, chip)
    assert done.returncode == 0, done.stderr
    first, *progress, last = done.stdout.splitlines()
    assert first == (
        f"2000 users, 1000 items; {devices} devices x {cores} SparseCores; "
        "stacks: history, item_user"
    )
    losses = [float(line.split()[3].rstrip(",")) for line in progress]
    assert losses == sorted(losses, reverse=True)
    found = re.fullmatch(
        r"loss ([\d.]+), expected below 5\.6; 6\.2383 is a guess, ([\d.]+) knows all chances", last
    )
    assert found, last
    loss, of_odds = map(float, found.groups())
    assert of_odds < loss < 5.6


def test_too_little_training_is_an_error() -> None:
    done = run("next_word.py", 1, "v5p", "--steps=1")
    assert done.returncode == 1, done.stderr
    assert re.search(r"^loss 5\.\d+, expected below 0\.1$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_steps_are_an_error(name: str) -> None:
    done = run(name, 1, "v5p", "--steps=0")
    assert done.returncode == 2
    assert done.stderr.endswith(
        f"{name}: error: argument --steps: found 0; expected a positive integer\n"
    )


@pytest.mark.parametrize("path", sorted(HERE.glob("*.py")), ids=lambda path: path.name)
def test_nothing_knows_of_the_simulated_chip(path: Path) -> None:
    imported = [
        name
        for node in ast.walk(ast.parse(path.read_text()))
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    ]
    assert "sdykit" not in {name.split(".")[0] for name in imported}


def test_words_are_numbered_as_they_occur() -> None:
    corpus = Corpus.of("A rose is a rose, is a Rose.")
    assert corpus.vocabulary == ("a", "rose", "is")
    windows, following = corpus.windows(2)
    assert windows.tolist() == [[0, 1], [1, 2], [2, 0], [0, 1], [1, 2], [2, 0]]
    assert following.tolist() == [2, 0, 1, 2, 0, 1]
    assert corpus.spelled(windows[1]) == "rose is"


def test_clicks_follow_the_planted_chances() -> None:
    log = ClickLog.planted(users=3, items=5, seed=0)
    clicks = next(log.batches(60_000, seed=1))
    assert (clicks.users.dtype, clicks.items.dtype, clicks.histories[0].dtype) == (np.int32,) * 3
    found = np.zeros((3, 5))
    np.add.at(found, (clicks.users, clicks.items), 1)
    np.testing.assert_allclose(found / found.sum(1, keepdims=True), log.chances, atol=0.01)
    before = np.zeros((3, 5))
    for user, history in zip(clicks.users, clicks.histories, strict=True):
        np.add.at(before, (user, history), 1)
    np.testing.assert_allclose(before / before.sum(1, keepdims=True), log.chances, atol=0.01)
    lengths = np.unique([len(history) for history in clicks.histories])
    assert lengths.tolist() == list(range(1, LONGEST_HISTORY + 1))


def test_no_odds_are_better_than_the_planted_ones() -> None:
    log = ClickLog.planted(users=50, items=30, seed=0)
    others = ClickLog(np.roll(log.chances, 1, axis=0))
    uniform = ClickLog(np.full_like(log.chances, 1 / 30))
    clicks = next(log.batches(512, seed=1))
    assert log.loss_of_odds(clicks) < uniform.loss_of_odds(clicks) - 0.3
    assert uniform.loss_of_odds(clicks) == pytest.approx(np.log(512), abs=1e-4)
    assert others.loss_of_odds(clicks) > log.loss_of_odds(clicks) + 0.3
