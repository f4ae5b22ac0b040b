"""The report of a run as a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from markupsafe import Markup

from sdykit.sparsecore.bottlenecks.facts import StackFacts
from sdykit.viz.charts import Axis, Bar, Columns, Part, bars, columns
from sdykit.viz.page import page_template
from sdykit.viz.run_report.comparison import compare
from sdykit.viz.run_report.model import BYTES, SECONDS, Report
from sdykit.viz.timeline import timeline_pictures

_STYLES = {
    "input": "s7",
    "lookups": "s0",
    "tensor_core": "s2",
    "updates": "s1",
    "kernels": "s3",
    "other": "s6",
}
_SKEWS = 6
"""The number of stacks that have a chart of their partitions."""
_SIMULATED_STEPS = 12


def run_page(report: Report, other: Report | None = None) -> str:
    """Return the report of a run as HTML that needs no other file.

    Args:
        report: the run.
        other: a second run: what differs is shown first, then the report of the second run; None: none.
    """
    shown = report if other is None else other
    return page_template("sdykit.viz.run_report").render(
        report=shown,
        first=None if other is None else report,
        comparison=None if other is None else compare(report, other),
        seconds=SECONDS.text,
        bytes=BYTES.text,
        breakdown=_breakdown(report, other),
        simulated=_simulated(shown),
        memory=_memory(shown),
        skews=[(each, _skew(each)) for each in shown.stacks[:_SKEWS]],
        operations=_operations(shown),
        chip=Path(shown.run.chip).name,
        left_out=", ".join(
            f"{count:,} {what}" for what, count in shown.run.left_out.items() if count
        ),
        timeline=timeline_pictures(shown.run),
    )


def _breakdown(report: Report, other: Report | None) -> Markup:
    """Return bars of the parts of a measured step, one for each run."""
    runs = [report] if other is None else [report, other]
    parts = {part: name for each in runs for part, name in each.parts.items()}
    shown = [
        Bar(
            each.title,
            tuple(Part(name, each.measured[part], _STYLES[part]) for part, name in parts.items()),
            SECONDS.text(each.measured["total"]),
        )
        for each in runs
    ]
    return bars(shown, Axis("time of a step", "s"), "Where the time of a measured step goes")


def _simulated(report: Report) -> Markup:
    """Return bars of the steps of programs on the chip, the longest first."""
    shown = [
        Bar(
            name,
            (Part(bottleneck, time.seconds),),
            SECONDS.text(time.seconds),
            range=(time.low, time.high),
        )
        for name, time, bottleneck in report.simulated_steps[:_SIMULATED_STEPS]
    ]
    title = "What the steps of programs take on the chip"
    return bars(shown, SECONDS, title) if shown else Markup("")


def _memory(report: Report) -> Markup:
    """Return a bar for each kind of memory at the peak."""
    shown = [
        Bar(
            kind,
            (
                Part("simulator only", size, "s7")
                if kind == "simulator"
                else Part("chip", size, "s0"),
            ),
            BYTES.text(size),
        )
        for kind, size in report.memory.items()
    ]
    return bars(shown, BYTES, "HBM of a device at its peak, by kind") if shown else Markup("")


def _skew(stack: StackFacts) -> Markup:
    """Return columns of the ids of each partition, with the compiled limit."""
    heights = [int(each) for each in stack.max_ids]
    titles = [f"partition {at}: up to {height:,} ids" for at, height in enumerate(heights)]
    limit = stack.limits[0]
    return columns(
        [Columns("s0", heights, titles)],
        (Axis("partition"), 0, len(heights) - 1),
        Axis("maximum ids of a SparseCore"),
        up=limit if limit <= 4 * max(heights, default=0) else None,
    )


def _operations(report: Report) -> Iterator[tuple[str, Markup]]:
    """Yield for each unit its name, and bars of the operations that took longest."""
    for unit in dict.fromkeys(each.unit for each in report.operations):
        own = [each for each in report.operations if each.unit == unit]
        shown = [
            Bar(
                each.name,
                (Part("time", each.mean * each.count, "s0"),),
                f"{each.share:.0%}",
                name=f"{each.name}: {each.count:,} times, {SECONDS.text(each.mean)} on average",
            )
            for each in own
        ]
        yield unit, bars(shown, Axis("time in all", "s"), f"Longest operations: {unit}")
