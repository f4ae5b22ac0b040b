"""`-sparsecore-count`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.core.sparsecore.names import COUNTED, COUNTED_LOOPS
from sdykit.core.sparsecore.views import Number
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._instrument.numbers import compute, product, sizes_of, value_of
from sdykit.passes.sparsecore._instrument.ops import constant, create
from sdykit.passes.sparsecore._programs.arguments import add_argument
from sdykit.passes.sparsecore._programs.entry import entry_of
from sdykit.passes.sparsecore.count.amounts import COPY, Amount
from sdykit.passes.sparsecore.count.loops import Nest, attribute_of, row_of, rows_of
from sdykit.passes.sparsecore.count.places import Key, nests_of, places_in


@dataclass(frozen=True)
class CountPass(ModulePass):
    """Count what a program does.

    The pass adds an argument `counters` to the entry function, a `memref<RxCxi64>` that the caller
    sets to zero. A column is a counter; `sparsecore.counted` has their names: bytes read from and
    written to each argument, bytes sent from one SparseCore to another, DMAs, and vector operations
    other than constants, loads and stores. In a step, the name begins with that of the step:
    `gather: DMAs`. `gather: launches` counts how often the sequencer launches the tiles for a step,
    and waits for them. A loop with the attribute `sparsecore.counts` counts its iterations, in the counter
    that the attribute names: `sort: passes`.

    A row is an iteration of the counted loops: phases, steps that tiles share, and loops with the
    attribute `sparsecore.axes`, which names the dimensions. `sparsecore.counted_loops` of the entry
    function has the axes of each nest of counted loops, in the order of the rows, and their sizes.
    A loop without constant bounds has the size that `sparsecore.sizes` has for its axis.

    Not counted are loads and stores in SPMEM, prefetches, loads that only prefetches use, and ops
    with the attribute `sparsecore.check`. An `scf.if` with the attribute `sparsecore.operation` is counted
    as one operation, whatever is in it. Run the pass after `sparsecore-chip-pipeline`, which
    decides what is in SPMEM, and before passes that add checks.

    Before:

    ```mlir
    scf.parallel (%tile) = (%c0) to (%c16) step (%c1) {
      %0 = vector.load %table[%tile, %c0] : memref<?x8xf32>, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
    }
    ```

    After:

    ```mlir
    scf.parallel (%tile) = (%c0) to (%c16) step (%c1) {
      // %counters[%tile, 0] += 32, %counters[%tile, 1] += 1
      %0 = vector.load %table[%tile, %c0] : memref<?x8xf32>, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
    }
    ```
    """

    name = "sparsecore-count"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        if COUNTED in entry.attributes:
            fail(
                entry,
                f"has the attribute '{COUNTED}'; expected a program without counters: run the pass once",
            )
        places = places_in(entry)
        names = sorted({name for place in places for name in place.amount})
        if not names:
            return
        nests = nests_of(places)
        rows = _first_rows(nests)
        total = sum(rows_of(nest) for nest in nests.values())
        with module.context, ir.Location.unknown():
            argument = add_argument(entry, f"memref<{total}x{len(names)}xi64>", "counters")
            counters = _Counters(argument, names)
            values: dict[Nest, ir.Value] = {}
            for place in places:
                if place.nest not in values:
                    values[place.nest] = row_of(place.nest, rows[place.key])
                counters.count(place.op, place.amount, values[place.nest])
            entry.attributes[COUNTED] = ir.ArrayAttr.get(
                [ir.StringAttr.get(name) for name in names]
            )
            entry.attributes[COUNTED_LOOPS] = attribute_of(list(nests.values()))


def _first_rows(nests: Mapping[Key, Nest]) -> dict[Key, int]:
    """Return the row of the first iteration of each kind of nest."""
    rows, total = {}, 0
    for key, nest in nests.items():
        rows[key] = total
        total += rows_of(nest)
    return rows


@dataclass(frozen=True)
class _Counters:
    """The argument of counters, and the names of its columns."""

    argument: ir.Value
    names: Sequence[str]

    def count(self, op: ir.Operation, amount: Amount, row: ir.Value) -> None:
        """Add code before an op that adds an amount to the counters."""
        with ir.InsertionPoint(op), op.location:
            times: Number = product(sizes_of(op.operands[0])) if op.name == COPY else 1
            for name, number in sorted(amount.items()):
                self._add(name, compute("arith.muli", times, number), row)

    def _add(self, name: str, number: Number, row: ir.Value) -> None:
        bits = ir.IntegerType.get_signless(64)
        column = constant(self.names.index(name), ir.IndexType.get())
        more = create("arith.index_cast", [value_of(number)], [bits]).result
        old = create("memref.load", [self.argument, row, column], [bits]).result
        new = create("arith.addi", [old, more], [bits]).result
        create("memref.store", [new, self.argument, row, column])
