"""`-sparsecore-radix-sort`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.core import ModulePass
from sdykit.core.sparsecore.steps import REDUCE_GRADIENTS, SORT, steps_in
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._programs.arguments import names_of
from sdykit.passes.sparsecore._programs.entry import entry_of, phases_of
from sdykit.passes.sparsecore._programs.layout import layout_of
from sdykit.sparsecore.tile.arguments import OFFSETS
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.buffers import add_buffer_checks
from sdykit.sparsecore.tile.update.radix_sort import add_radix_sort_phase
from sdykit.sparsecore.tile.update.shared_radix_sort import add_shared_radix_sort_phases


@dataclass(frozen=True)
class RadixSortPass(ModulePass):
    """Sort the entries of an update by a radix sort, instead of in vectors.

    The tiles of a chip sort the words of a partition in vectors, with a number of exchanges that grows
    faster than that of the words. A CPU moves each word at most three times, by 11 bits of its row:
    the step `sort` becomes a radix sort of each partition by one thread. The SparseCores share that of raw
    ids, each with a part of the rows: words are sorted by row within a part. Words are distinct, or equal in
    all that is used of them, and the radix sort is stable: the order of those of a row is the same.

    The phases up to the last one with the step `sort` are replaced, since entries are collected, and
    checked, where they are counted and moved. Words are sorted between the two copies of the argument
    `words`; a program without them, as that of a chip, is left as it is.

    Before, in short:

    ```mlir
    scf.parallel (%core) = (%c0) to (%c4) step (%c1) { "checks" }
    scf.parallel (%partition) = (%c0) to (%c4) step (%c1) {
      "load"
      scf.for %merge = %c0 to %merges step %c1 {
        scf.parallel (%tile) = (%c0) to (%c16) step (%c1) { "minima and maxima of two vectors" }
          {sparsecore.step = "sort"}
      }
    }
    ```

    After:

    ```mlir
    scf.parallel (%core) = (%c0) to (%c4) step (%c1) { "checks of row pointers and limits" }
    scf.parallel (%partition) = (%c0) to (%c4) step (%c1) {
      "load, and checks of ids and samples"
      scf.for %pass = %c0 to %passes step %c1 { "count digits" "move words" }
    } {sparsecore.step = "sort"}
    ```
    """

    name = "sparsecore-radix-sort"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        arguments = dict(zip(names_of(entry), entry.regions[0].blocks[0].arguments, strict=True))
        if not _is_for_a_cpu(entry, arguments):
            return
        phases = phases_of(entry)
        last = max(
            number
            for number, phase in enumerate(phases)
            if any(step.name == SORT for step in steps_in(phase))
        )
        with module.context, ir.Location.unknown(), ir.InsertionPoint(phases[0]):
            _add_phases(entry, arguments)
        for phase in phases[: last + 1]:
            phase.erase()


def _is_for_a_cpu(entry: ir.Operation, arguments: Mapping[str, ir.Value]) -> bool:
    """Return whether a program is an update that has two copies of its words.

    One for all devices of a process has the phases already, as it is for a CPU only.
    """
    if (
        "words" not in arguments
        or OFFSETS in arguments
        or ir.MemRefType(arguments["words"].type).rank != 2
    ):
        return False
    return {SORT, REDUCE_GRADIENTS} <= {step.name for step in steps_in(entry)}


def _add_phases(entry: ir.Operation, arguments: Mapping[str, ir.Value]) -> None:
    """Add the phases that check and sort the entries."""
    b, layout = Builder(entry.context, entry.regions[0].blocks[0]), layout_of(entry)
    if "ids" in arguments:
        add_shared_radix_sort_phases(b, layout, arguments)
        return
    add_buffer_checks(b, layout, arguments)
    add_radix_sort_phase(b, layout, arguments)
