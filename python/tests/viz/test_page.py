"""Pages as the results of notebook cells: whole, and apart from each other."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect, sync_playwright

from sdykit.errors import SdykitError
from sdykit.viz.import_report import Stage, report
from sdykit.viz.mpmd_view import draw
from sdykit.viz.page import Page
from support.mpmd.view_programs import EXPORT, parsed, real

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


@pytest.fixture
def tab() -> Iterator[Tab]:
    if CHROMIUM is None:
        if os.environ.get("REQUIRE_CHROMIUM"):
            pytest.fail("REQUIRE_CHROMIUM is set, but no Chromium is in PATH")
        pytest.skip("no Chromium in PATH")
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser.new_page()
        browser.close()


def test_pages_in_one_notebook_do_not_affect_each_other(tab: Tab, tmp_path: Path) -> None:
    before, after = parsed(real("mlp")), parsed(real("mlp"), EXPORT)
    stage = Stage("mpmd-export-pipeline", str(before), str(after), 0.1)
    cells = [draw(before, "one"), draw(str(after), "two"), report([stage], "three")]
    notebook = tmp_path / "notebook.html"
    styled = "<style>h1 { color: rgb(1, 2, 3) }</style><h1>Notebook</h1>"
    notebook.write_text(styled + "".join(cell._repr_html_() for cell in cells))
    problems: list[str] = []
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on("console", lambda message: problems.append(message.text))
    tab.goto(notebook.as_uri())
    frames = [tab.frame_locator("iframe").nth(at) for at in range(3)]
    for frame, title in zip(frames, ("one", "two", "three"), strict=True):
        expect(frame.locator("h1")).to_have_text(title)
        assert frame.locator("h1").evaluate("h => getComputedStyle(h).color") != "rgb(1, 2, 3)"
    for frame in frames[:2]:
        expect(frame.locator("#picture .step.fragment")).to_have_count(16)
    frames[0].locator("#find").fill("f1")
    expect(frames[0].locator("#found")).to_have_text("8 found")
    expect(frames[1].locator("#found")).to_have_text("")
    frames[2].get_by_role("link", name="mpmd-export-pipeline").click()
    expect(frames[2].locator("#pass-1")).to_be_in_viewport()
    expect(tab.locator("body > h1")).to_have_text("Notebook")
    assert problems == []


def test_a_page_is_its_text() -> None:
    page = Page('<p title="a">&amp;</p>')
    assert page == '<p title="a">&amp;</p>'
    assert 'srcdoc="&lt;p title=&#34;a&#34;&gt;&amp;amp;&lt;/p&gt;"' in page._repr_html_()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func @f(", "-:1:13: error: expected non-function type"),
        (
            "func.func @f() { return }",
            "-:1:1: error: expected an MPMD program, a function with a body and the attribute"
            " 'topology'; the module has only @f",
        ),
        (
            "func.func @f() { mpmd.call @g() : () -> () return }",
            "the module has no function @g, which mpmd.call calls",
        ),
    ],
)
def test_a_module_that_cannot_be_drawn_is_an_error(text: str, message: str) -> None:
    with pytest.raises(SdykitError) as raised:
        draw(text)
    assert message in str(raised.value)
