"""The pictures of `sdykit limits`: their numbers, how they look, and the progress beside them."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sdykit.sparsecore.limits import LimitCounter
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack
from sdykit.viz.limits_report import Counted, limits_page
from sdykit.viz.limits_report.charts import by_partition, histogram

SYSTEM = System(num_devices=1, sparse_cores_per_device=2)
CHROMIUM = shutil.which("chromium")


def counted(headroom: float = 1.0) -> Counted:
    tables = [TableSpec(name, 100, width) for name, width in (("<b>", 8), ("c", 8), ("d", 16))]
    stacks = stack([FeatureSpec(each.name, each, 64) for each in tables], SYSTEM)
    counter = LimitCounter(stacks, SYSTEM)
    rng = np.random.default_rng(0)
    for _ in range(3):
        counter.add({each.name: rng.zipf(1.5, (64, 4)) % 100 for each in tables})
    return Counted(counter.limits(headroom), counter.observed, counter.steps, 192)


def titles(svg: str) -> list[str]:
    return re.findall("<title>([^<]*)</title>", svg)


def test_a_histogram_has_all_lists() -> None:
    svg = histogram(np.array([4, 0, 7, 1]), ("limit", 5), unique=False)
    assert titles(svg) == ["0 ids: 4 lists", "2 ids: 7 lists", "3 ids: 1 lists"]
    assert ">limit 5</text>" in svg
    heights = [float(each) for each in re.findall(r'height="([0-9.]+)"', svg)]
    assert heights[1] == max(heights)
    assert heights[0] == pytest.approx(heights[1] * 4 / 7, abs=0.1)


def test_bars_of_a_wide_histogram_are_of_whole_numbers() -> None:
    frequencies = np.ones(1000, np.int64)
    svg = histogram(frequencies, ("needs", 999), unique=True)
    found = titles(svg)
    assert found[0] == "0 to 24 unique ids: 25 lists"
    assert found[-1] == "975 to 999 unique ids: 25 lists"
    assert len(found) == 40


def test_partitions_have_both_figures() -> None:
    svg = by_partition(np.array([8, 0, 4]), np.array([2, 0, 1]), 10)
    assert titles(svg) == [
        "partition 0: 8 ids",
        "partition 2: 4 ids",
        "partition 0: 2 unique ids",
        "partition 2: 1 unique ids",
    ]


def test_the_page_has_every_table_and_escapes_names() -> None:
    found = counted()
    page = limits_page(found, "data & more")
    assert "Limits from data &amp; more" in page
    assert "<b>" not in page
    for name in ("&lt;b&gt;", "c", "d"):
        assert f'<h2>{name}<span class="kind">table of 100 ids</span></h2>' in page
    assert '<h2>&lt;b&gt;_c<span class="kind">stack of 2 tables' in page
    for each in found.limits.stacks:
        figures = f"{each.max_ids_per_partition} ids, {each.max_unique_ids_per_partition} unique"
        assert f"<div><dt>limit</dt><dd>{figures}</dd></div>" in page
    assert page.count("<svg") == 4 * 3
    assert "http" not in page


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")
@pytest.mark.parametrize("width", [1400, 700])
def test_a_browser_shows_the_page(tmp_path: Path, width: int) -> None:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = tmp_path / "limits.html"
    path.write_text(limits_page(counted(headroom=2), "data.npz"))
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 900})
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.on("request", lambda request: problems.append(request.url))
        page.goto(path.as_uri())
        assert problems == [path.as_uri()]
        assert page.locator("#steps").inner_text() == "3"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("section.table").count() == 3
        for chart in page.locator("svg.chart").all():
            frame = chart.bounding_box()
            for part in (*chart.locator("rect").all(), *chart.locator("text").all()):
                box = part.bounding_box()
                assert box["x"] >= frame["x"] - 1
                assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 1
                assert box["y"] >= frame["y"] - 1
        browser.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no terminals to make")
def test_progress_is_for_terminals_only(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", user=np.arange(4000) % 50)
    command = [sys.executable, "-m", "sdykit.cli", "limits", "data.npz", "--table", "user=50x8"]
    command += ["--batch-size", "8"]
    outer, inner = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    done = subprocess.run(
        command, check=True, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=inner
    )
    os.close(inner)
    shown = b""
    while chunk := _read(outer):
        shown += chunk
    os.close(outer)
    assert b" steps" in shown
    assert b"%" in shown
    assert b"4,000 samples, 500 steps" in done.stdout
    assert b"%" not in done.stdout
    quiet = subprocess.run(command, check=True, cwd=tmp_path, env=environment, capture_output=True)
    assert b"%" not in quiet.stderr + quiet.stdout


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # The other end is closed.
        return b""
