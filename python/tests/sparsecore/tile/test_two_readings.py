"""The page that shows one lookup in both readings quotes what the compiler prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sdykit.sparsecore.tile.compile import compile_tile
from sdykit.sparsecore.tile.spec import LookupSpec

PAGE = (Path(__file__).parents[4] / "docs" / "two-readings.md").read_text()


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("reading", ["chip", "cpu"])
def test_the_program_has_the_lines_of_the_page_in_order(reading: str, tmp_path: Path) -> None:
    spec = tmp_path / "lookup.json"
    (text,) = blocks('json title="lookup.json"')
    spec.write_text(text)
    command = ["compile", str(spec), "--emit=spmem", f"--reading={reading}"]
    program = subprocess.run(
        [sys.executable, "-m", "sdykit.cli", *command], capture_output=True, text=True, check=True
    ).stdout
    (quoted,) = blocks(f'mlir title="{reading}"')
    lines = [line.strip().removesuffix("...").strip() for line in quoted.splitlines()]
    wanted = [line for line in lines if line.strip("}") and not line.startswith("//")]
    assert len(wanted) >= 9
    position = 0
    for line in wanted:
        found = program.find(line, position)
        assert found >= 0, line
        position = found + len(line)


def test_spmem_of_the_chip_reading_is_that_of_the_page() -> None:
    spec = LookupSpec(
        dim=8,
        samples_per_core=16,
        max_ids_per_partition=64,
        max_unique_ids_per_partition=32,
        reading="chip",
    )
    (held,) = re.findall(r"spmem_bytes = ([1-9]\d*)", compile_tile(spec, cache=None).source.text)
    assert f"holds {held} bytes of SPMEM on each tile" in PAGE


def test_the_example_prints_what_the_page_shows() -> None:
    (code,), (output,) = blocks("python"), blocks("text")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == output
