"""The page and the table of whatif: their figures, and how they look."""

from __future__ import annotations

import dataclasses
import re
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from sdykit.sparsecore.cost import Estimate
from sdykit.sparsecore.whatif import Choice, Comparison, Memory, Result, StackResult, Times
from sdykit.sparsecore.whatif.ranges import Range
from sdykit.viz.whatif_report import comparison_table, conclusion, remarks, whatif_page

CHROMIUM = shutil.which("chromium")


def estimate(seconds: float) -> Estimate:
    return Estimate(seconds, seconds / 3, seconds * 20)


def make_result(choice: Choice, *, is_estimated: bool = False, problem: str = "") -> Result:
    lookup, update, tensor_core, host, step = (
        estimate(each / choice.devices) for each in (3e-3, 2e-3, 1e-3, 5e-3, 7e-3)
    )
    ids = Range(3000, 2900, 3300) if is_estimated else Range(3000, 3000, 3000)
    stack = StackResult("a_b" * 20, 26, ids, ids, 3600, 500, ids, 1.5, 0.0)
    return Result(
        choice,
        problem=problem,
        is_estimated=is_estimated,
        times=Times(lookup, update, tensor_core, host, step, "vector"),
        memory=Memory(300_000, 524_288, 3 * 2**30 // choice.devices, 96 * 2**30),
        ici_bytes=0.0 if choice.devices == 1 else 2e7 / choice.devices,
        stacks=(stack,),
    )


def make_comparison() -> Comparison:
    results = [
        make_result(
            Choice(batch=16384, chip=chip, devices=2**power, limits=limits),
            is_estimated=power > 8,
            problem="it does <not> fit" if (chip, power) == ("v6e", 0) else "",
        )
        for chip in ("v5p", "v6e")
        for limits in (1.2, 0.5)
        for power in range(12)
    ]
    results.append(Result(Choice(batch=10, devices=16), problem="no multiple"))
    return Comparison("tables & <ids>", tuple(results), 16384, is_drawn=False)


def test_the_page_has_all_results_and_escapes_names() -> None:
    page = whatif_page(make_comparison(), target=1e-3)
    assert "<h1>What if: tables &amp; &lt;ids&gt;</h1>" in page
    assert "it does &lt;not&gt; fit" in page
    assert page.count("<svg") == 5
    assert page.count('<tr class="') == 49
    assert "target 1 ms" in page
    assert "http" not in page
    titles = re.findall("<title>([^<]*)</title>", page)
    assert "v5p, batch 16,384: chips 1, step time 7 ms (2.33 ms to 140 ms); vector" in titles
    assert any("estimated, vector" in each for each in titles)
    # What cannot run is not on the lines of times.
    assert not any(each.startswith("v6e, batch 16,384: chips 1, step") for each in titles)
    # Bars are of the fastest, with the time that is waited.
    assert page.count('<span class="bar">') == 40
    assert "waiting for the host 250 µs" in page


def test_the_table_marks_estimates_and_says_what_fits() -> None:
    found = make_comparison()
    console = Console(width=200)
    with console.capture() as shown:
        console.print(comparison_table(found))
    lines = shown.get().splitlines()
    (first,) = (
        each for each in lines if each.split()[:3] == ["v5p", "1", "16,384"] and "0.5" not in each
    )
    assert "7 ms (2.33 ms to 140 ms)" in first
    assert "57%" in first
    assert "3 GiB, 3.1%" in first
    assert sum("~" in each for each in lines) == 12
    assert conclusion(found).startswith(
        "Fastest: 2,048 devices of v5p, batch 16,384, a step takes 3.42"
    )
    asked = conclusion(found, 1e-3)
    assert asked.startswith(
        "Fewest chips for a step of 1 ms: 8 chips: 8 devices of v5p, batch 16,384, a"
    )
    assert conclusion(found, 1e-9) == "None of the systems takes at most 1 ns for a step."
    said = list(remarks(found))
    assert "1 device of v6e, batch 16,384: it does <not> fit" in said
    assert "16 devices of v5p, batch 10: no multiple" in said


def test_systems_of_one_size_have_bars_only() -> None:
    found = Comparison("m", (make_result(Choice(batch=64)),), 64, is_drawn=True)
    page = whatif_page(found)
    assert "<svg" not in page
    assert "lookups 3 ms" in page
    none = dataclasses.replace(found, results=(Result(Choice(batch=64), problem="none"),))
    assert conclusion(none) == "None of the systems can run a step."
    assert '<div class="chart bars"' in whatif_page(none)


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")
def test_a_browser_shows_the_page(tmp_path: Path) -> None:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = tmp_path / "page.html"
    path.write_text(whatif_page(make_comparison()))
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for width in (390, 1280):
            page = browser.new_page(viewport={"width": width, "height": 900})
            problems: list[str] = []
            page.on("console", lambda message, seen=problems: seen.append(message.text))
            page.on("request", lambda request, seen=problems: seen.append(request.url))
            page.goto(path.as_uri())
            assert problems == [path.as_uri()]
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.locator("#compared").inner_text() == "49"
            assert page.locator("figure").count() == 6
            for each in page.locator("figure").all():
                box = each.bounding_box()
                assert box["x"] >= 0
                assert box["x"] + box["width"] <= width
        browser.close()
