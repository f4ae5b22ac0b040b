"""`-sparsecore-index-entries`.

`arguments` replaces those of the entry function. `tile_phase` adds the phase in which tiles sum by an
index, `ids_phase` that for raw ids, and `sums` moves the ops for a sample there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sdykit.core import ModulePass, fail
from sdykit.core.sparsecore.names import ALIGNED, HAS_INDEX, MESSAGES
from sdykit.core.sparsecore.nesting import ops_in
from sdykit.core.sparsecore.steps import REDUCE, STORE, steps_in
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._programs.arguments import argument_marks, names_of
from sdykit.passes.sparsecore._programs.buffers import buffers_of
from sdykit.passes.sparsecore._programs.entry import entry_of, phases_of, sizes_of
from sdykit.passes.sparsecore._programs.layout import layout_of
from sdykit.passes.sparsecore.index_entries.arguments import add_index, erase_first
from sdykit.passes.sparsecore.index_entries.ids_phase import IdsPhase
from sdykit.passes.sparsecore.index_entries.sums import Sums
from sdykit.passes.sparsecore.index_entries.tile_phase import TilePhase
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.buffers import add_buffer_checks
from sdykit.sparsecore.tile.checks.index import MESSAGES as INDEX_MESSAGES
from sdykit.sparsecore.tile.checks.index import add_observed_checks
from sdykit.sparsecore.tile.lookup.held import CSR_GAINS, CSR_ROWS
from sdykit.sparsecore.tile.lookup.index_phase import add_index_phase


@dataclass(frozen=True)
class IndexEntriesPass(ModulePass):
    """Sum the entries of a lookup by sample, instead of partition by partition.

    A SparseCore takes the entries for one partition after another, in each minibatch, and orders
    them by sample. The index by sample has the entries of all of them: those of sample `s` of
    SparseCore `c`, in the order of minibatch, partition and position, are at `splits[c, s]` to
    `splits[c, s + 1]` of `sample_rows`, their rows in the device's part of the table, and
    `sample_gains`. So the loops over minibatches and partitions go, with the steps in them, and
    tiles sum all entries of a sample at once, in registers, in the same order: results are equal.

    With the attribute `sparsecore.has_index` on the entry function, the caller passes the index: it
    is an argument in place of the buffers, and is checked. Otherwise a phase before it computes the
    index from the buffers, a counting sort by the SparseCores that have samples; splits, rows and
    gains are workspaces, arguments after `activations`.

    In a lookup of raw ids, which are in the order of the samples, each tile takes its blocks without
    waiting for the others, and filters the ids of the device's rows as is fastest on a CPU.

    Rows are prefetched before their use, and large activations are stored past the caches: that is
    for a CPU only. The pass is after `sparsecore-fuse-lookup`.

    Before, in short:

    ```mlir
    scf.parallel (%core) = (%c0) to (%c4) step (%c1) {
      "reduce: sums[s] = 0"
      scf.for %partition = %c0 to %c4 step %c1 {
        "load"
        "reduce: csr_starts, csr_rows, csr_gains"
        "reduce: sums[s] += csr_gains[e] * table[first_row + csr_rows[e]]"
      }
      "store: activations[s] = sums[s]"
    }
    ```

    After:

    ```mlir
    scf.parallel (%core, %tile) = (%c0, %c0) to (%c4, %c16) step (%c1, %c1) {
      "activations[s] = 0 + sample_gains[e] * table[sample_rows[e]] + ..."
    }
    ```
    """

    name = "sparsecore-index-entries"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None or not any(step.name == STORE for step in steps_in(entry)):
            return
        with module.context, ir.Location.unknown():
            if "ids" in names_of(entry):
                _sum_ids(entry)
            else:
                _index(entry, given=HAS_INDEX in entry.attributes)


def _sum_ids(entry: ir.Operation) -> None:
    """Let each tile of a lookup of raw ids take its blocks without the others."""
    phases, arguments = phases_of(entry), buffers_of(entry)
    b = Builder(entry.context, entry.regions[0].blocks[0])
    lookup, sums = layout_of(entry), _sums_of(entry, b, arguments)
    with ir.InsertionPoint(phases[0]):
        IdsPhase(b, lookup, arguments, sums).add()
    _erase(phases)


def _index(entry: ir.Operation, *, given: bool) -> None:
    """Let the tiles of a lookup of buffers sum by an index."""
    phases, lookup = phases_of(entry), layout_of(entry)
    count = len(entry.regions[0].blocks[0].arguments)
    held = {
        name: buffer
        for name, buffer in buffers_of(entry).items()
        if not isinstance(buffer.owner, ir.Block)
    }
    b = Builder(entry.context, entry.regions[0].blocks[0])
    arguments = add_index(entry, lookup, given=given)
    sums = replace(
        _sums_of(entry, b, {**held, **arguments}),
        held={CSR_ROWS: arguments["sample_rows"], CSR_GAINS: arguments["sample_gains"]},
    )
    with ir.InsertionPoint(phases[0]):
        if given:
            add_observed_checks(b, lookup, arguments)
        else:
            add_buffer_checks(b, lookup, arguments)
            add_index_phase(b, lookup, arguments)
        TilePhase(b, lookup, arguments, sums, given).add()
    _erase(phases)
    erase_first(entry, count)
    if given:
        entry.attributes[MESSAGES] = b.attribute(json.dumps(["ok", *INDEX_MESSAGES]))
        del entry.attributes[HAS_INDEX]


def _erase(phases: Sequence[ir.Operation]) -> None:
    """Erase the phases of the chip: that of its steps, and the one before, which checks the entries."""
    for phase in phases:
        phase.erase()


def _sums_of(entry: ir.Operation, b: Builder, buffers: Mapping[str, ir.Value]) -> Sums:
    """Return the ops that sum rows of the table.

    Args:
        entry: the entry function.
        b: the builder that ops are added with.
        buffers: arguments and buffers in SPMEM, by name.

    Raises:
        PassFailure: no step sums rows of the table.
    """
    steps = (each for each in steps_in(entry) if each.name == REDUCE and "table" in each.reads)
    loops = (op for step in steps for op in ops_in(step.op) if op.name == "scf.for")
    samples = next(loops, None)
    if samples is None:
        fail(
            entry,
            f"has no step '{REDUCE}' that reads the table; expected sparsecore-fuse-lookup before",
        )
    past_caches = {}
    if any(ALIGNED in mark for mark in argument_marks(entry)):
        lanes = sizes_of(entry)["lanes"]
        past_caches = {"nontemporal": "true", "alignment": f"{4 * lanes} : i64"}
    names = {buffer: name for name, buffer in buffers.items()}
    return Sums(b, samples, names, buffers["activations"], past_caches)
