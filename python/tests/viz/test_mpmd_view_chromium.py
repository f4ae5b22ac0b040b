"""The picture of MPMD programs in a browser: what is drawn, and what a user can do."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from sdykit.core import RunOptions, run_pipeline
from sdykit.mlir import ir, make_context
from sdykit.viz.import_report import Recorder, write_report
from sdykit.viz.mpmd_view import mpmd_page
from sdykit.viz.mpmd_view.model import Program
from support.mpmd.view_programs import EXPORT, ODD, REAL, programs_of, real

BENCHMARKS = str(Path(__file__).parents[3] / "benchmarks")
Open = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Open the page of programs; whatever the page asks for or complains about fails."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, offline=True)
    problems: list[str] = []

    def open_page(programs: list[Program], title: str = "title") -> Page:
        path = tmp_path / "page.html"
        path.write_text(mpmd_page(programs, title))
        page = context.new_page()
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


def flows_of(program: Program) -> set[tuple[str, str]]:
    """Return the pairs of parts with values between them."""
    users = [(f"s{at}", step.inputs) for at, step in enumerate(program.steps)]
    users += [(f"r{at}", (port,)) for at, port in enumerate(program.results)]
    return {
        (f"a{source.index}" if source.step is None else f"s{source.step}", user)
        for user, ports in users
        for port in ports
        if (source := port.source) is not None
    }


@pytest.mark.parametrize("pipeline", [None, EXPORT])
@pytest.mark.parametrize("name", REAL)
def test_the_picture_has_a_box_or_arrow_for_each_op(
    name: str, pipeline: str | None, opened: Open
) -> None:
    (program,) = programs_of(real(name), pipeline)
    page = opened([program], name)
    kinds = [step.kind for step in program.steps]
    expect(page.locator("h1")).to_have_text(name)
    expect(page.locator("#picture .step.fragment")).to_have_count(kinds.count("fragment"))
    expect(page.locator("#picture .step.transfer")).to_have_count(kinds.count("transfer"))
    expect(page.locator("#picture .port.argument")).to_have_count(len(program.arguments))
    expect(page.locator("#picture .port.result")).to_have_count(len(program.results))
    drawn = page.locator("#picture .flow").evaluate_all(
        "all => all.map(flow => [flow.dataset.from, flow.dataset.to])"
    )
    assert {tuple(pair) for pair in drawn} == flows_of(program)
    assert len(drawn) == len(flows_of(program))
    assert page.locator("#lanes strong").all_inner_texts() == [lane.name for lane in program.lanes]


def test_boxes_are_in_their_lanes_in_program_order(opened: Open) -> None:
    (program,) = programs_of(real("transformer"), EXPORT)
    page = opened([program])

    def boxes() -> dict[int, Any]:
        return {
            at: page.locator(f"#part-s{at} .body").bounding_box() or {}
            for at, step in enumerate(program.steps)
            if step.kind == "fragment"
        }

    names = [lane.name for lane in program.lanes]
    headers = [each.bounding_box() for each in page.locator("#lanes .lane").all()]
    lanes = dict(zip(names, headers, strict=True))
    order = boxes()
    lefts = [box["x"] for box in order.values()]
    assert lefts == sorted(lefts)
    for at, box in order.items():
        lane = lanes[program.steps[at].lanes[0]]
        assert lane is not None
        assert lane["y"] < box["y"] < box["y"] + box["height"] < lane["y"] + lane["height"]
    page.get_by_label("side by side").check()
    columns = [(program.steps[at].tick, round(box["x"])) for at, box in boxes().items()]
    assert len({left for _, left in columns}) == len({tick for tick, _ in columns})
    assert sorted(columns) == sorted(columns, key=lambda pair: pair[1])
    assert len({tick for tick, _ in columns}) < len(columns)


def test_transfers_connect_the_lanes_of_operand_and_result(opened: Open) -> None:
    (program,) = programs_of(real("offloaded_mlp"))
    page = opened([program])
    names = [lane.name for lane in program.lanes]
    boxes = [each.bounding_box() or {} for each in page.locator("#picture .lane").all()]
    heights = [(box["y"], box["y"] + box["height"]) for box in boxes]
    lanes = dict(zip(names, heights, strict=True))
    picture = page.locator("#picture").bounding_box() or {}
    for at, step in enumerate(program.steps):
        if step.kind != "transfer" or step.lanes[0] == step.lanes[1]:
            continue
        stem = page.locator(f"#part-s{at} .stem").get_attribute("d") or ""
        start, end = (float(y) + picture["y"] for y in stem.partition(" ")[2].split("V"))
        assert lanes[step.lanes[0]][0] < start < lanes[step.lanes[0]][1]
        assert lanes[step.lanes[1]][0] < end < lanes[step.lanes[1]][1]


def test_hovering_shows_the_marks_of_each_pass(opened: Open) -> None:
    (program,) = programs_of(real("offloaded_mlp"), EXPORT)
    page = opened([program])
    tip = page.locator("#tip")
    expect(tip).to_be_hidden()
    number = next(at for at, step in enumerate(program.steps) if step.callee == "load2.f2")
    page.locator(f"#part-s{number}").hover()
    expect(tip).to_be_visible()
    expect(tip.locator("h2")).to_have_text("load2.f2")
    groups = tip.locator(".marks")
    assert [text.split("\n") for text in groups.all_inner_texts()] == [
        [
            "Aliasing and donation-mpmd-mark-aliasing-and-donation",
            "input #3: shares its buffer with output #5",
        ],
        ["Host memory-mpmd-mark-offloaded-input-output", "inputs #0, #1: pinned_host"],
        [
            "Reserved memory-mpmd-mark-fragment-reserved-memory",
            "0 bytes on each device, xla_tpu_user_reserved_hbm_bytes",
        ],
        ["Function-mpmd-lower-to-fragment-calls", "@load2.f2"],
    ]
    first = tip.locator(".ports").first.locator("tbody tr").first
    assert first.locator("td").all_inner_texts() == [
        *("0", "%arg2", "16x8xf32", '[{"model"}, {}]', "8x8xf32", "256", "pinned_host"),
        "argument #2",
    ]
    page.mouse.move(700, 5)
    expect(tip).to_be_hidden()


def test_layouts_remat_and_names_with_markup_are_shown_as_text(opened: Open) -> None:
    page = opened(programs_of(ODD), "<b>title</b>")
    page.locator("#part-s2").hover()
    tip = page.locator("#tip")
    expect(tip.locator("h2")).to_have_text("<b>loop</b>.g(1)")
    text = tip.inner_text()
    for part in (
        "origin\n<b>loop</b>, g (transposed)\nphase\nforward and backward\nstage\n3\ncall counter\n7",
        "Layouts-mpmd-mark-input-output-with-layouts\ninput #0: auto\noutput #0: {0,1}",
        "Host memory-mpmd-mark-offloaded-input-output\noutput #0: pinned_host",
        "2.79 GiB (3,000,000,000 bytes) on each device, reserved_hbm_bytes",
        'Other marks\nremat\ninput #1: my.mark = "x&y"',
    ):
        assert part in text
    page.locator("#part-s1").hover()
    assert 'note\n"</script><script>fail()</script>"' in tip.inner_text()
    expect(page.locator("h1")).to_have_text("<b>title</b>")
    expect(page.locator("#lanes strong").nth(1)).to_have_text("<img src=x onerror=fail()>")
    expect(page.locator("img, #picture b")).to_have_count(0)
    expect(page.locator("#part-s2 .badge")).to_have_text(["=1", "\u00d71", "H1", "L2", "R"])
    expect(page.locator("#picture .loop text")).to_have_text("for, 12 times")
    page.locator("#program").select_option("@part")
    expect(page.locator("#picture .step")).to_have_count(0)
    expect(page.locator("#summary")).to_contain_text("@part (private)")


def test_meshes_can_be_hidden(opened: Open) -> None:
    (program,) = programs_of(real("mlp"))
    page = opened([program])
    page.locator("#meshes").get_by_label("m2").uncheck()
    there = {at for at, step in enumerate(program.steps) if "m1" in step.lanes}
    expect(page.locator("#picture .step")).to_have_count(len(there))
    expect(page.locator("#lanes strong")).to_have_text(["m1"])
    assert any(program.steps[at].kind == "transfer" for at in there)
    page.locator("#meshes").get_by_label("m1").uncheck()
    expect(page.locator("#picture .part")).to_have_count(0)
    page.locator("#meshes").get_by_label("m2").check()
    expect(page.locator("#lanes strong")).to_have_text(["m2"])


def test_found_steps_are_marked_and_enter_goes_to_the_next(opened: Open) -> None:
    (program,) = programs_of(real("transformer"), EXPORT)
    page = opened([program])
    find = page.locator("#find")
    page.keyboard.press("/")
    expect(find).to_be_focused()
    find.fill("STAGE3(1)")
    wanted = [at for at, step in enumerate(program.steps) if step.label == "stage3(1)"]
    expect(page.locator("#found")).to_have_text(f"{len(wanted)} found")
    expect(page.locator("#picture .match")).to_have_count(len(wanted))
    find.press("Enter")
    find.press("Enter")
    expect(page.locator("#picture .picked")).to_have_id(f"part-s{wanted[1]}")
    expect(page.locator(f"#part-s{wanted[1]}")).to_be_in_viewport()
    find.fill("no such step")
    expect(page.locator("#found")).to_have_text("0 found")


def test_clicking_shows_producers_and_consumers(opened: Open) -> None:
    (program,) = programs_of(real("mlp"))
    page = opened([program])
    page.locator("#part-s2").click(position={"x": 20, "y": 10})
    aside = page.locator("#details")
    expect(aside.locator("h2")).to_have_text("f2")

    def ids(style: str) -> set[str]:
        found = page.locator(f"#picture .part.{style}")
        return set(found.evaluate_all("all => all.map(part => part.dataset.key)"))

    # Through the transfer, to the fragment after it.
    assert ids("picked") == {"s2"}
    assert ids("source") == {"s0", "s1", "a5", "a2", "a3"}
    direct = {user for source, user in flows_of(program) if source == "s2"}
    assert direct <= ids("user")
    assert {key for key in ids("user") if key not in direct} == {
        user
        for source, user in flows_of(program)
        if source in direct and program.steps[int(source[1:])].kind == "transfer"
    }
    expect(page.locator('.flow[data-from="a5"][data-to="s2"]')).to_be_visible()
    expect(page.locator('.flow[data-from="a4"][data-to="s0"]')).to_be_hidden()
    page.keyboard.press("Escape")
    expect(aside).to_be_hidden()
    assert ids("picked") == ids("source") == ids("user") == set()
    page.get_by_label("arguments and results").check()
    expect(page.locator('.flow[data-from="a4"][data-to="s0"]')).to_be_visible()


def test_the_keyboard_reaches_every_part(opened: Open) -> None:
    (program,) = programs_of(real("mlp"))
    page = opened([program])
    expect(page.locator('#picture [tabindex="0"]')).to_have_count(1)
    page.get_by_role("button", name="Zoom in").focus()
    for _ in range(3):  # Past the scrolled part, which takes the focus, too.
        page.keyboard.press("Tab")
        if page.locator("#part-s0").evaluate("part => part === document.activeElement"):
            break
    expect(page.locator("#part-s0")).to_be_focused()
    expect(page.locator("#tip h2")).to_have_text("f1")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#part-s1")).to_be_focused()
    expect(page.locator("#tip h2")).to_have_text("m1 → m2")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#details h2")).to_have_text("f2")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#part-s0")).to_be_focused()
    expect(page.locator("#part-s0")).to_have_attribute("aria-label", "fragment f1 on m1, step 0")


def test_a_thousand_fragments_stay_usable(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)  # As if the benchmark were run as a program.
    text = importlib.import_module("mpmd_export").program(1_000, "repeated")
    (program,) = programs_of(text, EXPORT)
    assert len(mpmd_page([program], "big")) < 1_500_000
    page = opened([program])
    assert page.evaluate("performance.now()") < 10_000
    expect(page.locator("#picture .step.fragment")).to_have_count(1_000)
    expect(page.locator("#map")).to_be_visible()
    page.get_by_role("button", name="fit").click()
    assert page.locator("#picture").evaluate("picture => picture.clientWidth") < 1_400
    page.locator("#part-s700").click()  # However thin, nothing is in front of it.
    for _ in range(12):
        page.get_by_role("button", name="Zoom in").click()
    page.locator("#find").fill("stage2(1)")
    expect(page.locator("#found")).to_have_text("125 found")
    page.locator("#find").press("Enter")
    expect(page.locator("#details h2")).to_have_text("stage2(1)")
    expect(page.locator("#details")).to_contain_text("@stage2(1), called 125 times")


MANY = 24


def pipeline_over_many_meshes() -> str:
    types = [f'!mpmd.mesh_tensor<"m{at}", tensor<8xf32>>' for at in range(MANY)]
    topology = ", ".join(f'<"m{at}" : <["x"=2]>>' for at in range(MANY))
    lines, value = [], "%a"
    for at, here in enumerate(types):
        if at:
            lines.append(f"%t{at} = mpmd.transfer {value} : ({types[at - 1]}) -> {here}")
            value = f"%t{at}"
        lines.append(
            f'%f{at} = mpmd.fragment<mesh="m{at}", origin=["s{at}"]> ({value}) (%x: tensor<8xf32>) {{'
            f" mpmd.return %x : tensor<8xf32> }} : ({here}) -> {here}"
        )
        value = f"%f{at}"
    body = "\n".join(lines)
    return (
        f"func.func @main(%a: {types[0]}) -> {types[-1]}"
        f" attributes {{topology = #mpmd.topology<{topology}>}} {{\n{body}\n"
        f"return {value} : {types[-1]} }}"
    )


def test_fit_shows_all_lanes_and_zooming_in_restores_their_height(opened: Open) -> None:
    page = opened(programs_of(pipeline_over_many_meshes()))
    sizes = "s => [s.scrollHeight - s.clientHeight, s.scrollWidth - s.clientWidth]"
    assert page.locator("#scroll").evaluate(sizes)[0] > 1_000
    page.get_by_role("button", name="fit").click()
    assert page.locator("#scroll").evaluate(sizes) == [0, 0]
    header, box = (
        page.locator(each).last.bounding_box() for each in ("#lanes .lane", ".step .body")
    )
    assert header
    assert box
    assert header["y"] < box["y"] < box["y"] + box["height"] < header["y"] + header["height"]
    page.locator("#find").fill(f"s{MANY - 1}")
    page.locator("#find").press("Enter")
    expect(page.locator(f"#part-s{2 * MANY - 2}")).to_be_in_viewport()
    for _ in range(8):
        page.get_by_role("button", name="Zoom in").click()
    assert page.locator("#lanes .lane").last.bounding_box()["height"] > 80  # pyright: ignore[reportOptionalSubscript]


@pytest.mark.parametrize("width", [800, 1200, 1600])
def test_no_text_of_the_report_is_cut_or_overflows(
    width: int, browser: Browser, tmp_path: Path
) -> None:
    module = ir.Module.parse(real("transformer"), make_context())
    recorder = Recorder(module.operation)
    run_pipeline(module, EXPORT, RunOptions(observer=recorder))
    path = tmp_path / "report.html"
    write_report(path, recorder.stages)
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for each in (*page.locator(".op").all(), *page.locator(".chart > *").all()):
        box = each.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    page.close()
