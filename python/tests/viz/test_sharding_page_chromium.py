"""The page of a propagation in a browser: what is drawn, and how a user finds a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from examples.models import control_flow, mixture_of_experts, transformer
from sdykit.explain import Explanation, explain_text
from sdykit.explain.page import page as page_of
from sdykit.explain.questions import Index, why
from sdykit.explain.questions.axes import axes_of
from support.explain.wrong_constraint import WRONG, module_text, write_model

Open = Callable[..., Page]
SIZES = {"desktop": (1400, 900), "phone": (390, 844)}


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Open the page of an explanation; whatever the page asks for or complains about fails."""
    context = browser.new_context(offline=True)
    problems: list[str] = []

    def open_page(explanation: Explanation, size: str = "desktop") -> Page:
        path = tmp_path / "page.html"
        path.write_text(page_of(explanation))
        page = context.new_page()
        width, height = SIZES[size]
        page.set_viewport_size({"width": width, "height": height})
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text))
        page.on("request", lambda request: requests.append(request.url))
        requests: list[str] = []
        page.goto(path.as_uri())
        assert requests == [path.as_uri()]
        return page

    yield open_page
    context.close()
    assert problems == []


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> tuple[Explanation, str]:
    """Return a training step with a wrong constraint, and the line of it."""
    path, line = write_model(tmp_path_factory.mktemp("model"))
    return explain_text(module_text(path), "step.mlir"), f"{path}:{line}"


def chips(row: str) -> list[str]:
    """Return the axes in the text of a row."""
    return re.findall(r"data|model", row)


@pytest.mark.parametrize("size", SIZES)
def test_a_wrong_constraint_is_found_in_three_clicks(
    wrong: tuple[Explanation, str], opened: Open, size: str
) -> None:
    explanation, line = wrong
    page = opened(explanation, size)
    page.get_by_role("tab", name="In the way").click()
    first = page.locator("#tables tbody tr").first
    expect(first).to_contain_text(f"constraint at {line}")
    expect(first.locator(".code")).to_contain_text(WRONG)
    first.locator("button").click()
    details = page.locator("#details")
    expect(details).to_contain_text("Why not along model")
    expect(details).to_contain_text(f"is closed, as constraint at {line} says")
    expect(details.locator(".chain .code").first).to_contain_text(WRONG)


@pytest.mark.parametrize("program", [transformer, mixture_of_experts])
def test_rows_have_the_axes_of_the_propagation_at_each_step(program, opened: Open) -> None:
    explanation = explain_text(program.program().text(debuginfo=True), "step.mlir")
    page = opened(explanation)
    steps = [step for step in explanation.steps if step.changes]
    slider = page.locator("#step")
    expect(slider).to_have_attribute("max", str(len(steps)))
    shown = {each.number: each for each in explanation.tensors}

    def rows() -> dict[int, list[str]]:
        found = page.locator(".row[data-tensor]").evaluate_all(
            "rows => rows.map((row) => [row.dataset.tensor, row.querySelector('.type').textContent])"
        )
        return {int(number): chips(text) for number, text in found}

    for number, axes in rows().items():
        assert axes == list(axes_of(shown[number].final)), shown[number].name
    slider.fill("0")
    for number, axes in rows().items():
        given = shown[number].given
        assert axes == ([] if given is None else list(axes_of(given.sharding)))
    page.get_by_label("One step on").click()
    first = steps[0].changes[0]
    row = page.locator(f"#row-{first.tensor}")
    expect(row).to_have_class(re.compile("changed"))
    assert set(first.after) <= set(chips(row.locator(".type").inner_text()))
    expect(page.locator("#now")).to_contain_text(f"step 1 of {len(steps)}")


def test_a_click_on_an_axis_tells_its_chain(wrong: tuple[Explanation, str], opened: Open) -> None:
    explanation, _ = wrong
    index = Index(explanation)
    tensor, axis, links = next(
        (each, axis, links)
        for each in explanation.tensors
        for axis in axes_of(each.final)
        if len(links := why(index, each.number, axis)) > 3
    )
    page = opened(explanation)
    page.locator("#find").fill(tensor.name)
    page.locator(f"#row-{tensor.number} .axis", has_text=axis).first.click()
    items = page.locator("#details .chain").first.locator("li")
    expect(items).to_have_count(len(links))
    for number, link in enumerate(links):
        each = explanation.tensors[link.tensor]
        expect(items.nth(number)).to_contain_text(each.label or each.name)
        expect(items.nth(number)).to_contain_text(f"dimension {link.dimension}")
    expect(items.last).to_contain_text("given by")
    # The chain is followed by clicks, to where the axis was given.
    page.locator("#find").fill("")
    items.last.locator("button").click()
    expect(page.locator(f"#row-{links[-1].tensor}")).to_have_class(re.compile("picked"))


def test_source_lines_search_and_keys(wrong: tuple[Explanation, str], opened: Open) -> None:
    explanation, line = wrong
    page = opened(explanation)
    page.get_by_role("tab", name="By source line").click()
    page.keyboard.press("/")
    page.keyboard.type(line)
    heading = page.locator(".row.heading")
    expect(heading).to_have_count(1)
    expect(heading).to_contain_text(WRONG)
    wanted = [each for each in explanation.tensors if str(each.source) == line]
    expect(page.locator("#found")).to_have_text(f"{len(wanted)} tensors")
    page.locator("#program").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".row.picked")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#details")).to_be_hidden()


def test_only_rows_in_view_are_drawn(opened: Open) -> None:
    config = transformer.Config(layers=6)
    page = opened(explain_text(transformer.program(config).text(debuginfo=True), "step.mlir"))
    assert page.locator(".row").count() < 80
    page.locator("#program").evaluate("box => { box.scrollTop = box.scrollHeight }")
    expect(page.locator(".row").last).to_contain_text("return")
    assert page.locator(".row").count() < 80


@pytest.fixture(scope="module")
def costly() -> Explanation:
    """Return a program with its collectives, times and XLA's own."""
    text, given = control_flow.program().text(debuginfo=True), {"data": 1e9, "model": 1e8}
    return explain_text(text, "step.mlir", to="collectives", bandwidth=given, compiled=True)


@pytest.mark.parametrize("size", SIZES)
def test_collectives_are_listed_with_their_reasons(
    costly: Explanation, opened: Open, size: str
) -> None:
    costs = costly.costs
    assert costs is not None
    page = opened(costly, size)
    page.get_by_role("tab", name="Communication").click()
    tables = page.locator("#tables")
    expect(page.locator("#tab-communication b")).to_have_text(str(len(costs.collectives)))
    rows = tables.locator(".stacked tbody tr")
    expect(rows).to_have_count(len(costs.collectives))
    largest = max(costs.collectives, key=lambda each: each.total_bytes)
    expect(rows.first).to_contain_text(largest.kind)
    expect(rows.first).to_contain_text("per iteration, trip count unknown")
    expect(rows.first.locator("td").last).to_contain_text(f"{largest.total_bytes:.0f} bytes")
    expect(tables).to_contain_text("Times: a device receives all of it over the slowest axis")
    expect(tables).to_contain_text("Equal at 3 of 9 lines of the program.")
    # All of it fits: nothing is cut off at the right.
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
    assert tables.evaluate("box => box.scrollWidth <= box.clientWidth")
    # From a gather that a constraint asks for to the chain of the axis.
    reason = re.compile(
        r"dimension 1 of %27 is closed, as constraint at \S+control_flow.py:\d+ says"
    )
    gather = rows.filter(has_text="all_gather").filter(has_text=reason)
    expect(gather).to_have_count(1)
    gather.locator(".reason button").click()
    expect(page.locator("#details")).to_contain_text("Why along model")


def test_without_collectives_there_is_no_tab(wrong: tuple[Explanation, str], opened: Open) -> None:
    page = opened(wrong[0])
    expect(page.locator("#tab-communication")).to_be_hidden()
