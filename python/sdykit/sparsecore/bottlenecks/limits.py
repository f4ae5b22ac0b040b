"""Checks of limits against what was observed, of the skew of partitions, and of stacks."""

from __future__ import annotations

import numpy as np

from sdykit.sparsecore.bottlenecks.facts import Facts, StackFacts
from sdykit.sparsecore.bottlenecks.finding import Finding
from sdykit.sparsecore.stacking.stacked import ADVISED_TABLES

MINIBATCHES = "limits too low: minibatches"
DROPPED = "limits too low: dropped ids"
TOO_HIGH = "limits too high"
SKEW = "skewed partitions"
FEW_TABLES = "too few tables in a stack"
MANY_TABLES = "too many tables in a stack"

_LIMITS = "max_ids_per_partition, max_unique_ids_per_partition"
_NO_BATCHES = "The run has no batches of a preprocessing that is recorded."
_LISTED = 3


def check_minibatches(facts: Facts) -> Finding:
    """Return how many minibatches the batches had."""
    batches = facts.run.batches
    first = np.unique(batches.batch, return_index=True)[1]
    counts = batches.minibatches[first]
    low = [each for each in facts.stacks if _exceeds(each)]
    several = int((counts > 1).sum())
    return Finding(
        MINIBATCHES,
        float(counts.mean()) if len(counts) else None,
        "minibatches a batch",
        1.01,
        "each minibatch is a pass of its own over all tables; one batch in a hundred may need more",
        f"{several} of {len(counts)} batches needed minibatches, up to {counts.max()}. "
        + _observed(low)
        if len(counts)
        else _NO_BATCHES,
        f"raise the limits to what was observed, or above: {_needed(low)}",
        _LIMITS,
        tuple(each.stack.name for each in low),
    )


def check_dropped(facts: Facts) -> Finding:
    """Return how many ids preprocessing dropped."""
    low = [each for each in facts.stacks if each.dropped]
    dropped = sum(each.dropped for each in low)
    return Finding(
        DROPPED,
        float(dropped) if facts.stacks else None,
        "ids",
        1,
        "the model does not see an id that is dropped",
        f"{dropped:,} ids were dropped in {facts.batch_count} batches. {_observed(low)}"
        if facts.stacks
        else _NO_BATCHES,
        f"raise the limits ({_needed(low)}), or let minibatches hold what does not fit",
        f"{_LIMITS}, minibatching",
        tuple(each.stack.name for each in low),
    )


def check_too_high(facts: Facts) -> Finding:
    """Return by which factor a limit exceeds what was observed, for the stack with the largest."""
    factors = [(_factor(each), each) for each in facts.stacks]
    factors = [each for each in factors if each[0]]
    largest, stack = max(factors, key=lambda each: each[0], default=(0.0, None))
    high = [each for factor, each in factors if factor >= 2]
    return Finding(
        TOO_HIGH,
        largest if stack else None,
        "times what was observed",
        2,
        "half of the buffers in SPMEM and HBM, which limits size, is never used then",
        _observed([stack]) if stack else _NO_BATCHES,
        f"lower the limits to what was observed, with some headroom: {_needed(high)}; the buffers in "
        "SPMEM, the input in HBM and the HBM stack shrink with them",
        _LIMITS,
        tuple(each.stack.name for each in high),
    )


def check_skew(facts: Facts) -> Finding:
    """Return how much fuller the fullest partition is than the average, for the stack with most skew."""
    enough = [each for each in facts.stacks if each.mean_ids.size and each.mean_ids.mean() >= 8]
    worst = max(enough, key=lambda each: each.skew, default=None)
    skewed = [each for each in enough if each.skew >= 1.5]
    return Finding(
        SKEW,
        worst.skew if worst else None,
        "times the average partition",
        1.5,
        "a step takes as long as its slowest SparseCore: half as long again as with even partitions",
        f"Partition {int(worst.mean_ids.argmax())} of stack {worst.stack.name!r} gets "
        f"{worst.mean_ids.max():,.0f} ids of a SparseCore in a batch, the average one "
        f"{worst.mean_ids.mean():,.0f}."
        if worst
        else "No stack has 8 ids for each partition.",
        "spread hot ids: shuffle the ids of a table (id -> a permutation of the vocabulary), or stack it "
        "with others: their rotations put the hot ids of different tables on different SparseCores",
        "disable_table_stacking",
        tuple(each.stack.name for each in skewed),
    )


def check_few_tables(facts: Facts) -> Finding:
    """Return how many stacks have too few tables, if there are others that they could join."""
    low = ADVISED_TABLES[0]
    stacks = facts.run.stacks
    few = [each for each in stacks if len(each.tables) < low] if len(stacks) > 1 else []
    names = ", ".join(repr(each.name) for each in few[:_LISTED])
    return Finding(
        FEW_TABLES,
        float(len(few)) if stacks else None,
        "stacks",
        1,
        f"{low} to {ADVISED_TABLES[1]} tables in a stack are advised: each stack is a program to launch, "
        "with buffers of its own",
        f"Of {len(stacks)} stacks, {len(few)} have fewer than {low} tables"
        + (f": {names}{' and others' if len(few) > _LISTED else ''}." if few else ".")
        if stacks
        else _NO_BATCHES,
        "put more tables in a stack: disable_table_stacking=False, and the same padded width, optimizer, "
        "combiner, dtype and quantization for tables that may share one",
        "disable_table_stacking",
        tuple(each.name for each in few),
    )


def check_many_tables(facts: Facts) -> Finding:
    """Return how many tables the largest stack has."""
    high = ADVISED_TABLES[1]
    stacks = facts.run.stacks
    most = max(stacks, key=lambda each: len(each.tables), default=None)
    return Finding(
        MANY_TABLES,
        float(len(most.tables)) if most else None,
        "tables in a stack",
        high + 1,
        f"{ADVISED_TABLES[0]} to {high} tables in a stack are advised: all tables of a stack share its "
        "limits, and the largest decides",
        f"Stack {most.name!r} has {len(most.tables)} tables." if most else _NO_BATCHES,
        "divide the stack: tables with another optimizer configuration, combiner or padded width get "
        "another stack; disable_table_stacking=True keeps every table apart",
        "disable_table_stacking",
        tuple(each.name for each in stacks if len(each.tables) > high),
    )


def _exceeds(stack: StackFacts) -> bool:
    return any(need > limit for need, limit in zip(stack.needs, stack.limits, strict=True))


def _factor(stack: StackFacts) -> float:
    """Return by which factor both limits of a stack exceed what was observed; 0: nothing was."""
    if not min(stack.needs):
        return 0.0
    return min(limit / need for need, limit in zip(stack.needs, stack.limits, strict=True))


def _observed(stacks: list[StackFacts]) -> str:
    parts = [
        f"stack {each.stack.name!r}: observed {each.needs[0]:,} ids and "
        f"{each.needs[1]:,} unique, compiled for {each.limits[0]:,} and {each.limits[1]:,}"
        for each in stacks[:_LISTED]
    ]
    more = f" and {len(stacks) - _LISTED} more" if len(stacks) > _LISTED else ""
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}{more}." if parts else ""


def _needed(stacks: list[StackFacts]) -> str:
    parts = [
        f"{each.stack.name}: {each.needs[0]:,} and {each.needs[1]:,}" for each in stacks[:_LISTED]
    ]
    more = f" and {len(stacks) - _LISTED} more" if len(stacks) > _LISTED else ""
    return ("; ".join(parts) + more) or "none exceeds them"
