"""The report of a run as tables for terminals."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from sdykit.sparsecore.bottlenecks import Finding
from sdykit.viz.run_report.comparison import Comparison, compare
from sdykit.viz.run_report.model import BYTES, SECONDS, Report

ROWS = 20
"""The number of stacks, and of programs, that tables list."""


def run_text(report: Report, other: Report | None = None) -> Iterator[RenderableType]:
    """Yield what a console prints: the report of a run, and what another run changed.

    Args:
        report: the run.
        other: a second run, with which it is compared; None: none.
    """
    yield _heading(report)
    if other is not None:
        yield _heading(other)
        yield from _comparison(compare(report, other))
        report = other
    yield from _findings(report)
    yield _breakdown(report)
    if report.stacks:
        yield _limits(report)
    if report.memory:
        yield _memory(report)
    if report.compiled:
        yield _compiled(report)
    yield _operations(report)
    if report.gaps:
        yield _gaps(report)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, title_justify="left")
    for at, name in enumerate(columns):
        is_text = at == 0 or name in (
            "after",
            "what",
            "changed",
            "host",
            "between",
            "why",
            "before",
        )
        table.add_column(name, justify="left" if is_text else "right", overflow="fold")
    return table


def _heading(report: Report) -> str:
    run = report.run
    error = f"; it ended with {run.error}" if run.error else ""
    text = (
        f"{run.path}: {len(run.steps):,} steps in {SECONDS.text(run.seconds)} on {run.devices} x "
        f"{run.chip}, {len(run.tables):,} tables in {len(run.stacks):,} stacks{error}"
    )
    return escape(text)


def _findings(report: Report) -> Iterator[RenderableType]:
    found = report.findings
    yield f"\n[bold]{len(found)} of {len(report.checks)} bottlenecks found[/bold]"
    for each in found:
        yield _finding(each)
    unknown = [each for each in report.checks if each.figure is None]
    for each in unknown:
        yield f"[dim]unknown: {escape(each.kind)}. {escape(each.shown)}[/dim]"


def _finding(finding: Finding) -> str:
    head, *rest = str(finding).split("\n")
    return "\n".join((f"[bold]{escape(head)}[/bold]", *map(escape, rest)))


def _breakdown(report: Report) -> Table:
    title = "\nA step: measured on the CPU, and simulated on the chip"
    table = _table(title, "part", "measured", "share", "simulated")
    seconds = report.measured
    whole = seconds["total"] or 1.0
    of_chip = {"lookups": "lookup", "updates": "update"}
    for part, name in report.parts.items():
        simulated = report.simulated.get(of_chip.get(part, ""))
        table.add_row(
            name,
            SECONDS.text(seconds[part]),
            f"{seconds[part] / whole:.1%}",
            str(simulated) if simulated else "",
        )
    table.add_row("all", SECONDS.text(seconds["total"]), "", report.facts.no_costs and "unknown")
    return table


def _limits(report: Report) -> Table:
    columns = ("stack", "tables", "ids", "limit", "unique ids", "limit", "skew", "dropped")
    table = _table("Limits and what was observed, the most skewed stacks first", *columns)
    for each in report.stacks[:ROWS]:
        table.add_row(
            escape(each.stack.name),
            f"{len(each.stack.tables):,}",
            f"{each.max_ids.max(initial=0):,}",
            f"{each.limits[0]:,}",
            f"{each.max_unique_ids.max(initial=0):,}",
            f"{each.limits[1]:,}",
            f"{each.skew:.2f}",
            f"{each.dropped:,}",
        )
    if len(report.stacks) > ROWS:
        table.add_row(f"{len(report.stacks) - ROWS} more", style="dim")
    return table


def _memory(report: Report) -> Table:
    ledger = report.run.ledger
    assert ledger is not None  # There is memory.
    when = f" while {ledger.peak_moment.when}" if ledger.peak_moment.when else ""
    share = ledger.bytes / ledger.capacity
    title = f"HBM of a device at its peak{when}: {BYTES.text(ledger.bytes)}, {share:.1%}"
    table = _table(title, "kind", "bytes")
    for kind, size in report.memory.items():
        table.add_row(kind, f"{size:,}")
    return table


def _compiled(report: Report) -> Table:
    functions, seconds = report.jax_compilations
    title = (
        f"{len(report.compiled)} programs compiled in {SECONDS.text(report.compile_seconds)}; JAX compiled "
        f"{functions} functions in {SECONDS.text(seconds)}"
    )
    table = _table(title, "program", "seconds", "changed", "from")
    for each in report.compiled[:ROWS]:
        changed = ", ".join(
            f"{change.name}: {change.before} to {change.after}" for change in each.changed
        )
        name = f"{each.kind} {each.name}".strip()
        table.add_row(escape(name), f"{each.compile_seconds:.3g}", escape(changed), each.source)
    if len(report.compiled) > ROWS:
        table.add_row(f"{len(report.compiled) - ROWS} more", style="dim")
    return table


def _operations(report: Report) -> Table:
    table = _table("Longest operations", "unit", "what", "times", "mean", "share")
    last = ""
    for each in report.operations:
        unit, last = ("" if each.unit == last else each.unit), each.unit
        mean = SECONDS.text(each.mean)
        table.add_row(unit, escape(each.name), f"{each.count:,}", mean, f"{each.share:.1%}")
    return table


def _gaps(report: Report) -> Table:
    table = _table("Longest gaps of the first device", "step", "seconds", "between", "host")
    for each in report.gaps:
        between, host = escape(each.between), escape(each.host)
        table.add_row(str(each.step), SECONDS.text(each.seconds), between, host)
    return table


def _comparison(found: Comparison) -> Iterator[RenderableType]:
    settings = _table("\nChanged settings and limits", "name", "before", "after")
    for each in found.settings:
        settings.add_row(escape(each.name), escape(each.before), escape(each.after))
    if found.settings:
        yield settings
    else:
        yield "\nNo setting or limit differs."
    figures = _table("Figures", "name", "before", "after", "ratio")
    for each in found.figures:
        ratio = "" if each.change is None else f"{each.change:.2f}"
        figures.add_row(escape(each.name), escape(each.before), escape(each.after), ratio)
    yield figures
