"""`sdykit memory` as a user runs it: tables, specs and runs, and what is said about bad input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sdykit.cli.main import main
from sdykit.sparsecore.memory.step import memory_of_run, memory_of_tables
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.run import write_run
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.tile.spec import LookupSpec, UpdateSpec
from support.runs import make_run

TABLES = """
[tables.user]
vocabulary_size = 1000
embedding_dim = 30
optimizer = { name = "adagrad", learning_rate = 0.01 }
[tables.item]
vocabulary_size = 500
embedding_dim = 16
features = ["clicked", "bought"]
"""


@pytest.fixture
def run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Run `sdykit memory` in this process, in the folder; return exit code, output and errors."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.chdir(folder)
        code = main(["memory", *arguments])
        found = capfd.readouterr()
        return code, found.out, found.err

    return call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tables.toml").write_text(TABLES)
    (tmp_path / "lookup.json").write_text(LookupSpec(dim=8, samples_per_core=16).to_json())
    (tmp_path / "update.json").write_text(UpdateSpec(dim=8, samples_per_core=16).to_json())
    write_run(tmp_path / "run", make_run(tables=3))
    return tmp_path


def test_tables_are_shown_as_text_and_as_a_page(sdykit: Callable, folder: Path) -> None:
    arguments = ("tables.toml", "--batch-size", "64", "--devices", "2", "--chip", "v6e")
    result = sdykit("memory", *arguments, "-o", "memory.html", "--rows", "2")
    assert (result.code, result.err) == (0, "")
    user = TableSpec("user", 1000, 30, Adagrad(0.01))
    item = TableSpec("item", 500, 16)
    features = [FeatureSpec("user", user, 64)]
    features += [FeatureSpec(name, item, 64) for name in ("clicked", "bought")]
    expected = memory_of_tables(features, System(2, 2), "v6e")
    lines = result.out.splitlines()
    assert lines[0].startswith("HBM of a device of chip v6e: ")
    assert lines[0].endswith(f" at the peak, while {expected.ledger.peak_moment.when}")
    assert lines[1].startswith("SPMEM of each tile: at most ")
    titles = ("HBM over a step", "Largest owners at the peak", "Largest entries at the peak")
    for title in (*titles, "SPMEM of a tile", "Limits", "Wasted of HBM"):
        assert title in [line.strip() for line in lines]
    assert " 2 more" in "\n".join(lines)
    page = (folder / "memory.html").read_text()
    assert "<h1>Memory of a step: tables.toml</h1>" in page
    result = sdykit("memory", *arguments, "--json")
    assert json.loads(result.out) == json.loads(expected.to_json())


def test_options_reach_the_memory(run: Callable) -> None:
    def found(*arguments: str) -> dict:
        code, out, err = run("tables.toml", "--batch-size", "64", "--json", *arguments)
        assert (code, err) == (0, "")
        return json.loads(out)

    def inputs(memory: dict) -> int:
        entries = memory["hbm"]["entries"]
        return sum(each["bytes"] for each in entries if each["kind"] == "input")

    plain, three = found(), found("--maximum_parallel_iterations=3")
    assert inputs(three) == 2 * inputs(plain)
    serialized = found("--xla_sc_num_serialized_tables_to_optimize_hbm", "2")
    assert len(serialized["hbm"]["moments"]) == 2 + len(plain["hbm"]["moments"])
    assert inputs(found("--minibatches")) > 60 * inputs(plain)
    pipelined = found("--pipelined")
    assert [each["name"] for each in pipelined["hbm"]["moments"]] == ["updates", "lookups"]
    assert inputs(pipelined) == 2 * inputs(plain)  # One of the two is prefetched in both.
    assert found("--chip", "v4")["hbm"]["chip"] == "v4"
    assert found("--no-stacking")["limits"] == plain["limits"]  # They cannot share a stack.


def test_specs_are_programs_of_one_step(sdykit: Callable, folder: Path) -> None:
    result = sdykit("memory", "lookup.json", "update.json")
    assert (result.code, result.err) == (0, "")
    words = result.out.split()
    assert {"lookups", "TensorCore", "updates"} <= set(words)
    assert result.out.endswith(
        "note: The rows of a table are not part of a spec: tables and slots are left out.\n"
    )
    piped = sdykit("memory", "-", stdin=(folder / "lookup.json").read_bytes())
    assert piped.out == sdykit("memory", "lookup.json").out


def test_a_run_is_shown_with_what_its_batches_needed(run: Callable, folder: Path) -> None:
    code, out, err = run("run/", "--json", "-o", "memory.html")
    assert (code, err) == (0, "")
    assert json.loads(out) == json.loads(memory_of_run(make_run(tables=3)).to_json())
    assert "Memory of a step: run</h1>" in (folder / "memory.html").read_text()
    option = "--xla_sc_num_serialized_tables_to_optimize_hbm=3"
    found = json.loads(run("run/", "--json", option)[1])
    assert found["hbm"]["serialized_tables"] == 3


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["tables.toml"], "'tables.toml' describes tables; expected --batch-size=N with it"),
        (
            ["tables.toml", "lookup.json"],
            "'tables.toml' is a file of tables, and 'lookup.json' is given as well; expected one",
        ),
        (["run", "run"], "'run' is a run, and 'run' is given as well; expected one"),
        (
            ["run", "--batch-size", "5"],
            "'run' is a run, which has its own; expected no --batch-size",
        ),
        (
            ["run", "--maximum_parallel_iterations", "5"],
            "'run' is a run, which has its own; expected no --maximum_parallel_iterations",
        ),
        (
            ["lookup.json", "--no-stacking"],
            "'lookup.json' is a spec, which has its own; expected no --no-stacking",
        ),
        (["run", "--pipelined"], "'run' is a run, which has its own; expected no --pipelined"),
        (["nothing.json"], "cannot read 'nothing.json': No such file or directory"),
        (["nothing.mlir"], "cannot open input file 'nothing.mlir': No such file or directory"),
        (
            ["."],
            "'.' is not a run: it has no run.json; expected a folder that "
            '`with sdykit.sparsecore.record("run/"):` wrote',
        ),
        (["binary"], "binary: byte 0 is not UTF-8; expected text"),
        (["lookup.json", "-o", "-"], "--output is '-'; expected a file, as tables go to stdout"),
        (
            ["lookup.json", "-o", "lookup.json"],
            "the page 'lookup.json' would replace the input 'lookup.json'; name another file",
        ),
        (
            ["lookup.json", "--maximum_parallel_iterations=x"],
            "command line: --maximum_parallel_iterations is 'x'; expected an integer from 0 to 1024",
        ),
        (["tables.toml", "--batch-size", "64", "--chip", "v9"], "there is no chip 'v9'"),
        (["large.json"], "lookup: Fixed size allocations ("),
    ],
)
def test_bad_input_is_an_error(
    run: Callable, folder: Path, arguments: list[str], error: str
) -> None:
    (folder / "binary").write_bytes(b"\xff\xfe")
    large = LookupSpec(dim=8, samples_per_core=16, max_ids_per_partition=10**7)
    (folder / "large.json").write_text(large.to_json())
    before = sorted(each.name for each in folder.iterdir())
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    assert err.startswith(f"sdykit memory: error: {error}")
    assert "Traceback" not in err
    assert sorted(each.name for each in folder.iterdir()) == before
