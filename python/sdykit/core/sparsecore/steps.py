"""The steps of tile programs: their vocabulary, and how they are read from the IR.

A step is a loop, over the tiles of a SparseCore or over rows, with the attributes
`sparsecore.step`, its name, and `sparsecore.reads` and `sparsecore.writes`, the names of the
buffers that it reads and writes. A buffer is an argument of the entry function or an allocation.

Upstream dialects have no op for a step, and the bindings register no dialect of our own, so that
ops of one would be unregistered: printed in the generic form, without a verifier. Attributes keep
a program readable, and `-sparsecore-verify-steps` checks them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sdykit.core.sparsecore.names import READS, STEP, WRITES
from sdykit.core.walks import ops_named
from sdykit.mlir import ir

LOAD: Final = "load"
SORT: Final = "sort"
DEDUPLICATE: Final = "deduplicate"
EXCHANGE_IDS: Final = "exchange_ids"
GATHER: Final = "gather"
ALL_TO_ALL: Final = "all_to_all"
REDUCE: Final = "reduce"
REDUCE_GRADIENTS: Final = "reduce_gradients"
APPLY: Final = "apply"
SCATTER: Final = "scatter"
STORE: Final = "store"

STEPS: Final[Mapping[str, str]] = {
    LOAD: "copy entries from HBM to SPMEM",
    SORT: "sort entries by row, stably",
    DEDUPLICATE: "find the distinct rows of entries, and the number of each entry's row",
    EXCHANGE_IDS: "send the distinct ids to the SparseCore that owns their rows",
    GATHER: "copy rows from HBM, each once",
    ALL_TO_ALL: "send the rows back to the SparseCore that asked for them",
    REDUCE: "add gain * row of each entry to the sum of its sample",
    REDUCE_GRADIENTS: "add gain * gradient of each entry to the sum of its row",
    APPLY: "apply the rule of the optimizer to rows and their slots",
    SCATTER: "copy rows back to HBM",
    STORE: "copy activations from SPMEM to HBM",
}
"""The steps, and what each does."""

LOOPS: Final = ("scf.parallel", "scf.for", "scf.while")
"""The ops that a step can be."""


@dataclass(frozen=True)
class Step:
    """A step of a tile program.

    Attributes:
        op: the loop.
        name: the name of the step, one of `STEPS` in a valid program.
        reads: the names of the buffers that it reads.
        writes: the names of the buffers that it writes.
    """

    op: ir.Operation
    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]


def steps_in(op: ir.Operation) -> list[Step]:
    """Return the steps in an op, in program order.

    Raises:
        ValueError: an attribute of a step is not a string, or an array of strings.
    """
    loops = (loop for loop in ops_named(op, *LOOPS) if STEP in loop.attributes)
    return [
        Step(
            loop,
            ir.StringAttr(loop.attributes[STEP]).value,
            _names(loop, READS),
            _names(loop, WRITES),
        )
        for loop in loops
    ]


def _names(loop: ir.Operation, attribute: str) -> tuple[str, ...]:
    if attribute not in loop.attributes:
        return ()
    return tuple(ir.StringAttr(each).value for each in ir.ArrayAttr(loop.attributes[attribute]))
