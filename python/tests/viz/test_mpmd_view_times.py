"""Programs drawn as they ran: the times of the steps, in the data and in a browser."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from sdykit.errors import SdykitError
from sdykit.viz.mpmd_view import draw, mpmd_page
from sdykit.viz.mpmd_view.model import Program
from sdykit.viz.mpmd_view.times import with_times
from support.mpmd.view_programs import EXPORT, ODD, exported, programs_of, real


@dataclass(frozen=True)
class Span:
    step: int
    start: float
    end: float


def program() -> Program:
    (found,) = programs_of(real("mlp"), EXPORT)
    return found


def spans(count: int) -> list[Span]:
    """Return spans of 1 ms; each starts half a millisecond after the one before it."""
    return [Span(at, at * 5e-4, at * 5e-4 + 1e-3) for at in range(count)]


def test_steps_have_the_times_of_a_run_in_any_order() -> None:
    before = program()
    found = spans(len(before.steps))
    (after,) = with_times([before], "main", found[::-1])
    assert [(step.start, step.end) for step in after.steps] == [
        (span.start, span.end) for span in found
    ]
    assert [step.start for step in before.steps] == [None] * len(found)


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_spans_of_another_program_are_an_error(count: int) -> None:
    before = program()
    with pytest.raises(SdykitError) as caught:
        with_times([before], "main", spans(count))
    assert str(caught.value) == (
        f"spans: expected one for each of the {len(before.steps)} steps of @main, found {count};"
        " draw the program that ran, Executable.module"
    )


def test_an_unknown_function_is_an_error() -> None:
    with pytest.raises(SdykitError) as caught:
        draw(exported(real("mlp")), spans=spans(1), function="step")
    assert str(caught.value) == "spans: there is no MPMD program @step, only @main"


def test_a_run_is_drawn_to_scale(browser: Browser, tmp_path: Path) -> None:
    before = program()
    timed = with_times([before], "main", spans(len(before.steps)))
    path = tmp_path / "page.html"
    path.write_text(mpmd_page(timed, "run"))
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(path.as_uri())
    expect(page.get_by_label("as it ran")).to_be_checked()
    boxes = {
        at: page.locator(f"#part-s{at} .body").bounding_box() or {}
        for at, step in enumerate(before.steps)
        if step.kind == "fragment"
    }
    first, *_, last = boxes
    scale = (boxes[last]["x"] - boxes[first]["x"]) / (last - first)
    for at, box in boxes.items():
        assert box["x"] == pytest.approx(boxes[first]["x"] + (at - first) * scale, abs=1.5)
        assert box["width"] == pytest.approx(2 * scale, abs=3)
    move = next(at for at, step in enumerate(before.steps) if step.kind == "transfer")
    stem = page.locator(f"#part-s{move} .stem").get_attribute("d") or ""
    start, end = (float(point.strip("ML ").split()[0]) for point in stem.split("L"))
    assert end - start == pytest.approx(2 * scale, abs=1.5)
    seconds = (len(before.steps) + 1) * 5e-4
    assert f"ran in {1e3 * seconds:.3g} ms" in page.locator("#summary").inner_text()
    page.locator(f"#part-s{last}").hover()
    expect(page.locator("#tip dd").first).to_contain_text("1 ms, from")
    on_first = [at for at in boxes if before.steps[at].lanes == (before.lanes[0].name,)]
    busy = round(100 * len(on_first) * 1e-3 / seconds)
    assert f"busy {busy}%" in page.locator("#lanes .lane").first.inner_text()
    page.get_by_label("side by side").check()
    assert "V" in (page.locator(f"#part-s{move} .stem").get_attribute("d") or "")
    assert problems == []


def test_a_program_without_a_run_has_no_such_order(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(mpmd_page(programs_of(ODD), "odd"))
    page = browser.new_page()
    page.goto(path.as_uri())
    expect(page.get_by_label("as it ran")).to_be_hidden()
    expect(page.locator('#order [value="program"]')).to_be_checked()
