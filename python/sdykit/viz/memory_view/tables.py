"""The memory of a training step as tables for terminals."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from sdykit.sparsecore.memory.padding import LimitUse
from sdykit.sparsecore.memory.spmem import Spmem
from sdykit.sparsecore.memory.step import StepMemory
from sdykit.viz.memory_view.alike import alike_limits, alike_programs, owners_of
from sdykit.viz.memory_view.sizes import BYTES, follows_from, share

PEAK: Final = "peak"
_NOTE: Final = 40
"""The maximum length of a note."""


def headline(memory: StepMemory) -> str:
    """Return the peaks of HBM and of SPMEM, and what the simulator needs, a line each."""
    ledger, fullest = memory.ledger, memory.fullest
    when = ledger.peak_moment.when
    lines = [
        f"HBM of a device of chip {ledger.chip.name}: {BYTES.text(ledger.bytes)} of "
        f"{BYTES.text(ledger.capacity)} ({share(ledger.bytes, ledger.capacity)}) at the peak"
        f"{f', while {when}' if when else ''}"
        f"{'' if ledger.bytes <= ledger.capacity else ': it does not fit'}"
    ]
    if fullest is not None:
        lines.append(
            f"SPMEM of each tile: at most {BYTES.text(fullest.bytes)} of "
            f"{BYTES.text(fullest.capacity)} ({share(fullest.bytes, fullest.capacity)}), of the "
            f"{fullest.name}"
        )
    if ledger.simulator_bytes:
        lines.append(f"The simulator needs {BYTES.text(ledger.simulator_bytes)} of HBM besides")
    return "\n".join(lines)


def memory_tables(memory: StepMemory, rows: int) -> Iterator[Table]:
    """Yield the tables: HBM by moment, its largest entries, SPMEM, limits, and what is wasted.

    Args:
        memory: the memory.
        rows: the maximum number of rows of each.
    """
    yield _moments(memory, rows)
    yield _owners(memory, rows)
    yield _entries(memory, rows)
    if memory.programs:
        yield _programs(memory.programs, rows)
    if memory.limits:
        yield _limits(memory.limits, rows)
    if memory.waste:
        yield _waste(memory, rows)


def _table(
    title: str, texts: Sequence[str], numbers: Sequence[str], last: str | None = None
) -> Table:
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, title_justify="left")
    for name in texts:
        table.add_column(name, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    if last is not None:
        table.add_column(last, overflow="fold")
    return table


def _fill(table: Table, found: Iterable[Sequence[str]], rows: int) -> Table:
    """Add the first rows, and say how many more there are."""
    listed = list(found)
    for each in listed[:rows]:
        table.add_row(*each)
    if len(listed) > rows:
        table.add_row(f"{len(listed) - rows} more", style="dim")
    return table


def _moments(memory: StepMemory, rows: int) -> Table:
    table = _table("HBM over a step", ("moment",), ("bytes", "heap", "stack"), "")
    ledger = memory.ledger
    heap, peak = sum(each.bytes for each in ledger.heap), ledger.peak_moment
    # By phase, as they are many if all tables are serialized.
    shown = [at for at, each in enumerate(ledger.moments) if each is peak]
    order = [*shown, *(at for at in range(len(ledger.moments)) if at not in shown)][:rows]
    for at in sorted(order):
        each = ledger.moments[at]
        sizes = (each.bytes, heap, each.bytes - heap)
        table.add_row(
            each.name,
            *map(BYTES.text, sizes),
            PEAK if each is peak else "",
            style="bold" if each is peak else None,
        )
    if len(ledger.moments) > rows:
        table.add_row(f"{len(ledger.moments) - rows} more", style="dim")
    return table


def _owners(memory: StepMemory, rows: int) -> Table:
    table = _table("Largest owners at the peak", ("of",), ("bytes", "share"), "")
    whole = memory.ledger.bytes
    found = (
        (each.name, BYTES.text(each.bytes), share(each.bytes, whole), each.kinds)
        for each in owners_of(memory.ledger)
    )
    return _fill(table, found, rows)


def _entries(memory: StepMemory, rows: int) -> Table:
    ledger = memory.ledger
    table = _table("Largest entries at the peak", ("kind", "of", "what"), ("bytes", "share"), "")
    found = (
        (
            each.kind,
            each.owner,
            each.name,
            BYTES.text(each.bytes),
            share(each.bytes, ledger.bytes),
            textwrap.shorten(each.note, _NOTE, placeholder=" ..."),
        )
        for each in ledger.peak_moment.entries
    )
    return _fill(table, found, rows)


def _programs(programs: Sequence[Spmem], rows: int) -> Table:
    table = _table(
        "SPMEM of a tile",
        ("program",),
        ("bytes", "share"),
        "largest buffer, and what it follows from",
    )
    found = []
    for same in alike_programs(programs):
        each, largest = same.layout, same.layout.largest
        text = (
            ""
            if largest is None
            else (f"{largest.name} {BYTES.text(largest.bytes)}: {follows_from(largest)}")
        )
        if each.staged:
            size = sum(entry.bytes for entry in each.staged)
            text += f"; {len(each.staged)} staged in HBM, {BYTES.text(size)}"
        found.append((same.name, BYTES.text(each.bytes), share(each.bytes, each.capacity), text))
    return _fill(table, found, rows)


def _limits(limits: Sequence[LimitUse], rows: int) -> Table:
    has_data = any(each.observed is not None for each in limits)
    numbers = ("compiled", "observed", "used") if has_data else ("compiled",)
    found = []
    for stacks, each in alike_limits(limits):
        of_data = ("", "") if has_data else ()
        if each.observed is not None:
            of_data = (f"{each.observed:,}", share(each.observed, each.compiled))
        found.append((stacks, each.name, f"{each.compiled:,}", *of_data))
    return _fill(_table("Limits", ("of", "limit"), numbers), found, rows)


def _waste(memory: StepMemory, rows: int) -> Table:
    table = _table("Wasted of HBM", ("on", "of"), ("bytes", "share of it"), "")
    found = (
        (each.kind, each.owner, BYTES.text(each.bytes), share(each.bytes, each.of), each.note)
        for each in memory.waste
    )
    return _fill(table, found, rows)
