"""All checks, in the order in which a report shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sdykit.sparsecore.bottlenecks import limits, loop, memory
from sdykit.sparsecore.bottlenecks.facts import Facts, facts_of
from sdykit.sparsecore.bottlenecks.finding import Finding
from sdykit.sparsecore.run import Run

_CHECKS: Final[Mapping[str, Callable[[Facts], Finding]]] = {
    loop.HOST: loop.check_input,
    loop.OVERLAP: loop.check_overlap,
    limits.MINIBATCHES: limits.check_minibatches,
    limits.DROPPED: limits.check_dropped,
    limits.TOO_HIGH: limits.check_too_high,
    memory.SPMEM: memory.check_spmem,
    limits.SKEW: limits.check_skew,
    limits.FEW_TABLES: limits.check_few_tables,
    limits.MANY_TABLES: limits.check_many_tables,
    memory.WIDE: memory.check_dtypes,
    memory.BANDWIDTH: memory.check_bandwidth,
    memory.PADDING: memory.check_padding,
    memory.HEAP: memory.check_heap,
    memory.STACK: memory.check_stack,
    loop.COMPILING: loop.check_compilations,
}
KINDS: Final = tuple(_CHECKS)
"""The bottlenecks that are looked for."""


def check_run(run: Run | Facts) -> tuple[Finding, ...]:
    """Return all bottlenecks that are looked for, in the order of `KINDS`, found or not."""
    facts = run if isinstance(run, Facts) else facts_of(run)
    return tuple(check(facts) for check in _CHECKS.values())


def find_bottlenecks(run: Run | Facts) -> tuple[Finding, ...]:
    """Return the bottlenecks that a run has, in the order of `KINDS`."""
    return tuple(each for each in check_run(run) if each.is_found)
