"""The command of the click model, from its arguments to its last line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from examples.click_model.data import vocabularies
from examples.click_model.options import Options, parse

TRAIN = Path(__file__).parents[3] / "examples" / "click_model" / "train.py"
SMALL = ("--devices=2", "--tables=8", "--vocab=200", "--batch=512", "--steps=60")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, TRAIN, *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def small() -> subprocess.CompletedProcess[str]:
    return run(*SMALL)


def test_the_tables_add_to_the_dense_model(small: subprocess.CompletedProcess[str]) -> None:
    assert (small.returncode, small.stderr.count("\n")) == (0, 8)
    last = re.search(
        r"^Held-out AUC: ([\d.]+) with tables, ([\d.]+) dense only: the tables add ([\d.]+)\n"
        r"[\d.]+ s in all, at most [\d.]+ GiB of memory\n\Z",
        small.stdout,
        re.MULTILINE,
    )
    assert last, small.stdout
    tables, dense, gain = (float(each) for each in last.groups())
    assert gain == pytest.approx(tables - dense, abs=2e-4)
    assert 0.58 < dense < 0.66
    assert dense + 0.06 < tables
    planted = re.search(r"^as planted +([\d.]+)$", small.stdout, re.MULTILINE)
    assert planted, small.stdout
    assert tables < float(planted[1])


def test_tables_chips_and_progress_are_printed(small: subprocess.CompletedProcess[str]) -> None:
    lines = small.stdout.splitlines()
    assert lines[0] == "Tables: 8 of 200 rows of 16 floats, 1,600 rows in all, 0.1 MB"
    assert re.fullmatch(
        r"Chips: 2 x v5p, 8 SparseCores; limits: \d+ ids, \d+ unique ids from one of them to a "
        r"partition",
        lines[1],
    )
    assert lines[2] == "Training: 60 steps of 512 samples, seed 0; 8,192 samples are held out"
    for name in ("dense only", "with tables"):
        printed = re.findall(
            rf"^{name}: step (\d+) of 60, loss ([\d.]+), AUC [\d.]+, [\d.]+ steps/s$",
            small.stderr,
            re.MULTILINE,
        )
        assert [int(step) for step, _ in printed] == [15, 30, 45, 60]
        assert float(printed[0][1]) > float(printed[-1][1])
        assert re.search(
            rf"^{name} +([\d.]+ s +){{3}}[\d.]+ +{printed[-1][1]} ", small.stdout, re.MULTILINE
        )


def test_one_device_of_another_chip_learns_the_same(
    small: subprocess.CompletedProcess[str],
) -> None:
    """Sums are in another order: the results differ, but not so that one could tell from them."""
    other = run("--devices=1", "--chip=v6e", *SMALL[1:])
    assert other.returncode == 0, other.stderr
    assert "Chips: 1 x v6e, 2 SparseCores" in other.stdout
    for name in ("dense only", "with tables", "as planted"):
        line = rf"^{name} .* ([\d.]+)$"
        one, two = (re.findall(line, each.stdout, re.MULTILINE) for each in (small, other))
        assert float(one[0]) == pytest.approx(float(two[0]), abs=0.003)


def test_pipelined_steps_learn_as_much(small: subprocess.CompletedProcess[str]) -> None:
    """Gradients are a step late, which hardly matters."""
    other = run(*SMALL, "--pipelined")
    assert (other.returncode, "Warning" in other.stderr) == (0, False), other.stderr
    assert other.stdout.count(" 512 samples") == small.stdout.count(" 512 samples")
    aucs = [
        float(re.findall(r"^with tables .* ([\d.]+)$", each.stdout, re.MULTILINE)[0])
        for each in (small, other)
    ]
    assert aucs[0] == pytest.approx(aucs[1], abs=0.02)


def test_int8_tables_rank_as_well(small: subprocess.CompletedProcess[str]) -> None:
    other = run(*SMALL, "--int8")
    assert other.returncode == 0, other.stderr
    found = re.findall(
        r"^(float32|int8) +tables: ([\d.]+) MB, held-out AUC ([\d.]+), a lookup of 512 samples takes "
        r"[\d.]+ ms$",
        other.stdout,
        re.MULTILINE,
    )
    (_, wide, auc), (_, narrow, of_int8) = found
    assert float(narrow) == pytest.approx(float(wide) / 4, abs=0.05)
    trained = re.findall(r"^with tables .* ([\d.]+)$", small.stdout, re.MULTILINE)
    assert [auc] == trained
    assert float(of_int8) == pytest.approx(float(auc), abs=0.002)


def test_defaults_are_those_of_the_demo() -> None:
    expected = Options(400, 4096, 4, "v5p", 0, vocabularies(26), 16)
    assert parse([]) == expected
    assert parse(["--tables=3", "--vocab=7"]).vocabularies == (7, 7, 7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--steps=0"], "argument --steps: found '0'; expected an integer from 1 to 2147483647"),
        (
            ["--batch=1e3"],
            "argument --batch: found '1e3'; expected an integer from 1 to 2147483647",
        ),
        (["--devices=3"], "argument --devices: found 3; expected a power of two"),
        (["--devices=128"], "argument --devices: found '128'; expected an integer from 1 to 64"),
        (["--width=0"], "argument --width: found '0'; expected an integer from 1 to 256"),
        (
            ["--batch=100"],
            "argument --batch: found 100; expected a multiple of the 16 SparseCores of 4 x v5p",
        ),
        (
            ["--chip=v9"],
            "argument --chip: there is no chip 'v9', and it is not a file that ends in .json or"
            " .toml; expected one of v4, v5p, v6e, 7x",
        ),
        (["--table=3"], "unrecognized arguments: --table=3"),
    ],
)
def test_a_wrong_command_line_is_an_error(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        parse(arguments)
    assert end.value.code == 2
    assert capsys.readouterr().err.endswith(f"\ntrain.py: error: {message}\n")


def test_tables_larger_than_memory_are_an_error() -> None:
    ended = run("--tables=1000", "--vocab=2000000000", "--width=256")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert re.fullmatch(
        r"train\.py: error: memory: tables and accumulators take 3814697\.3 GiB, and [\d.]+ GiB are"
        r" free; expected fewer --tables, or a smaller --vocab or --width\n",
        ended.stderr,
    )


def test_help_lists_options_examples_and_exit_codes() -> None:
    printed = run("--help")
    assert (printed.returncode, printed.stderr) == (0, "")
    for word in ("--steps", "--batch", "--seed", "--devices", "--chip", "--tables", "--vocab",
                 "--width", "examples:", "exit codes:"):  # fmt: skip
        assert word in printed.stdout
