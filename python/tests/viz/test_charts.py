"""Charts of pages: scales, lines with bands, stacked bars, and how they look."""

from __future__ import annotations

import math
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdykit.viz.charts import Axis, Bar, Line, Mark, Part, bars, lines
from sdykit.viz.charts.axis import scale_of
from sdykit.viz.page import page_template

CHROMIUM = shutil.which("chromium")
SECONDS = Axis("step time", "s")
DEVICES = Axis("devices", log=2)


def test_numbers_have_a_readable_unit() -> None:
    assert [SECONDS.text(each) for each in (0, 2e-9, 1.234e-5, 5e-3, 1.5, 1234)] == [
        *("0", "2 ns", "12.3 µs", "5 ms", "1.5 s", "1,230 s"),
    ]
    sizes = Axis("HBM", "B")
    assert [sizes.text(each) for each in (512, 1536, 3 * 2**30)] == ["512 B", "1.5 KiB", "3 GiB"]
    assert [Axis("ids").text(each) for each in (0.25, 1024, 3_500_000)] == ["0.25", "1,024", "3.5M"]
    assert Axis("speed", "B/s").text(2.5e9) == "2.5 GB/s"
    assert Axis("share", "%").text(12.34) == "12.3 %"


@given(
    st.lists(st.floats(1e-9, 1e12), min_size=1, max_size=5),
    st.sampled_from([0, 2, 10]),
    st.sampled_from(["s", "B", ""]),
)
def test_a_scale_has_room_for_all_numbers_and_few_ticks(
    values: list[float], log: int, unit: str
) -> None:
    scale = scale_of(Axis("x", unit, log), values)
    places = [scale.at(each) for each in (*values, *scale.ticks)]
    assert min(places) >= -1e-6
    assert max(places) <= 1 + 1e-6
    assert 2 <= len(scale.ticks) <= 8
    assert list(scale.ticks) == sorted(set(scale.ticks))


def test_ticks_are_round_numbers() -> None:
    assert scale_of(SECONDS, [0.0, 4.2e-3]).ticks == pytest.approx(
        [0, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3]
    )
    assert scale_of(Axis("HBM", "B"), [3 * 2**30]).ticks == (0, 2**30, 2**31, 3 * 2**30)
    assert scale_of(DEVICES, [1, 1024]).ticks == (1, 4, 16, 64, 256, 1024)
    assert scale_of(Axis("x", log=10), [3e-3, 0.03]).ticks == pytest.approx(
        [2e-3, 5e-3, 1e-2, 2e-2, 5e-2]
    )


def points(svg: str, kind: str) -> list[list[tuple[float, float]]]:
    found = re.findall(rf'<{kind} [^>]*points="([^"]*)"', svg)
    return [[tuple(map(float, each.split(","))) for each in text.split()] for text in found]  # pyright: ignore


def test_lines_and_bands_are_on_the_scales() -> None:
    line = Line("v5p", [1, 2, 4], [2.0, 1.0, 0.5], [1.0, 0.5, 0.25], [4.0, 2.0, 1.0])
    svg = lines([line], Axis("devices", log=2), Axis("time", "s", log=2), "Time by devices")
    ((one, two, three),) = points(svg, "polyline")
    assert two[0] - one[0] == pytest.approx(three[0] - two[0], abs=0.2)
    assert two[1] - one[1] == pytest.approx(three[1] - two[1], abs=0.2)
    ((*_, first),) = points(svg, "polygon")
    assert first[0] == one[0]
    assert first[1] > one[1]  # Further down: the time at the low end.
    assert re.findall("<title>([^<]*)</title>", svg)[0] == ("v5p: devices 1, time 2 s (1 s to 4 s)")
    assert "keys" not in svg


def test_a_line_is_interrupted_where_a_number_is_not_finite() -> None:
    line = Line("a", [1, 2, 3, 4, 5], [1, 1, math.nan, 1, 1], titles=list("abcde"))
    svg = lines([line, Line("<b>", [1], [2])], Axis("x"), Axis("y"), "t", [Mark("limit", 3)])
    assert [len(each) for each in points(svg, "polyline")] == [2, 2, 1]
    assert "limit 3</text>" in svg
    assert "y 1; e</title>" in svg
    assert "&lt;b&gt;" in svg
    assert "<b>" not in svg


def test_a_chart_without_lines_has_its_axes() -> None:
    svg = lines([], DEVICES, SECONDS, "nothing")
    assert "devices" in svg
    assert "<polyline" not in svg


def test_numbers_that_a_scale_cannot_show_are_an_error() -> None:
    with pytest.raises(ValueError, match="time: 0 on a logarithmic axis; expected more than 0"):
        lines([Line("a", [1], [0])], Axis("x"), Axis("time", "s", log=10), "t")
    with pytest.raises(ValueError, match="time: -1 on a linear axis; expected 0 or more"):
        lines([Line("a", [1], [-1])], Axis("x"), Axis("time", "s"), "t")
    with pytest.raises(ValueError, match="'a': low has 2 elements; expected 1, as x"):
        lines([Line("a", [1], [1], low=[1, 2])], Axis("x"), Axis("y"), "t")
    with pytest.raises(ValueError, match="bars on a logarithmic axis"):
        bars([], Axis("x", log=10), "t")


def test_parts_of_bars_have_their_share_of_the_scale() -> None:
    shown = [
        Bar("v5p", (Part("lookup", 1.0), Part("update", 2.0, title="slow")), "3 s"),
        Bar("v6e", (Part("update", 4.0), Part("lookup", 0.0)), "4 s", "v6e <x>", (3.5, 5.0)),
    ]
    html = bars(shown, SECONDS, "Step time")
    parts = re.findall('<i class="(s.)" style="--part:([0-9.]+)" title="([^"]*)"', html)
    assert parts == [
        ("s0", "0.2000", "v5p: lookup 1 s"),
        ("s1", "0.4000", "v5p: update 2 s; slow"),
        ("s1", "0.8000", "v6e: update 4 s"),
    ]
    assert (
        '<i class="whisker" style="--from:0.7000;--part:0.3000" title="v6e: 3.5 s to 5 s">' in html
    )
    assert html.count("</span>") == html.count("<span")
    assert "v6e &lt;x&gt;" in html


PAGE = """
<!doctype html><html><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
:root {{ color-scheme: light dark; --back: #fff; --line: #e1e4e9; --text: #1d2330; --faint: #667085; }}
body {{ margin: 18px; font: 14px system-ui; }}
{style}</style></head><body>{charts}</body></html>
"""


def page_of_charts() -> str:
    x = [1, 4, 16, 64, 256, 1024]
    y = [[9e-3 / each**0.5 * factor for each in x] for factor in (1, 0.5, 2)]
    time = Axis("step time", "s", log=10)
    drawn = lines(
        [Line("v5p", x, y[0], y[1], y[2]), Line("v6e", x, y[2], dashed=True)],
        DEVICES,
        time,
        "Step time by devices",
        [Mark("target", 5e-3)],
    )
    parts = tuple(Part(name, 1e-3) for name in ("lookup", "update", "TensorCore"))
    bar = Bar("v5p, 64 devices, batch 16,384", parts, "3 ms", range=(2e-3, 5e-3))
    style = (
        page_template("sdykit.viz.limits_report").environment.get_template("charts.css").render()
    )
    return PAGE.format(style=style, charts=drawn + bars([bar, bar], SECONDS, "Step time"))


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_outside_of_a_chart(tmp_path: Path, width: int) -> None:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = tmp_path / "charts.html"
    path.write_text(page_of_charts())
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(path.as_uri())
        page.screenshot(path=str(tmp_path / "charts.png"), full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for chart in page.locator(".chart").all():
            frame = chart.bounding_box()
            for part in chart.locator("text, circle, polygon, .value, .ticks span").all():
                box = part.bounding_box()
                assert box["x"] >= frame["x"] - 1
                assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 1
                assert box["y"] >= frame["y"] - 1
                assert box["y"] + box["height"] <= frame["y"] + frame["height"] + 1
        browser.close()
