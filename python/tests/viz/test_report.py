"""The HTML report and the table: numbers, escaping, size, writing to a file."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console

from sdykit.core import RunOptions, run_pipeline
from sdykit.errors import SdykitError
from sdykit.mlir import ir, make_context
from sdykit.viz.import_report import Recorder, Stage, report, table, write_report
from sdykit.viz.import_report.highlight import changed_spans, line_html

BEFORE = """\
module {
  sdy.mesh @mesh = <["data"=4, "model"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, \
%arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<8x8xf32>
    %1 = stablehlo.abs %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
"""
INSERTED = "    %9 = sdy.sharding_constraint %0 <@mesh, [{}, {?}]> : tensor<8x8xf32>\n"
AFTER = BEFORE.replace("    %1 =", INSERTED + "    %1 =").replace("abs %0", "abs %9")
STAGES = [
    Stage("first-pass", BEFORE, BEFORE, 0.0005),
    Stage("second-pass{a=1}", BEFORE, AFTER, 0.0125),
    Stage("third", AFTER, BEFORE, 0.25),
]

VOID = {"meta", "input"}


class Page(HTMLParser):
    """Collects the text of elements by class and id; fails on tags that do not match."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, list[str]]] = []
        self.texts: dict[str, list[str]] = {}
        self.links: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.links += [found[key] or "" for key in ("href", "src") if key in found]
        names = [*(found.get("class") or "").split(), f"#{found.get('id')}", tag]
        for name in names:
            self.texts.setdefault(name, []).append("")
        if tag not in VOID:
            self.open.append((tag, names))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        for name in {name for _, names in self.open for name in names}:
            self.texts[name][-1] += data

    def __getitem__(self, name: str) -> list[str]:
        return [" ".join(text.split()) for text in self.texts.get(name, [])]


def test_the_numbers_are_those_of_the_modules() -> None:
    page = Page(report(STAGES, "my run"))
    assert page["h1"] == ["my run"]
    assert page["#passes"] == ["3"]
    assert page["dd"] == ["3", "2", "6 → 6", "263.0 ms"]
    assert page["name"] == ["first-pass", "second-pass{a=1}", "third"]
    assert page["time"] == ["0.5 ms", "12.5 ms", "250.0 ms"]
    assert page["facts"] == [
        "6 → 7 ops, 12.50 ms +1 sdy.sharding_constraint",
        "7 → 6 ops, 250.00 ms -1 sdy.sharding_constraint",
    ]


def test_the_sidebar_and_each_diff_show_the_counts() -> None:
    page = Page(report(STAGES))
    expected = ["no change", "+1~1", "\u22121~1"]
    # The sidebar, then each pass followed by its parts.
    assert page["counts"] == [*expected, "no change", "+1~1", "+1~1", "\u22121~1", "\u22121~1"]


def test_rows_show_the_lines_before_and_after() -> None:
    page = Page(report(STAGES[1:2]))
    assert page["add"] == [INSERTED.strip()]
    assert page["chg"] == [
        "%1 = stablehlo.abs %0 : tensor<8x8xf32> %1 = stablehlo.abs %9 : tensor<8x8xf32>"
    ]
    assert page["m"] == ["%0", "%9"]
    assert page["gap"] == ["1 line unchanged"]


def test_meshes_and_uses_of_axes_are_shown() -> None:
    page = Page(report(STAGES))
    assert page["mesh"] == ["@mesh data 4 \u00d7 model 2"]
    assert page["td"] == ["1 of 2", "0 of 1", "0", "0", "0 of 2", "0 of 1", "0", "0"]


MPMD = """\
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: !mpmd.mesh_tensor<"m1", tensor<8xf32>, sharding=<@mesh, [{"x"}]>>) attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>, <"m1/cpu" : <["y"=4, "z"=2]>>>} {
    %0 = mpmd.transfer %arg0 : (!mpmd.mesh_tensor<"m1", tensor<8xf32>, sharding=<@mesh, [{"x"}]>>) -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>
    return
  }
}
"""


def test_mpmd_programs_show_their_topology_and_ops() -> None:
    page = Page(report([Stage("func.func(mpmd-delay-inferred-fragments)", MPMD, MPMD, 0.0)]))
    assert page["topology"] == ["Topology of @main"]
    assert page["mesh"] == ["@mesh x 2", "m1 x 2", "m1/cpu y 4 \u00d7 z 2"]
    assert page["td"][:2] == ["1 of 1", "0 of 0"]
    assert page["keys"] == ["stablehlo sdy mpmd func other"]
    assert len(page["i"]) == 2 * 4  # bars of sdy, mpmd, func and builtin
    assert page["label"][:-1] == ["input", "mpmd-delay-inferred-fragments"]
    assert page["summary"][0].startswith("Move each inferred fragment")


def test_the_chart_has_a_bar_for_the_input_and_for_each_pass() -> None:
    page = Page(report(STAGES))
    assert page["label"][:-1] == ["input", "first-pass", "second-pass{a=1}", "third"]
    assert page["value"] == ["6", "6", "7 (+1)", "6 (-1)"]


def test_ir_is_escaped() -> None:
    hostile = '</pre><script>alert("&amp;")</script>'
    escaped = ir_string(hostile)
    module = f"module {{\n  func.func private @f() attributes {{a = {escaped}}}\n}}\n"
    stage = Stage("<b>pass</b> & co", module, module.replace("@f", "@g"), 0.0)
    text = report([stage], hostile)
    assert "<script" not in text
    assert "<b>pass" not in text
    page = Page(text)
    assert page["name"] == ["<b>pass</b> & co"]
    assert page["title"][0] == hostile
    assert any("alert" in row for row in page["add"])


def ir_string(text: str) -> str:
    return '"' + text.replace('"', "\\22") + '"'


def test_the_page_loads_nothing() -> None:
    text = report(STAGES)
    assert all(link.startswith("#") for link in Page(text).links)
    assert not re.search(r"https?://|@import|url\(", text)


def test_links_in_the_sidebar_lead_to_the_passes() -> None:
    page = Page(report(STAGES))
    targets = {link.removeprefix("#") for link in page.links}
    assert targets == {"top", "pass-1", "pass-2", "pass-3"}
    assert all(f"#{target}" in page.texts for target in targets)


def test_a_report_without_stages_says_so() -> None:
    assert "No pass ran." in report([])


def test_large_changes_are_cut_and_counted() -> None:
    lines = [f"    %{at} = stablehlo.abs %arg0 : tensor<{at + 1}xf32>\n" for at in range(5_000)]
    empty = "module {\n  func.func @main() {\n    return\n  }\n}\n"
    full = empty.replace("    return", "".join(lines).replace("%arg0", '"x"') + "    return")
    full = re.sub(r'stablehlo.abs "x"', '"my.op"()', full).replace(" : tensor", " : () -> tensor")
    page = Page(report([Stage("grow", empty, full, 0.0)]))
    assert page["counts"] == ["+5,000"] * 3
    shown = len(page["add"])
    assert 0 < shown < 1_000
    assert page["gap"][-1] == f"{5_000 - shown:,} more changed lines are not shown"


def test_a_stage_that_is_not_valid_ir_is_an_error() -> None:
    with pytest.raises(SdykitError, match="a stage of the report is not valid IR"):
        report([Stage("x", "module {", "", 0.0)])


def test_the_table_has_the_same_numbers() -> None:
    console = Console(file=io.StringIO(), width=80)
    console.print(table([*STAGES, Stage("x" * 40, BEFORE, AFTER, 12.3456)], "title"))
    assert isinstance(console.file, io.StringIO)
    rows = [line.split() for line in console.file.getvalue().splitlines()]
    assert ["title"] in rows
    assert ["first-pass", "6", "→", "6", "no", "change", "0.5"] in rows
    assert ["second-pass{a=1}", "6", "→", "7", "+1", "~1", "12.5"] in rows
    assert ["third", "7", "→", "6", "-1", "~1", "250.0"] in rows
    assert ["x" * 40, "6", "→", "7", "+1", "~1", "12345.6"] in rows


def test_write_report_writes_whole_files(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(path, STAGES, "title")
    assert path.read_text(encoding="utf-8") == report(STAGES, "title")
    assert list(tmp_path.iterdir()) == [path]


def test_write_report_leaves_the_old_file_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(SdykitError):
        write_report(path, [Stage("x", "module {", "", 0.0)])

    def full_disk(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full_disk)
    with pytest.raises(OSError, match="No space left"):
        write_report(path, STAGES)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_write_report_says_where_it_cannot_write(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="missing"):
        write_report(tmp_path / "missing" / "report.html", STAGES)


def test_a_recorder_sees_every_pass() -> None:
    with make_context():
        module = ir.Module.parse(
            BEFORE.replace("  func", "  func.func private @unused() { return }\n  func", 1)
        )
        recorder = Recorder(module.operation)
        run_pipeline(module, "symbol-dce,cse", RunOptions(observer=recorder))
    first, second = recorder.stages
    assert (first.name, second.name) == ("symbol-dce", "cse")
    assert "@unused" in first.before
    assert "@unused" not in first.after
    assert first.after is second.before is second.after
    assert first.seconds > 0


def test_known_passes_are_described() -> None:
    page = Page(report([Stage("symbol-dce", BEFORE, BEFORE, 0.0)]))
    assert page["summary"] == ["Erase private symbols that nothing refers to"]


def test_marks_leave_out_renamed_values() -> None:
    before, after = "%1 = a.b %0, %7 {x}", "%2 = a.b %5, %8 {x, y}"
    old, new = changed_spans(before, after, {"%1": "%2", "%0": "%5"})
    assert [before[slice(*span)] for span in old] == ["%7", ""]
    assert [after[slice(*span)] for span in new] == ["%8", ", y"]


def test_long_lines_keep_their_start_and_what_changed() -> None:
    line = "%0 = a.b " + "x" * 1000 + " {here}" + "y" * 1000
    marks = [(line.index("here"), line.index("here") + 4)]
    html = str(line_html(line, marks))
    assert html.startswith('<i class="v">%0</i> = ')
    assert '<i class="m">here</i>' in html
    assert html.count("…") == 2
    assert len(html) < 500


def test_a_long_change_shows_both_ends() -> None:
    line = "head " + "a" * 600 + " tail"
    html = str(line_html(line, [(5, 605)]))
    assert html.count("…") == 1
    assert html.startswith('head <i class="m">aaa')
    assert html.endswith("aaa</i> tail")


def test_changes_near_each_other_share_a_window() -> None:
    line = "x" * 400 + "one" + "y" * 20 + "two" + "x" * 400
    html = str(line_html(line, [(400, 403), (423, 426)]))
    assert f'<i class="m">one</i>{"y" * 20}<i class="m">two</i>' in html
    assert html.count("…") == 2
