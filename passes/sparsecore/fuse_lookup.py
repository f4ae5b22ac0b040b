"""`-sparsecore-fuse-lookup`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass
from sdykit.core.sparsecore.steps import ALL_TO_ALL, EXCHANGE_IDS, GATHER, REDUCE, steps_in
from sdykit.mlir import ModuleOp
from sdykit.passes.sparsecore._programs.entry import entry_of
from sdykit.passes.sparsecore._steps.join import join_map
from sdykit.passes.sparsecore._steps.numbers import join_numbers


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
        if entry is None or not any(step.name == REDUCE for step in steps_in(entry)):
            return
        for name in (ALL_TO_ALL, GATHER, EXCHANGE_IDS):
            for step in [each for each in steps_in(entry) if each.name == name]:
                join_map(entry, step)
        join_numbers(entry)
