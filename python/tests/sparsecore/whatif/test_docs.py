"""The page on whatif shows what its commands and programs print."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest

from sdykit.cli.main import find_commands, parser_of
from sdykit.sparsecore.cost import Estimate
from sdykit.sparsecore.files.tables import read_tables
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.specs import FeatureSpec, TableSpec
from sdykit.sparsecore.whatif import (
    Choice,
    IdStatistics,
    Measured,
    compare,
    model_of,
    read_id_statistics,
)
from sdykit.viz.whatif_report.text import COLUMNS, cells

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "whatif.md").read_text()
SHOWN = [("v5p", 1), ("v6e", 64), ("7x", 32)]
"""The systems of the demo model that are computed again."""


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_program_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = blocks("python")
    exec(program, {})
    assert capsys.readouterr().out == blocks("text")[1]


def test_the_table_is_that_of_the_demo_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from examples.click_model.data import ClickData
    from examples.click_model.options import parse

    options = parse([])
    batch, ids = (
        options.batch,
        ClickData(options.vocabularies).batch("training", 0, options.batch).ids,
    )
    assert (batch, options.width) == (4096, 16)
    features = [
        FeatureSpec(f"f{at}", TableSpec(f"t{at}", rows, 16, Adagrad(0.05)), batch)
        for at, rows in enumerate(options.vocabularies)
    ]
    given: dict[str, np.ndarray] = {f"f{at}": ids[:, at, None] for at in range(len(features))}
    recorded = model_of(features, [given])
    tensor_core, host = (Measured(Estimate(time, time, time), 1024) for time in (500e-6, 400e-6))
    model = dataclasses.replace(recorded, tensor_core=tensor_core, host=host)
    found = compare(model, [Choice(batch=batch, chip=chip, devices=each) for chip, each in SHOWN])
    rows = [re.split(r" {2,}", line.strip()) for line in blocks("text")[0].splitlines()]
    assert rows[0] == [name for name in COLUMNS if name != "settings"]
    assert len(rows) == 2 + 3 * 11
    for result in found.results:
        expected = [each for each in cells(result) if each]
        (shown,) = (row for row in rows if row[:2] == expected[:2])
        # Times follow from numbers of the cost model, most of which are assumed.
        exact = (*range(3), *range(7, len(expected)))
        assert [shown[at] for at in exact] == [expected[at] for at in exact]
        for at in (3, 4, 5):
            assert seconds(shown[at]) == pytest.approx(seconds(expected[at]), rel=0.3)


def seconds(text: str) -> float:
    value, unit = text.split()[:2]
    return float(value) * {"ms": 1e-3, "µs": 1e-6}[unit]


def test_statistics_are_read_as_the_page_says(tmp_path: Path) -> None:
    (text,) = re.findall(
        r'^```toml title="tables.toml"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL
    )
    path = tmp_path / "tables.toml"
    path.write_text(text)
    assert read_id_statistics(path, read_tables(path, 64)) == {
        "owner": IdStatistics(1.5, zipf=1.1),
        "clicked": IdStatistics(20, frequencies=((100, 0.5), (50_000, 0.5))),
    }


def test_options_on_the_page_are_options_of_the_command() -> None:
    parser = parser_of(find_commands())
    for line in "".join(blocks("console")).splitlines():
        _, tool, *arguments = line.split()
        assert tool == "sdykit"
        assert parser.parse_args(arguments).command == "whatif"
    (head,) = re.findall(r"^\| Option \|.*?\n\n", PAGE, re.MULTILINE | re.DOTALL)
    for option in re.findall(r"`(--[a-z-]+)`", head):
        with pytest.raises(SystemExit):
            parser.parse_args(["whatif", "run", option])


def test_the_page_has_its_picture() -> None:
    assert (ROOT / "docs" / "whatif.png").read_bytes().startswith(b"\x89PNG")
    assert "whatif.md" in (ROOT / "mkdocs.yml").read_text()
