"""The page and the table of the report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup, escape
from rich.box import SIMPLE_HEAD
from rich.table import Table

from sdykit.files import write_whole
from sdykit.viz.charts import Axis, Bar, Part, bars
from sdykit.viz.import_report.diff import Kind, PartDiff, Row
from sdykit.viz.import_report.facts import Facts
from sdykit.viz.import_report.highlight import changed_spans, line_html
from sdykit.viz.import_report.stages import (
    Change,
    Stage,
    analyse,
    pass_summary,
    without_nesting,
)
from sdykit.viz.page import Page, page_template

_CONTEXT_LINES = 3
_ROWS_PER_STAGE = 600


def write_report(path: str | Path, stages: Sequence[Stage], title: str = "sdykit") -> None:
    """Write the report to a file, whole or not at all.

    Raises:
        SdykitError: a module of the stages is not valid IR.
        OSError: the file cannot be written.
    """
    write_whole(Path(path), report(stages, title).encode(errors="backslashreplace"))


def report(stages: Sequence[Stage], title: str = "sdykit") -> Page:
    """Return the report as an HTML page, which a notebook can show.

    Args:
        stages: the stages of the passes, in the order in which they ran.
        title: the heading, such as the pipeline and the file it ran on.

    Raises:
        SdykitError: a module of the stages is not valid IR.
    """
    changes = analyse(stages)
    page = page_template("sdykit.viz.import_report").render(
        title=title,
        changes=[_view(change) for change in changes],
        milliseconds=sum(stage.seconds for stage in stages) * 1e3,
        first=changes[0].before if changes else None,
        last=changes[-1].after if changes else None,
        chart=_op_chart(changes),
        axes=_axis_rows(changes[-1].after) if changes else [],
    )
    return Page(page)


def table(stages: Sequence[Stage], title: str | None = None) -> Table:
    """Return a table for `rich.print` of the changes and the time of each pass."""
    result = Table(title=title, box=SIMPLE_HEAD, pad_edge=False)
    result.add_column("pass", no_wrap=True)
    result.add_column("ops", justify="right", no_wrap=True)
    result.add_column("lines", no_wrap=True)
    result.add_column("ms", justify="right", no_wrap=True)
    for change in analyse(stages):
        edits = [(kind, change.lines[kind]) for kind in (Kind.ADDED, Kind.REMOVED, Kind.CHANGED)]
        result.add_row(
            change.stage.name,
            f"{change.before.total:,} → {change.after.total:,}",
            " ".join(f"{kind.value}{count}" for kind, count in edits if count) or "no change",
            f"{change.stage.seconds * 1e3:.1f}",
            style=None if change.parts else "dim",
        )
    return result


@dataclass(frozen=True)
class _Block:
    """A run of rows to show, or the number of lines left out."""

    rows: list[tuple[str, Markup, Markup]]
    left_out: int = 0


@dataclass(frozen=True)
class _PartView:
    name: str
    added: int
    removed: int
    changed: int
    blocks: list[_Block]
    not_shown: int
    """Changed lines beyond the limit of the page."""


@dataclass(frozen=True)
class _ChangeView:
    name: str
    summary: Markup
    milliseconds: float
    added: int
    removed: int
    changed: int
    before: int
    after: int
    ops: list[tuple[str, int]]
    parts: list[_PartView]


def _view(change: Change) -> _ChangeView:
    lines = change.lines
    parts, budget = [], _ROWS_PER_STAGE
    for part in change.parts:
        view, budget = _part_view(part, budget)
        parts.append(view)
    return _ChangeView(
        name=change.stage.name,
        summary=_code(pass_summary(change.stage.name)),
        milliseconds=change.stage.seconds * 1e3,
        added=lines[Kind.ADDED],
        removed=lines[Kind.REMOVED],
        changed=lines[Kind.CHANGED],
        before=change.before.total,
        after=change.after.total,
        ops=change.ops,
        parts=parts,
    )


def _code(text: str) -> Markup:
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text))))


def _part_view(part: PartDiff, budget: int) -> tuple[_PartView, int]:
    blocks, not_shown = [], 0
    for rows in _runs(part.rows):
        shown = budget > 0
        if isinstance(rows, int):
            blocks += [_Block([], rows)] if shown else []
            continue
        hidden = rows[budget:] if shown else rows
        not_shown += sum(row.kind is not Kind.SAME for row in hidden)
        if shown:
            blocks.append(_Block([_row_html(row) for row in rows[:budget]]))
            budget -= len(rows)
    counts = part.counts
    view = _PartView(
        part.name, counts[Kind.ADDED], counts[Kind.REMOVED], counts[Kind.CHANGED], blocks, not_shown
    )
    return view, budget


def _runs(rows: list[Row]) -> Iterator[list[Row] | int]:
    """Split rows into runs to show, around edits, and numbers of lines to leave out."""
    edits = [at for at, row in enumerate(rows) if row.kind is not Kind.SAME]
    shown: list[tuple[int, int]] = []
    for at in edits:
        start, stop = max(0, at - _CONTEXT_LINES), min(len(rows), at + _CONTEXT_LINES + 1)
        # One line left out would take as much room as the line.
        if shown and start <= shown[-1][1] + 1:
            shown[-1] = (shown[-1][0], stop)
        else:
            shown.append((start, stop))
    end = 0
    for start, stop in shown:
        if start > end:
            yield start - end
        yield rows[start:stop]
        end = stop
    if end < len(rows):
        yield len(rows) - end


_ROW_CLASSES = {Kind.SAME: "same", Kind.CHANGED: "chg", Kind.ADDED: "add", Kind.REMOVED: "del"}


def _row_html(row: Row) -> tuple[str, Markup, Markup]:
    old_marks, new_marks = [], []
    if row.kind is Kind.CHANGED:
        old_marks, new_marks = changed_spans(row.before or "", row.after or "", row.names)
    before, after = line_html(row.before or "", old_marks), line_html(row.after or "", new_marks)
    return _ROW_CLASSES[row.kind], before, after


_DIALECTS = ("stablehlo", "sdy", "mpmd", "func")


def _op_chart(changes: Sequence[Change]) -> Markup:
    if not changes:
        return Markup("")
    shown = [_op_bar("input", changes[0].before, 0)]
    shown += [
        _op_bar(change.stage.name, change.after, change.after.total - change.before.total)
        for change in changes
    ]
    return bars(shown, Axis("ops"), "Number of ops after each pass, by dialect")


def _op_bar(label: str, facts: Facts, grown: int) -> Bar:
    dialects: Counter[str] = Counter()
    for op, count in facts.ops.items():
        dialect = op.partition(".")[0]
        dialects[dialect if dialect in _DIALECTS else "other"] += count
    parts = tuple(Part(dialect, dialects[dialect], dialect) for dialect in (*_DIALECTS, "other"))
    text = f"{facts.total:,}" + (f" ({grown:+,})" if grown else "")
    return Bar(without_nesting(label), parts, text, label)


def _axis_rows(facts: Facts) -> list[tuple[str, dict[str, int]]]:
    """Return each axis of the meshes with its number of uses by kind."""
    meshes = [*facts.meshes, *(mesh for each in facts.topologies for mesh in each.meshes)]
    names = dict.fromkeys(name for mesh in meshes for name, _ in mesh.axes)
    return [
        (name, {where: counts[name] for where, counts in facts.sharded.items()}) for name in names
    ]
