"""Checks of the loop around the programs: its input, overlap, and compilations."""

from __future__ import annotations

from sdykit.sparsecore.bottlenecks.facts import Facts
from sdykit.sparsecore.bottlenecks.finding import Finding

HOST = "host-bound input"
OVERLAP = "missing overlap"
COMPILING = "recompilation"


def check_input(facts: Facts) -> Finding:
    """Return how much of a step's time its devices waited for the host to prepare its input."""
    seconds = facts.breakdown.seconds()
    has_steps = len(facts.breakdown.steps) > 1
    return Finding(
        HOST,
        facts.breakdown.share("input") if has_steps else None,
        "%",
        0.1,
        "a tenth of the time of a step, which would be saved if batches were there in time",
        f"Devices wait {seconds['input'] * 1e3:.3g} of {seconds['total'] * 1e3:.3g} ms of a step while"
        " the host prepares a batch."
        if has_steps
        else "The run has less than two steps.",
        "prepare batches while the devices work: `for batch in sdykit.sparsecore.prefetch(batches):` "
        "with maximum_parallel_iterations of 2 or more; pass more threads to preprocess, and make the "
        "rest of the input pipeline faster",
        "maximum_parallel_iterations",
    )


def check_overlap(facts: Facts) -> Finding:
    """Return how much of a step's time would be saved if lookups ran beside the TensorCore."""
    breakdown = facts.breakdown
    seconds = breakdown.seconds()
    known = len(breakdown.steps) > 1 and bool(facts.updated)
    hidden = min(seconds["lookups"], seconds["tensor_core"])
    if not known:
        shown = "The run has no two steps with lookups and updates."
    elif breakdown.is_pipelined:
        shown = "Lookups of a step run beside the TensorCore's work for the one before."
    else:
        shown = (
            f"Lookups take {seconds['lookups'] * 1e3:.3g} ms, and the TensorCore then "
            f"{seconds['tensor_core'] * 1e3:.3g} of {seconds['total'] * 1e3:.3g} ms of a step; neither "
            "works while the other does."
        )
    share = hidden / seconds["total"] if known and seconds["total"] else 0.0
    return Finding(
        OVERLAP,
        (0.0 if breakdown.is_pipelined else share) if known else None,
        "%",
        0.1,
        "the shorter one of both would be hidden by the other: a tenth of the time of a step",
        shown,
        "train with sdykit.sparsecore.pipelined, or with the pipelining of jax-tpu-embedding, and "
        "tf_xla_disable_full_embedding_pipelining=False; the tables then see gradients a step later",
        "tf_xla_disable_full_embedding_pipelining",
    )


def check_compilations(facts: Facts) -> Finding:
    """Return how many programs replaced others while the recording was on."""
    again, seen = [], set()
    for each in facts.run.programs:
        if each.changed and each.compiled_at >= 0 and (each.name, each.kind) in seen:
            again.append(each)
        seen.add((each.name, each.kind))
    seconds = sum(each.compile_seconds for each in again)
    fields = sorted({change.name for each in again for change in each.changed})
    return Finding(
        COMPILING,
        float(len(again)),
        "programs",
        1,
        "a loop whose limits and shapes stay the same compiles each program once",
        f"{len(again)} programs were compiled again, which took {seconds:.3g} s"
        + (f": {', '.join(fields)} changed." if fields else "."),
        "compute the limits from data that is like all of the run, with some headroom, and keep the shapes "
        "of batches; `sdykit limits` and LimitCounter compute limits",
        "xla_sparse_core_max_ids_file" if any("max_" in each for each in fields) else "",
        tuple(sorted({each.name for each in again if each.name})),
    )
