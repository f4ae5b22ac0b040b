"""`-sparsecore-count`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from sdykit.core import ModulePass, fail
from sdykit.core.sparsecore.names import CHECK, COUNTED, COUNTED_TILES
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._instrument.numbers import (
    Number,
    compute,
    product,
    sizes_of,
    value_of,
)
from sdykit.passes.sparsecore._instrument.ops import constant, create
from sdykit.passes.sparsecore._programs.arguments import add_argument, name_of, source_of
from sdykit.passes.sparsecore._programs.entry import element_bytes, entry_of, phases_of

_LOADS = ("memref.load", "vector.load")
_STORES = ("memref.store", "vector.store")
_COPY = "memref.copy"
_PREFETCH = "memref.prefetch"
_CASTS = ("arith.index_cast", "arith.index_castui")
_VECTOR_OPS = "vector operations"
_COMPUTING = ("arith.", "math.", "vector.")
_NOT_COMPUTING = ("arith.constant", "vector.load", "vector.store")


@dataclass(frozen=True)
class CountPass(ModulePass):
    """Count what the tiles of a program do.

    The pass adds an argument `counters` to the entry function, a `memref<RxCxi64>` that the caller
    sets to zero. Each iteration of each phase has a row: those of the first phase first, in
    row-major order; `sparsecore.counted_tiles` of the entry function has the number of iterations
    of each phase. `sparsecore.counted` has the names of the columns: bytes read from and written to
    each argument, and vector operations other than constants, loads and stores. Not counted are
    accesses of SPMEM, prefetches, loads that only prefetches use, and ops with the attribute
    `sparsecore.check`. Run the pass after `sparsecore-chip-pipeline` or
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
        phases = phases_of(entry)
        amounts = [_amounts(entry, phase) for phase in phases]
        names = sorted({name for each in amounts for _, amount in each for name in amount})
        if not names:
            return
        sizes = [_iterations(phase) for phase in phases]
        rows = [prod(each) for each in sizes]
        with module.context, ir.Location.unknown():
            type_ = f"memref<{sum(rows)}x{len(names)}xi64>"
            counters = _Counters(add_argument(entry, type_, "counters"), names)
            for number, phase in enumerate(phases):
                row = _row_of(phase, sum(rows[:number]), sizes[number])
                for op, amount in amounts[number]:
                    counters.count(op, amount, row)
            texts = [ir.StringAttr.get(name) for name in names]
            entry.attributes[COUNTED] = ir.ArrayAttr.get(texts)
            entry.attributes[COUNTED_TILES] = ir.DenseI64ArrayAttr.get(rows)


Amount = Counter[str]
"""The amount to add to each column; for a copy, for each element that it copies."""


@dataclass(frozen=True)
class _Counters:
    """The argument of counters, and the names of its columns."""

    argument: ir.Value
    names: Sequence[str]

    def count(self, op: ir.Operation, amount: Amount, row: ir.Value) -> None:
        """Add code before an op that adds an amount to the counters."""
        with ir.InsertionPoint(op), op.location:
            times: Number = product(sizes_of(op.operands[0])) if op.name == _COPY else 1
            for name, number in sorted(amount.items()):
                self._add(name, compute("arith.muli", times, number), row)

    def _add(self, name: str, number: Number, row: ir.Value) -> None:
        bits = ir.IntegerType.get_signless(64)
        column = constant(self.names.index(name), ir.IndexType.get())
        more = create("arith.index_cast", [value_of(number)], [bits]).result
        old = create("memref.load", [self.argument, row, column], [bits]).result
        new = create("arith.addi", [old, more], [bits]).result
        create("memref.store", [new, self.argument, row, column])


def _amounts(entry: ir.Operation, phase: ir.Operation) -> list[tuple[ir.Operation, Amount]]:
    """Return the ops to count at, and the amounts: the end of each block, and each copy."""
    found = []
    for block in _blocks_in(phase):
        total: Amount = Counter()
        *ops, last = (view.operation for view in block)
        for op in (*ops, last):
            if CHECK in op.attributes:
                continue
            if op.name == _COPY:
                found.append((op, _moved(entry, op)))
            else:
                total += _accessed(entry, op) + _computed(op)
        found.append((last, total))
    return [(op, amount) for op, amount in found if amount]


def _blocks_in(op: ir.Operation) -> Iterator[ir.Block]:
    for region in op.regions:
        for block in region:
            yield block
            for view in block:
                if CHECK not in view.operation.attributes:
                    yield from _blocks_in(view.operation)


def _accessed(entry: ir.Operation, op: ir.Operation) -> Amount:
    """Return the bytes of a load or a store."""
    if op.name in _LOADS and not _is_hint(op):
        return _bytes(entry, op.operands[0], "read from", op.results[0].type)
    if op.name in _STORES:
        return _bytes(entry, op.operands[1], "written to", op.operands[0].type)
    return Counter()


def _is_hint(op: ir.Operation) -> bool:
    """Return whether only prefetches, which change no result, use the results of an op."""
    users = [use.owner.operation for result in op.results for use in result.uses]
    return bool(users) and all(
        user.name == _PREFETCH or (user.name in _CASTS and _is_hint(user)) for user in users
    )


def _bytes(entry: ir.Operation, buffer: ir.Value, verb: str, type_: ir.Type) -> Amount:
    if not isinstance(source_of(buffer), ir.BlockArgument):
        return Counter()
    count = prod(type_.shape) if isinstance(type_, ir.VectorType) else 1
    size = element_bytes(ir.MemRefType(buffer.type).element_type)
    return Counter({f"bytes {verb} {name_of(entry, buffer)}": count * size})


def _moved(entry: ir.Operation, copy: ir.Operation) -> Amount:
    """Return the bytes of an element of a copy."""
    source, target = copy.operands
    element = ir.MemRefType(source.type).element_type
    return _bytes(entry, source, "read from", element) + _bytes(
        entry, target, "written to", element
    )


def _computed(op: ir.Operation) -> Amount:
    """Return 1 for a vector operation."""
    if not op.name.startswith(_COMPUTING) or op.name in _NOT_COMPUTING:
        return Counter()
    values = (*op.operands, *op.results)
    is_one = any(isinstance(value.type, ir.VectorType) for value in values)
    return Counter({_VECTOR_OPS: 1}) if is_one else Counter()


def _iterations(phase: ir.Operation) -> list[int]:
    """Return the number of iterations of a phase in each dimension.

    Raises:
        PassFailure: it is not constant, or they do not count from 0 in steps of 1.
    """
    numbers = [_constant(phase, value) for value in phase.operands]
    rank = len(numbers) // 3
    if any(numbers[:rank]) or any(step != 1 for step in numbers[2 * rank :]):
        fail(
            phase,
            f"counts from {numbers[:rank]} in steps of {numbers[2 * rank :]}; expected from 0 in steps of 1",
        )
    return numbers[rank : 2 * rank]


def _constant(phase: ir.Operation, value: ir.Value) -> int:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "arith.constant":
        fail(
            phase, "has bounds that are not constants; expected the number of SparseCores and tiles"
        )
    return ir.IntegerAttr(owner.operation.attributes["value"]).value


def _row_of(phase: ir.Operation, first: int, sizes: Sequence[int]) -> ir.Value:
    """Add code at the start of a phase's body that computes the row of an iteration; return it."""
    block = phase.regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(block), phase.location:
        row: Number = 0
        for position, size in zip(block.arguments, sizes, strict=True):
            row = compute("arith.addi", position, compute("arith.muli", row, size))
        return value_of(compute("arith.addi", row, first))
