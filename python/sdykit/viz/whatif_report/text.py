"""The table for terminals, and the sentences that it and the page have."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.table import Table

from sdykit.sparsecore.cost import Estimate
from sdykit.sparsecore.whatif.compare import answer_of
from sdykit.sparsecore.whatif.results import ASSUMPTIONS, Comparison, Result
from sdykit.viz.charts import Axis

SECONDS = Axis("step time", "s")
BYTES = Axis("memory", "B")
COLUMNS = (
    *("chip", "devices", "batch", "settings", "step", "lookups", "updates", "bottleneck"),
    *("SPMEM", "HBM", "ICI", "minibatches"),
)
"""The headings of the table."""
_TEXT = ("chip", "settings", "bottleneck")


def cells(result: Result) -> tuple[str, ...]:
    """Return the cells of a result, by `COLUMNS`; without those that are not known."""
    choice, times, memory = result.choice, result.times, result.memory
    first = (choice.hardware.name, f"{choice.devices:,}", f"{choice.batch:,}", choice.label)
    if times is None:
        return first
    mark = "~" if result.is_estimated else ""
    dropped = f", {result.dropped:,.0f} dropped" if result.dropped else ""
    return (
        *first,
        f"{mark}{timed(times.step)}",
        SECONDS.text(times.lookup.seconds),
        SECONDS.text(times.update.seconds),
        times.bottleneck,
        share(memory.spmem, memory.spmem_capacity) if memory else "does not fit",
        f"{BYTES.text(memory.hbm)}, {share(memory.hbm, memory.hbm_capacity)}" if memory else "",
        BYTES.text(result.ici_bytes),
        f"{result.minibatches}{dropped}",
    )


def timed(time: Estimate) -> str:
    """Return a time with its range, such as `1.2 ms (500 µs to 3.4 ms)`."""
    value, low, high = map(SECONDS.text, (time.seconds, time.low, time.high))
    return f"{value} ({low} to {high})"


def share(part: int, whole: int) -> str:
    """Return a part of a whole as a percentage."""
    ratio = part / whole
    return f"{ratio:.0%}" if ratio >= 0.1 else f"{ratio:.1%}"


def comparison_table(found: Comparison) -> Table:
    """Return a table for `rich` with a row for each result."""
    table = Table(title=f"What if: {found.title}", box=SIMPLE_HEAD, pad_edge=False)
    table.title_justify = "left"
    for name in COLUMNS:
        is_text = name in _TEXT
        table.add_column(
            name, justify="left" if is_text else "right", overflow="fold" if is_text else "ellipsis"
        )
    for each in found.results:
        table.add_row(*cells(each), style=None if each.can_run else "dim")
    return table


def conclusion(found: Comparison, target: float | None = None) -> str:
    """Return what the comparison comes to, in a sentence.

    Args:
        found: the results.
        target: the time that a step may take, if that was asked.
    """
    if target is None:
        best = found.fastest
        if best is None or best.times is None:
            return "None of the systems can run a step."
        return f"Fastest: {named(best)}, a step takes {timed(best.times.step)}."
    best = answer_of(found.results, target)
    if best is None or best.times is None:
        return f"None of the systems takes at most {SECONDS.text(target)} for a step."
    chips = f"{best.choice.chips:g} chip{'s' * (best.choice.chips != 1)}"
    return (
        f"Fewest chips for a step of {SECONDS.text(target)}: {chips}: {named(best)}, a step takes "
        f"{timed(best.times.step)}."
    )


def named(result: Result) -> str:
    """Return the system and settings of a result, as text."""
    choice = result.choice
    devices = f"{choice.devices:,} device{'s' * (choice.devices > 1)} of {choice.hardware.name}"
    return f"{devices}, batch {choice.batch:,}{', ' * bool(choice.label)}{choice.label}"


def brief(result: Result, found: Comparison) -> str:
    """Return what a result differs from others by, as text: `16 x v5p, pipelined`."""
    choice = result.choice
    batches = {each.choice.batch for each in found.results}
    batch = f"batch {choice.batch:,}" if len(batches) > 1 else ""
    chips = f"{choice.chips:,g} {choice.hardware.name}"
    return ", ".join(filter(None, (chips, batch, choice.label)))


def remarks(found: Comparison) -> Iterator[str]:
    """Yield what else there is to know, in sentences: estimates, problems, assumptions."""
    if any(each.is_estimated for each in found.results):
        source = "drawn from statistics" if found.is_drawn else "recorded"
        yield (
            f"~ estimated from {found.samples:,} {source} samples; ranges hold what is counted in at "
            "least 90% of cases."
        )
    for each in found.results:
        if each.problem:
            yield f"{named(each)}: {each.problem}"
    yield from dict.fromkeys(note for each in found.results for note in each.notes)
    yield from ASSUMPTIONS
