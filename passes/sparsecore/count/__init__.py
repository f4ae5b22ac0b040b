"""`-sparsecore-count`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.core.sparsecore.names import CHECK, COUNTED, COUNTED_LOOPS, SIZES, STEP
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._instrument.numbers import (
    Number,
    compute,
    product,
    sizes_of,
    value_of,
)
from sdykit.passes.sparsecore._instrument.ops import constant, create
from sdykit.passes.sparsecore._programs.arguments import add_argument
from sdykit.passes.sparsecore._programs.entry import entry_of, phases_of
from sdykit.passes.sparsecore._programs.nesting import parents_of
from sdykit.passes.sparsecore.count.amounts import COPY, DMAS, Amount, amount_of, moved_by
from sdykit.passes.sparsecore.count.loops import Nest, attribute_of, blocks_in, row_of, rows_of


@dataclass(frozen=True)
class CountPass(ModulePass):
    """Count what a program does.

    The pass adds an argument `counters` to the entry function, a `memref<RxCxi64>` that the caller
    sets to zero. A column is a counter; `sparsecore.counted` has their names: bytes read from and
    written to each argument, bytes sent from one SparseCore to another, DMAs, and vector operations
    other than constants, loads and stores. In a step, the name begins with that of the step:
    `gather: DMAs`.

    A row is an iteration of the counted loops: phases, steps that tiles share, and loops with the
    attribute `sparsecore.axes`, which names the dimensions. `sparsecore.counted_loops` of the entry
    function has the axes of each nest of counted loops, in the order of the rows, and their sizes.
    A loop without constant bounds has the size that `sparsecore.sizes` has for its axis.

    Not counted are loads and stores in SPMEM, prefetches, loads that only prefetches use, and ops
    with the attribute `sparsecore.check`. Run the pass after `sparsecore-chip-pipeline` or
    `sparsecore-cpu-pipeline`, which decide what is in SPMEM, and before passes that move it from
    there for a CPU, or add checks.

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
        places = _places(entry)
        names = sorted({name for place in places for name in place.amount})
        if not names:
            return
        nests = _nests(places)
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


_Key = tuple[int, tuple[tuple[str, int], ...]]
"""The number of a phase, and names and sizes of axes: nests that are alike share their rows."""


@dataclass(frozen=True)
class _Place:
    """Where something is counted.

    Attributes:
        op: the op before which code is added: the end of a block, or a copy.
        amount: the amount to add.
        nest: the axes of the counted loops around the op.
        key: the key of the nest.
    """

    op: ir.Operation
    amount: Amount
    nest: Nest
    key: _Key


def _places(entry: ir.Operation) -> list[_Place]:
    """Return where to count in all phases, in order."""
    sizes, found = _sizes_of(entry), []
    for number, phase in enumerate(phases_of(entry)):
        for block, nest in blocks_in(phase, sizes):
            key = (number, tuple((axis.name, axis.size) for axis in nest))
            counted = _amounts(entry, block)
            found += [_Place(op, amount, nest, key) for op, amount in counted if amount]
    return found


def _amounts(entry: ir.Operation, block: ir.Block) -> list[tuple[ir.Operation, Amount]]:
    """Return the ops of a block to count at, and the amounts: each copy, and the end."""
    step = _step_around(block)
    found, total = [], Counter[str]()
    *ops, last = (view.operation for view in block)
    for op in (*ops, last):
        if CHECK in op.attributes:
            continue
        if op.name == COPY:
            found.append((op, _in_step(step, moved_by(entry, op, step))))
            total += {DMAS: 1}
        else:
            total += amount_of(entry, op)
    return [*found, (last, _in_step(step, total))]


def _step_around(block: ir.Block) -> ir.Operation | None:
    return next((op for op in parents_of(block.owner.operation) if STEP in op.attributes), None)


def _in_step(step: ir.Operation | None, amount: Amount) -> Amount:
    """Return an amount with the name of the step before the names of the counters."""
    if step is None:
        return amount
    name = ir.StringAttr(step.attributes[STEP]).value
    return Counter({f"{name}: {what}": number for what, number in amount.items()})


def _sizes_of(entry: ir.Operation) -> dict[str, int]:
    if SIZES not in entry.attributes:
        return {}
    found = ir.DictAttr(entry.attributes[SIZES])
    return {found[at].name: ir.IntegerAttr(found[at].attr).value for at in range(len(found))}


def _nests(places: Sequence[_Place]) -> dict[_Key, Nest]:
    """Return a nest of each kind, by its key."""
    found: dict[_Key, Nest] = {}
    for place in places:
        found.setdefault(place.key, place.nest)
    return found


def _first_rows(nests: Mapping[_Key, Nest]) -> dict[_Key, int]:
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
