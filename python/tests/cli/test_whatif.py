"""`sdykit whatif` as a user runs it: tables and runs, searches, output, and bad input."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sdykit.cli.main import main
from sdykit.sparsecore.run import write_run
from support.runs import make_run

TABLES = """
[tables.user]
vocabulary_size = 10000
embedding_dim = 16
features = ["user"]
[tables.item]
vocabulary_size = 500
embedding_dim = 16
"""
IDS = "[ids.user]\nids_per_sample = 4\nzipf = 1.1\n[ids.item]\nids_per_sample = 1\nzipf = 0\n"
BASIC = ("whatif", "tables.toml", "--data", "ids.npz", "--batch-size", "256")
Whatif = Callable[..., tuple[int, str, str]]


@pytest.fixture
def whatif(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Whatif:
    """Run `sdykit` in this process, in a directory with tables and ids."""
    random = np.random.default_rng(0)
    np.savez(
        tmp_path / "ids.npz",
        user=np.minimum(random.zipf(1.2, (512, 4)), 2**40) % 10000,
        item=random.integers(0, 500, 512),
    )
    (tmp_path / "tables.toml").write_text(TABLES)
    (tmp_path / "drawn.toml").write_text(TABLES + IDS)
    write_run(tmp_path / "run", make_run())
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main(arguments)
        found = capfd.readouterr()
        return code, found.out, found.err

    return call


def test_a_table_has_a_row_for_each_system(whatif: Whatif) -> None:
    code, out, err = whatif(*BASIC, "--chip", "v5p,7x", "--devices", "1..2", "--tensorcore", "1ms")
    assert (code, err) == (0, "")
    rows = [line.split()[:3] for line in out.splitlines()]
    for name in ("v5p", "7x"):
        assert all([name, str(devices), "256"] in rows for devices in (1, 2))
    assert "TensorCore" in out
    assert "~" not in out
    assert re.search(r"Fastest: 2 devices of \w+, batch 256, a step takes [0-9.]+ µs \(", out)
    assert "proportional to the samples of a device" in out


def test_larger_batches_are_estimated(whatif: Whatif) -> None:
    code, out, _ = whatif(*BASIC[:-1], "256,1024")
    assert code == 0
    assert out.count("~") == 2  # The step, and the remark.
    assert (
        "~ estimated from 512 recorded samples; ranges hold what is counted in at least 90%" in out
    )
    code, out, _ = whatif("whatif", "drawn.toml", "--batch-size", "256", "--limits", "0.5")
    assert code == 0
    assert "~ estimated from 256 drawn from statistics samples" in out
    assert "limits 0.5" in out


def test_a_run_is_compared_with_other_systems(whatif: Whatif) -> None:
    code, out, err = whatif("whatif", "run", "--json", "--chips", "1,2", "--pipelining", "on,off")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["title"] == "run"
    seen = [(each["choice"]["devices"], each["choice"]["pipelined"]) for each in found["results"]]
    assert seen == [(1, True), (1, False), (2, True), (2, False)]
    assert [each["times"]["tensor_core"]["seconds"] for each in found["results"]] == pytest.approx(
        [2e-3, 2e-3, 1e-3, 1e-3]
    )


def test_times_of_a_run_are_those_of_the_simulator_unless_both_are_given(whatif: Whatif) -> None:
    said = "the machine that recorded the run"
    assert said in whatif("whatif", "run", "--tensorcore", "1ms")[1]
    assert said not in whatif("whatif", "run", "--tensorcore", "1ms", "--host", "1ms")[1]


def test_searches(whatif: Whatif) -> None:
    code, out, _ = whatif(*BASIC, "--target-step-time", "1s")
    assert code == 0
    assert "Fewest chips for a step of 1 s: 1 chip: 1 device of v5p, batch 256, a step takes" in out
    code, out, _ = whatif(*BASIC, "--target-step-time", "1ns", "--devices", "32")
    assert code == 0
    assert "None of the systems takes at most 1 ns for a step." in out
    code, out, _ = whatif(*BASIC, "--best-limits", "--max-minibatches", "1")
    assert code == 0
    assert "limits 1.5" in out
    assert "limits 0.5" not in out


def test_the_page_has_all_results(whatif: Whatif, tmp_path: Path) -> None:
    code, _, err = whatif(*BASIC, "--devices", "1,2", "-o", "page.html")
    assert (code, err) == (0, "")
    page = (tmp_path / "page.html").read_text()
    assert "<h1>What if: tables.toml</h1>" in page
    assert page.count('<tr class="') == 2
    assert "http" not in page


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("whatif", "tables.toml"), "--batch-size is not given; expected the samples of a step"),
        (
            ("whatif", "tables.toml", "--batch-size", "8"),
            "tables.toml: there are no ids: give files of",
        ),
        (
            ("whatif", "run", "--data", "ids.npz"),
            "--data is given, and MODEL is a run, which has ids",
        ),
        (("whatif", "."), "'.' is not a run: it has no run.json"),
        ((*BASIC, "--chip", "v9"), "v9"),
        ((*BASIC, "--devices", "5000"), "devices is 5000; expected an integer from 1 to 4096"),
        ((*BASIC, "--devices", "3"), "expected a power of two"),
        ((*BASIC, "--devices", "128"), "no multiple of the 512 SparseCores of 128 devices of v5p"),
        ((*BASIC, "-o", "-"), "--output is '-'; expected a file, as the table goes to stdout"),
        ((*BASIC, "--limits", "0.001"), "limits is 0.001; expected 0.015625 or more"),
        ((*BASIC, "--dtype", "int4"), "dtype is 'int4'"),
    ],
)
def test_bad_input_is_an_error(whatif: Whatif, arguments: tuple[str, ...], error: str) -> None:
    code, out, err = whatif(*arguments)
    assert code == 1
    assert out == ""
    assert err.startswith("sdykit whatif: ")
    assert error in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--batch-size", "0"), "found '0'; expected an integer from 1 to 2147483647"),
        (("--devices", "8..2"), "found '8..2'; expected them ascending"),
        (("--tensorcore", "2"), "found '2'; expected a time above 0 with its unit: 500us, 2.5ms"),
        (("--host", "2ms@x"), "found 'x'; expected an integer"),
        (("--stacking", "maybe"), "found 'maybe'; expected on or off"),
        (("--target-step-time", "0ms"), "found '0ms'; expected a time above 0"),
        (("--chips", "1", "--devices", "1"), "not allowed with argument"),
    ],
)
def test_wrong_command_lines_are_errors(
    whatif: Whatif, arguments: tuple[str, ...], error: str
) -> None:
    code, _, err = whatif(*BASIC, *arguments)
    assert code == 2
    assert error in err


def test_help_has_examples(whatif: Whatif) -> None:
    code, out, _ = whatif("whatif", "--help")
    assert code == 0
    assert "sdykit whatif run/ --chip v5p,v6e,7x --chips 1..1024 -o whatif.html" in out
    assert "ids_per_sample = 20" in out


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no terminals to make")
def test_progress_is_for_terminals_only(whatif: Whatif, tmp_path: Path) -> None:
    del whatif  # It made the files.
    outer, inner = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    subprocess.run(
        [sys.executable, "-m", "sdykit.cli", *BASIC, "--devices", "1,2"],
        check=True,
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=inner,
    )
    os.close(inner)
    shown = b""
    try:
        while part := os.read(outer, 4096):
            shown += part
    except OSError:
        pass
    os.close(outer)
    assert b"2/2" in shown
