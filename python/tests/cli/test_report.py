"""`sdykit report`: text, page, comparison, errors; the page in Chromium."""

from __future__ import annotations

import dataclasses
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdykit.cli.main import main
from sdykit.sparsecore.run import Change, Run, write_run
from sdykit.viz.run_report import compare, report_of, run_page
from support.runs import make_run, with_fields

CHROMIUM = shutil.which("chromium")


def minibatched(run: Run) -> Run:
    """Return a run whose batches have 8 minibatches, with other limits and a slower loop."""
    batches = run.batches
    more = dataclasses.replace(
        batches, minibatches=np.full(len(batches), 8), max_ids=8 * batches.max_ids
    )
    calls = run.calls
    slower = dataclasses.replace(calls, start=2 * calls.start, end=2 * calls.end)
    stacks = tuple(
        dataclasses.replace(each, limits={**each.limits, "max_ids_per_partition": 32})
        for each in run.stacks
    )
    settings = {**run.settings, "minibatching": "vocabulary"}
    return with_fields(run, batches=more, calls=slower, stacks=stacks, settings=settings)


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    write_run(tmp_path / "one", make_run())
    return tmp_path / "one"


def test_the_text_has_all_parts(run_folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(run_folder)]) == 0
    text = " ".join(capfd.readouterr().out.split())
    assert "3 steps in 33 ms on 1 x v5p, 2 tables in 2 stacks" in text
    # Each step has 2 lookups of 1 ms, 2 ms of the TensorCore, and 2 updates of 1 ms.
    for line in ("lookups 2 ms 25.0%", "TensorCore 2 ms 25.0%", "updates 2 ms 25.0%"):
        assert line in text
    assert "missing overlap: 25 %" in text
    assert "advice: train with sdykit.sparsecore.pipelined" in text
    assert "4 programs compiled in 1 s" in text
    assert "lookup table_0 0.25 max_ids_per_partition: 32 to 64 compiled" in text
    assert "Longest gaps of the first device" in text


def test_a_page_is_written_and_needs_no_other_file(run_folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert main(["report", str(run_folder), "-o", str(page)]) == 0
    text = page.read_text()
    assert not re.search(r"(src|href)=\"(?!#)", text)
    assert "<script" not in text


def test_two_runs_are_compared(
    run_folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_run(tmp_path / "two", minibatched(make_run()))
    assert main(["report", str(run_folder), str(tmp_path / "two")]) == 0
    text = " ".join(capfd.readouterr().out.split())
    assert "minibatching none vocabulary" in text
    assert "stack table_0: max_ids_per_partition 64 32" in text
    assert "step time 8 ms 16 ms 2.00" in text
    assert "8 minibatches a batch (bottleneck) 8.00" in text


def test_equal_runs_differ_in_nothing() -> None:
    found = compare(report_of(make_run()), report_of(make_run()))
    assert found.settings == ()
    assert {each.change for each in found.figures} <= {None, 1.0}


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (shutil.rmtree, "there is no such folder"),
        (lambda folder: (folder / "arrays.npz").write_bytes(b"x"), "it is cut off"),
    ],
)
def test_what_is_no_run_is_an_error(
    run_folder: Path, capfd: pytest.CaptureFixture[str], harm: Any, message: str
) -> None:
    harm(run_folder)
    assert main(["report", str(run_folder)]) == 1
    error = capfd.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_a_page_that_cannot_be_written(run_folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(run_folder), "-o", str(run_folder / "none" / "page.html")]) == 1
    assert "cannot write" in capfd.readouterr().err


def test_a_run_of_nothing_has_a_report(tmp_path: Path) -> None:
    run = make_run()
    none = np.zeros(0, np.int64)
    empty = with_fields(
        run,
        programs=(),
        calls=run.calls.where(none),
        host=run.host.where(none),
        batches=run.batches.where(none),
        sampled=dataclasses.replace(
            run.sampled,
            **{
                each.name: getattr(run.sampled, each.name)[:0]
                for each in dataclasses.fields(run.sampled)
            },
        ),
        tables=(),
        stacks=(),
        ids=(),
        ledger=None,
    )
    write_run(tmp_path / "run", empty)
    assert main(["report", str(tmp_path / "run"), "-o", str(tmp_path / "page.html")]) == 0


def test_names_are_escaped() -> None:
    run = make_run()
    change = Change("<b>", "<i>", "&")
    programs = (
        dataclasses.replace(run.programs[0], name="<x>", changed=(change,)),
        *run.programs[1:],
    )
    page = run_page(report_of(with_fields(run, programs=programs, error="<script>")))
    assert not re.search(r"<(b|i|x|script)>[^A]", page.split("<main")[1])


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.mark.parametrize("tables", [1, 200])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_in_a_browser(browser: Any, tmp_path: Path, width: int, tables: int) -> None:
    file = tmp_path / "page.html"
    runs = (make_run(tables=tables), minibatched(make_run(tables=tables)))
    file.write_text(run_page(*map(report_of, runs)))
    page = browser.new_page(viewport={"width": width, "height": 900})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"file://{file}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#steps").inner_text() == "3"
    assert page.locator("#stacks tr").count() == tables + 1
    sections = page.locator("nav ol a")
    for at in range(sections.count()):
        link = sections.nth(at)
        target = page.locator(link.get_attribute("href"))
        link.click()
        page.wait_for_timeout(50)
        assert target.count() == 1
        assert target.locator("h2").first.is_visible()
    table = page.locator("#not-found table")
    assert not table.is_visible()
    page.locator("#not-found summary").click()
    assert table.is_visible()
    assert "minibatches" in page.locator("#bottlenecks .finding").first.inner_text() or (
        page.locator("#bottlenecks").get_by_text("minibatches", exact=False).count()
    )
    assert page.locator("#comparison").get_by_text("minibatching").first.is_visible()
    assert page.locator("#step .bars i[title]").count() >= 3
    assert errors == []
    page.close()
