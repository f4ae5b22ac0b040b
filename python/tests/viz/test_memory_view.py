"""The page of the memory of a step: its figures, and how it looks."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from sdykit.sparsecore.chip import chip
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.memory import Entry, Ledger
from sdykit.sparsecore.memory.step import StepMemory, memory_of_run, memory_of_tables
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.viz.memory_view import headline, memory_page
from support.runs import make_run

CHROMIUM = shutil.which("chromium")


def memory_of(count: int, serialized: int = 0) -> StepMemory:
    tables = [
        TableSpec(f"<{at}>", 100 * (at + 1), (5, 16, 40)[at % 3], Adagrad(0.1))
        for at in range(count)
    ]
    features = [FeatureSpec(each.name, each, 512) for each in tables]
    config = SparsecoreConfig(
        disable_table_stacking=True, xla_sc_num_serialized_tables_to_optimize_hbm=serialized
    )
    return memory_of_tables(features, System(2, 4), "v5p", config)


def test_the_page_has_every_program_and_escapes_names() -> None:
    memory = memory_of(3)
    page = memory_page(memory, "data & more")
    assert "<h1>Memory of a step: data &amp; more</h1>" in page
    assert "<0>" not in page
    assert page.count('<details class="program"') == 6
    for each in memory.programs:
        assert each.name.replace("<", "&lt;").replace(">", "&gt;") in page
        for phase in each.phases:
            for buffer in phase.buffers:
                place = f"left:{100 * buffer.offset / phase.bytes:.4f}%"
                assert (
                    f"{buffer.name}: {buffer.bytes:,} bytes of a tile, at offset {buffer.offset:,}\n"
                    in page
                )
                assert place in page
    assert "http" not in page
    assert page._repr_html_().startswith("<div")


def test_parts_of_bars_are_the_bytes_of_their_kinds() -> None:
    page = memory_page(memory_of(3), "x")
    whole = page.partition("What comes and goes")[0]
    assert re.findall(r'<span class="value">([^<]*)</span>', whole)[-1].endswith("peak") or (
        whole.count(", peak</span>") == 1
    )
    assert 'title="lookups: table ' in whole
    assert "largest: &lt;2&gt;: table " in whole


def test_programs_that_are_alike_are_shown_once() -> None:
    page = memory_page(memory_of(60), "x")
    assert page.count('<details class="program"') == 6  # Lookups and updates of three widths.
    assert "lookup of &lt;2&gt; and 19 more" in page
    assert len(page) < 120_000


def test_moments_of_many_serialized_tables_are_left_out() -> None:
    memory = memory_of(30, serialized=30)
    assert len(memory.ledger.moments) == 61
    page = memory_page(memory, "x")
    assert "44 more moments are not drawn" in page
    assert page.count('class="label"') == 2 * 17
    assert page.count(", peak</span>") == 2


def test_what_does_not_fit_is_said() -> None:
    entry = Entry(kind="table", owner="t", name="table", bytes=2**37)
    memory = StepMemory(Ledger(chip("v5p"), (entry,)), ())
    assert headline(memory) == (
        "HBM of a device of chip v5p: 128 GiB of 96 GiB (133.3%) at the peak: it does not fit"
    )
    page = memory_page(memory, "x")
    assert "HBM at the peak: it does not fit" in page
    assert 'id="programs"' not in page


def test_limits_of_a_run_have_what_was_observed() -> None:
    page = memory_page(memory_of_run(make_run()), "run")
    assert '<th class="n">observed</th>' in page
    assert '<th class="n">observed</th>' not in memory_page(memory_of(1), "x")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("tables", [1, 40])
def test_a_browser_shows_the_page(browser: Any, tmp_path: Path, tables: int, width: int) -> None:
    path = tmp_path / "memory.html"
    memory = memory_of(tables)
    path.write_text(memory_page(memory, "tables.toml"))
    page = browser.new_page(viewport={"width": width, "height": 900})
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("request", lambda request: problems.append(request.url))
    page.goto(path.as_uri())
    assert problems == [path.as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for details in page.locator("details").all():
        if details.get_attribute("open") is None:
            details.locator("> summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    maps = page.locator(".map").all()
    layouts = {(each.kind, each.phases) for each in memory.programs}
    assert len(maps) == sum(len(phases) for _, phases in layouts)
    _check_map(maps[0], memory)
    page.close()


def _check_map(found: Any, memory: StepMemory) -> None:
    """Check that buffers are where their offsets and steps say, and no two overlap."""
    fullest = memory.fullest
    assert fullest is not None
    phase, frame = fullest.phases[0], found.locator(".tile").bounding_box()
    steps = found.locator(".step").all()
    assert [each.inner_text() for each in steps] == list(phase.steps)
    boxes = [each.bounding_box() for each in found.locator(".used").all()]
    assert len(boxes) == len(phase.buffers)
    for box, buffer in zip(boxes, phase.buffers, strict=True):
        left = frame["x"] + buffer.offset / phase.bytes * frame["width"]
        assert box["x"] == pytest.approx(left, abs=2)
        assert box["width"] == pytest.approx(buffer.bytes / phase.bytes * frame["width"], abs=2)
        top, bottom = steps[buffer.first].bounding_box(), steps[buffer.last].bounding_box()
        assert box["y"] == pytest.approx(top["y"], abs=3)
        assert box["y"] + box["height"] == pytest.approx(bottom["y"] + bottom["height"], abs=3)
