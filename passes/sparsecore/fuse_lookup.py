"""`-sparsecore-fuse-lookup`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass
from sdykit.core.sparsecore.steps import ALL_TO_ALL, EXCHANGE_IDS, GATHER, REDUCE
from sdykit.mlir import ModuleOp
from sdykit.passes.sparsecore._programs.entry import entry_of
from sdykit.passes.sparsecore._steps.join import join_map
from sdykit.passes.sparsecore._steps.numbers import join_numbers
from sdykit.passes.sparsecore._steps.steps import Steps


@dataclass(frozen=True)
class FuseLookupPass(ModulePass):
    """Read the rows of a lookup from the table where they are summed.

    The steps between the table and `reduce` are joined with it, from the last to the first:
    `all_to_all`, `gather` and `exchange_ids` are copies, so that `reduce` reads what they copy; and
    the number of an entry's id, which `deduplicate` finds, stands for this id. The steps and their
    buffers are erased. The caches of a CPU hold rows that several entries name.

    Results do not change: the same rows are summed in the same order.

    Before, in short:

    ```mlir
    deduplicate: unique_ids[numbers[e]] = entry_ids[e]
    exchange_ids: inbox[k] = unique_ids[k]
    gather: gathered[k] = table[first_row + inbox[k]]
    all_to_all: received[k] = gathered[k]
    reduce: sums[s] += gains[e] * received[numbers[e]]
    ```

    After:

    ```mlir
    reduce: sums[s] += gains[e] * table[first_row + entry_ids[e]]
    ```
    """

    name = "sparsecore-fuse-lookup"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        steps = None if entry is None else Steps.of(entry)
        if steps is None or not steps.named(REDUCE):
            return
        for name in (ALL_TO_ALL, GATHER, EXCHANGE_IDS):
            for step in steps.named(name):
                join_map(steps, step)
        join_numbers(steps)
