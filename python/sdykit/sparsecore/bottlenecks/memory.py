"""Checks of HBM, SPMEM, dtypes and padding."""

from __future__ import annotations

from collections.abc import Iterable

from sdykit.sparsecore.bottlenecks.facts import Facts
from sdykit.sparsecore.bottlenecks.finding import Finding
from sdykit.sparsecore.cost.estimates import estimates
from sdykit.sparsecore.memory.entries import TEMPORARY, Entry
from sdykit.sparsecore.run import StackOfTables
from sdykit.sparsecore.tile.lookup.held import entry_bytes
from sdykit.sparsecore.tile.spec import LookupSpec

SPMEM = "SPMEM exhaustion"
WIDE = "float32 where less would do"
BANDWIDTH = "HBM bandwidth saturation"
PADDING = "padding waste"
HEAP = "HBM heap exhaustion"
STACK = "HBM stack exhaustion"

_FULL = 0.8
"""The share of HBM from which on it is nearly exhausted: the next larger batch may not fit."""
_NO_LEDGER = "The run has no ledger of HBM: its batches were not prepared by a preprocessing that is recorded."
_BYTES = {"float32": 4, "bfloat16": 2, "int32": 4, "int8": 1}


def check_spmem(facts: Facts) -> Finding:
    """Return which share of a tile's SPMEM the entries of a partition take, for the largest lookup."""
    specs = [
        (each.name, each.spec)
        for each in facts.lookups
        if isinstance(each.spec, LookupSpec) and each.spec.layout != "ids"
    ]
    shares = {name: entry_bytes(spec) / spec.hardware.tile_memory_bytes for name, spec in specs}
    name = max(shares, key=lambda each: shares[each], default="")
    return Finding(
        SPMEM,
        shares[name] if shares else None,
        "%",
        0.5,
        "entries cannot be staged in HBM: at twice the batch or the limits, compilation fails",
        f"The entries of a partition of {name!r} take this share of the SPMEM of a tile."
        if shares
        else "The run has no lookups of buffers.",
        "lower max_ids_per_partition if it exceeds what was observed, use a smaller batch, or more chips",
        "max_ids_per_partition",
        tuple(each for each, share in shares.items() if share >= 0.5),
    )


def check_dtypes(facts: Facts) -> Finding:
    """Return which share of the bytes of tables would be saved by a narrower dtype."""
    untrained = [each for each in facts.run.stacks if each.name not in facts.updated]
    names = {name for each in untrained for name in each.tables}
    sizes = {
        each.name: each.vocabulary_size * each.embedding_dim * _BYTES[each.dtype]
        for each in facts.run.tables
    }
    wide = [
        each.name for each in facts.run.tables if each.dtype == "float32" and each.name in names
    ]
    total = sum(sizes.values())
    return Finding(
        WIDE,
        sum(sizes[name] for name in wide) / 2 / total if total else None,
        "%",
        0.25,
        "of the bytes of all tables, in HBM and of each lookup, bfloat16 would save a quarter",
        f"{len(wide)} of {len(sizes)} tables are looked up, but not trained, and float32."
        if total
        else "The tables of the run are unknown.",
        "convert tables that are not trained to bfloat16, or to int8 with a Quantization; each lookup then "
        "converts the rows that it reads back, which takes vector time. Updates need float32",
        "dtype",
        tuple(wide),
    )


def check_bandwidth(facts: Facts) -> Finding:
    """Return which share of the simulated time of SparseCores HBM bandwidth bounds."""
    costs = facts.costs
    figure, shown = None, f"There are no simulated times: {facts.no_costs}."
    if costs is not None:
        times = [each.seconds for each in estimates(costs.by("step"))]
        bound = sum(
            seconds
            for seconds, name in zip(times, costs.bottlenecks("step"), strict=True)
            if name == "HBM bandwidth"
        )
        figure = bound / sum(times) if sum(times) else 0.0
        shown = f"The steps that HBM bandwidth bounds take {bound * 1e6:.3g} of {sum(times) * 1e6:.3g} us."
    return Finding(
        BANDWIDTH,
        figure,
        "%",
        0.5,
        "of the simulated time: more SparseCores or vectors would not help then",
        shown,
        "use more chips, so that each reads and writes less; a narrower dtype or narrower rows for tables "
        "that are only looked up",
        "devices",
    )


def check_padding(facts: Facts) -> Finding:
    """Return which share of the tables in HBM is padding of rows and vocabularies."""
    tables = {each.name: each for each in facts.run.tables}
    wasted = total = 0
    worst: dict[str, float] = {}
    for stack in facts.run.stacks:
        held = stack.vocabulary_size * stack.embedding_dim
        used = _used(stack, tables.values())
        wasted, total = wasted + held - used, total + held
        worst[stack.name] = 1 - used / held
    name = max(worst, key=lambda each: worst[each], default="")
    return Finding(
        PADDING,
        wasted / total if total else None,
        "%",
        0.25,
        "of the tables in HBM, which DMAs move as well: rows are padded to 32 bytes, unless the chip says "
        "otherwise, and vocabularies to a multiple of all SparseCores",
        f"{wasted:,} of {total:,} elements are padding, of stack {name!r} {worst[name]:.0%}."
        if total
        else "The stacks of the run are unknown.",
        "choose widths that are multiples of 8 floats, join tables of few columns or rows, or set "
        "row_alignment in a chip file",
        "embedding_dim",
        tuple(each for each, share in worst.items() if share >= 0.25),
    )


def _used(stack: StackOfTables, tables: Iterable[object]) -> int:
    return sum(
        each.vocabulary_size * each.embedding_dim  # pyright: ignore[reportAttributeAccessIssue]
        for each in tables
        if each.name in stack.tables  # pyright: ignore[reportAttributeAccessIssue]
    )


def check_heap(facts: Facts) -> Finding:
    """Return which share of a nearly full HBM prefetched input takes."""
    entries = [] if facts.run.ledger is None else facts.run.ledger.heap
    steps = facts.run.settings.get("maximum_parallel_iterations")
    return _exhaustion(
        facts,
        HEAP,
        [each for each in entries if each.kind == "input"],
        what=f"Of these, the input of the step and of {steps} that are prefetched",
        advice="prefetch fewer steps: lower maximum_parallel_iterations; lower limits make the buffers "
        "smaller",
        setting="maximum_parallel_iterations",
    )


def check_stack(facts: Facts) -> Finding:
    """Return which share of a nearly full HBM the HBM stack and temporaries take."""
    ledger = facts.run.ledger
    entries = () if ledger is None else ledger.peak_moment.entries
    return _exhaustion(
        facts,
        STACK,
        [each for each in entries if each.kind in TEMPORARY],
        what="Of these, HBM stacks and temporaries of programs",
        advice="raise xla_sc_num_serialized_tables_to_optimize_hbm, so that fewer tables have their HBM stack at "
        "once; lower max_unique_ids_per_partition if it exceeds what was observed",
        setting="xla_sc_num_serialized_tables_to_optimize_hbm",
    )


def _exhaustion(
    facts: Facts, kind: str, entries: Iterable[Entry], *, what: str, advice: str, setting: str
) -> Finding:
    ledger = facts.run.ledger
    figure, shown = None, _NO_LEDGER
    if ledger is not None:
        own, full = sum(each.bytes for each in entries), ledger.bytes / ledger.capacity
        figure = own / ledger.capacity if full >= _FULL else 0.0
        shown = (
            f"{ledger.bytes:,} of {ledger.capacity:,} bytes of HBM are used at the peak, {full:.0%}. "
            f"{what} take {own:,}."
        )
    return Finding(
        kind,
        figure,
        "%",
        0.1,
        f"of HBM, if {_FULL:.0%} of it or more is used: a larger batch or one more table may not fit",
        shown,
        advice,
        setting,
    )
