"""Make the page of the memory of a training step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, get_args

from markupsafe import Markup

from sdykit.sparsecore.memory.entries import Entry, Kind
from sdykit.sparsecore.memory.moments import Moment
from sdykit.sparsecore.memory.step import StepMemory
from sdykit.viz.charts import Axis, Bar, Part, bars
from sdykit.viz.memory_view.alike import alike_limits, alike_programs, owners_of
from sdykit.viz.memory_view.sizes import BYTES, follows_from, share
from sdykit.viz.memory_view.spmem_map import describe, spmem_map
from sdykit.viz.page import Page, page_template

_HBM: Final = Axis("HBM", "B")
_STYLES: Final = {kind: f"s{at}" for at, kind in enumerate(get_args(Kind))}
"""A kind has one colour on the whole page."""
_MOMENTS: Final = 24
"""The maximum number of moments with a bar."""
_ROWS: Final = 15
"""The maximum number of rows of a table."""
_MAPS: Final = 40
"""The maximum number of layouts with a map."""


def memory_page(memory: StepMemory, title: str) -> Page:
    """Return the page.

    Args:
        memory: the memory to show.
        title: the name of the program, the tables or the run, for the heading.
    """
    ledger = memory.ledger
    shown, more = _moments(memory)
    text = page_template("sdykit.viz.memory_view").render(
        title=title,
        memory=memory,
        ledger=ledger,
        peak=ledger.peak_moment,
        heap=sum(each.bytes for each in ledger.heap),
        wasted=sum(each.bytes for each in memory.waste if each.kind.endswith("padding")),
        whole=bars([_bar(each, each.entries, memory) for each in shown], _HBM, "HBM over a step"),
        stack=_stack(shown, memory),
        more=more,
        owners=owners_of(memory.ledger),
        programs=alike_programs(memory.programs),
        limits=alike_limits(memory.limits),
        has_data=any(each.observed is not None for each in memory.limits),
        rows=_ROWS,
        maps=_MAPS,
        bytes=BYTES.text,
        share=share,
        follows_from=follows_from,
        describe=describe,
        map=spmem_map,
    )
    return Page(text)


def _moments(memory: StepMemory) -> tuple[list[Moment], int]:
    """Return the moments to draw, among them the peak, and how many more there are."""
    found, peak = memory.ledger.moments, memory.ledger.peak_moment
    if len(found) <= _MOMENTS:
        return list(found), 0
    each_phase = _MOMENTS // 3
    counts: Counter[str] = Counter()
    chosen = []
    for each in found:  # In a phase, the largest are first.
        counts[each.phase] += 1
        if counts[each.phase] <= each_phase or each is peak:
            chosen.append(each)
    return chosen, len(found) - len(chosen)


def _bar(moment: Moment, entries: Sequence[Entry], memory: StepMemory) -> Bar:
    sums: Counter[str] = Counter()
    largest: dict[str, Entry] = {}
    for each in entries:
        sums[each.kind] += each.bytes
        largest.setdefault(each.kind, each)  # The largest are first.
    parts = tuple(
        Part(kind, sums[kind], _STYLES[kind], f"largest: {largest[kind]}")
        for kind in _STYLES
        if sums[kind]
    )
    is_peak = moment is memory.ledger.peak_moment
    text = BYTES.text(sum(sums.values()))
    return Bar(moment.name, parts, f"{text}, peak" if is_peak else text)


def _stack(moments: Sequence[Moment], memory: StepMemory) -> Markup:
    """Return bars of what is not in HBM at all times."""
    heap = set(memory.ledger.heap)
    passing = [
        _bar(each, [entry for entry in each.entries if entry not in heap], memory)
        for each in moments
    ]
    return bars(passing, _HBM, "HBM over a step, without what is there at all times")
