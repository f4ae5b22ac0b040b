"""Benchmarks: tables on a page and in a file of figures, and two versions beside each other."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[3] / "benchmarks"

PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
from report import Table, arguments, figure, publish
args = arguments("Times readers.").parse_args()
rows = [["small", figure({small}, ".1f"), figure(0.5, ".2f", "x")], ["large", figure(8, ".1f"), "-"]]
publish({name!r}, [Table("Readers", ["text", "ms", "ratio"], rows, notes=["In turns."])], args)
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], check=False, capture_output=True, text=True)


def measured(path: Path, small: float, name: str = "readers.py", *words: str) -> str:
    """Run a benchmark that writes its figures to a file, and return what it prints."""
    program = PROGRAM.format(folder=str(FOLDER), small=small, name=name)
    done = run("-c", program, "--json", str(path), *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_page_gets_the_table_between_its_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("above\n<!-- readers.py writes from here -->\nold\n<!-- to here -->\nbelow\n")
    measured(tmp_path / "figures.json", 1.25, "readers.py", "--write", str(page))
    lines = page.read_text().splitlines()
    assert lines[:2] == ["above", "<!-- readers.py writes from here -->"]
    assert lines[3].startswith("Measured on ")
    assert lines[5:] == [
        "In turns.",
        "",
        "| text | ms | ratio |",
        "|---|--:|--:|",
        "| small | 1.2 | 0.50x |",
        "| large | 8.0 | - |",
        "",
        "<!-- to here -->",
        "below",
    ]


def test_a_page_without_marks_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("no marks\n")
    program = PROGRAM.format(folder=str(FOLDER), small=1, name="readers.py")
    done = run("-c", program, "--write", str(page))
    assert done.returncode == 1
    assert f"{page} has no line '<!-- readers.py writes from here -->'" in done.stderr
    assert page.read_text() == "no marks\n"


def test_figures_of_all_benchmarks_stand_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    measured(path, 1.0, "readers.py")
    measured(path, 2.0, "writers.py")
    measured(path, 3.0, "readers.py")
    programs = json.loads(path.read_text())["programs"]
    first = {name: found["tables"][0]["rows"][0][1] for name, found in programs.items()}
    assert first == {
        "readers.py": {"text": "3.0", "values": [3.0]},
        "writers.py": {"text": "2.0", "values": [2.0]},
    }


def test_two_versions_are_compared_figure_by_figure(tmp_path: Path) -> None:
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    measured(before, 1.0)
    measured(after, 4.0)
    measured(after, 4.0, "writers.py")
    done = run(str(FOLDER / "compare.py"), str(before), str(after))
    rows = [[each.strip() for each in line.split("│")] for line in done.stdout.splitlines()]
    # The geometric mean of 4 / 1 and 8 / 8, then the one figure that differs.
    assert ["", "readers.py", "Readers", "ms", "2.00x", "2", ""] in rows
    assert ["", "readers.py", "Readers", "ratio", "1.00x", "1", ""] in rows
    assert ["", "Readers", "small", "ms", "1", "4", "4", ""] in rows
    assert not any("large" in row for row in rows)
    assert "writers.py is new." in done.stdout


def test_a_file_that_holds_no_figures_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text("{}")
    done = run(str(FOLDER / "compare.py"), str(path), str(path))
    assert done.returncode == 1
    assert done.stderr == (
        f"{path}: no file of figures; `make bench` writes build/benchmarks.json\n"
    )
    # Before anything is measured.
    done = run(str(FOLDER / "run.py"), "--only", "agents", "--compare", str(path))
    assert done.returncode == 1
    assert done.stdout == ""


def test_a_word_that_no_benchmark_has_is_an_error() -> None:
    done = run(str(FOLDER / "run.py"), "--only", "nothing")
    assert done.returncode == 2
    assert "--only nothing: no benchmark of bench has that in its name" in done.stderr
