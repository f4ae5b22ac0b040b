"""Measuring passes, and the report of `-mlir-timing`."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sdykit.core.plan import Step
from sdykit.core.run import Instrumentation
from sdykit.mlir import ir


@dataclass
class Timer:
    """The time of a phase of the program in seconds, and the timers of the phases within it."""

    seconds: float = 0.0
    children: dict[str, Timer] = field(default_factory=dict)

    def child(self, name: str) -> Timer:
        """Return the timer of a phase within this one."""
        return self.children.setdefault(name, Timer())


class Timing(Instrumentation):
    """Sums the time of each pass, and of other phases of the program."""

    def __init__(self) -> None:
        self.root = Timer()
        self._open: list[tuple[Timer, float]] = [(self.root, time.perf_counter())]

    def before(self, step: Step, op: ir.Operation) -> None:
        """Start the clock of a pass."""
        self._start(step.title if step.nested is None else f"'{step.name}' Pipeline")

    def after(self, step: Step, op: ir.Operation, failed: bool) -> None:
        """Stop the clock of a pass."""
        self._stop()

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measure a part of the program."""
        self._start(name)
        try:
            yield
        finally:
            self._stop()

    def _start(self, name: str) -> None:
        self._open.append((self._open[-1][0].child(name), time.perf_counter()))

    def _stop(self) -> None:
        timer, started = self._open.pop()
        timer.seconds += time.perf_counter() - started

    def report(self, display: str = "tree", form: str = "text") -> str:
        """Return the report.

        Args:
            display: `tree`, or `list` (slowest first; a pass that runs in several places is
                summed).
            form: `text` or `json`.
        """
        total = time.perf_counter() - self._open[0][1]
        rest = total - sum(timer.seconds for timer in self.root.children.values())
        rows = _tree(self.root) if display == "tree" else _sums(self.root)
        rows += [(0, "Rest", rest), (0, "Total", total)]
        return _json(rows, total) if form == "json" else _text(rows, total)


Row = tuple[int, str, float]
"""Depth, name and seconds."""


def _tree(timer: Timer, depth: int = 0) -> list[Row]:
    rows: list[Row] = []
    for name, child in timer.children.items():
        rows += [(depth, name, child.seconds), *_tree(child, depth + 1)]
    return rows


def _sums(root: Timer) -> list[Row]:
    sums: dict[str, float] = {}
    for _, name, seconds in _tree(root):
        sums[name] = sums.get(name, 0.0) + seconds
    return [(0, name, seconds) for name, seconds in sorted(sums.items(), key=lambda s: -s[1])]


_RULE = "===" + "-" * 73 + "==="


def _text(rows: list[Row], total: float) -> str:
    lines = [
        _RULE,
        "... Execution time report ...".center(len(_RULE)).rstrip(),
        _RULE,
        f"  Total Execution Time: {total:.4f} seconds",
        "",
        "  ----Wall Time----  ----Name----",
    ]
    lines += [
        f"  {seconds:8.4f} ({100 * seconds / total:5.1f}%)  {'  ' * depth}{name}"
        for depth, name, seconds in rows
    ]
    return "\n".join(lines) + "\n"


def _json(rows: list[Row], total: float) -> str:
    """Return the rows as a list of objects; `depth` is the level of nesting."""
    entries = [
        {
            "name": name,
            "depth": depth,
            "wall": {"duration": round(seconds, 6), "percentage": round(100 * seconds / total, 1)},
        }
        for depth, name, seconds in rows
    ]
    return json.dumps(entries, indent=1) + "\n"
