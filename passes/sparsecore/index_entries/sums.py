"""The ops that sum the entries of a sample, moved from CSR in SPMEM to the index by sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sdykit.core import fail
from sdykit.core.sparsecore.nesting import block_of, is_made_within, is_used, ops_in, parents_of
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.accesses import Access, accesses_of
from sdykit.passes.sparsecore._programs.values import maker_of
from sdykit.sparsecore.tile.builder.columns import all_columns
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.lookup.held import CSR_ROWS, CSR_STARTS, ENTRY_IDS, ENTRY_STARTS, SUMS
from sdykit.sparsecore.tile.lookup.prefetch import Prefetcher

_ADD = "arith.addi"
_IDLE = ("arith.", "memref.load", "vector.load")
_ROWS = (CSR_ROWS, ENTRY_IDS)
_STARTS = (CSR_STARTS, ENTRY_STARTS)
_EXPECTED = (
    f"expected the table, '{SUMS}', and the starts, rows and gains of the entries of samples"
)


@dataclass(frozen=True)
class Sums:
    """The ops of the step `reduce` for one sample.

    Attributes:
        builder: the builder that ops are added with.
        samples: the loop over samples that the ops are in.
        names: the names of arguments and of buffers in SPMEM.
        activations: the argument for the sums.
        held: for buffers in SPMEM, by name, the rows and gains of entries that are read instead.
        past_caches: the attributes of stores that bypass the caches; empty: they do not.
        is_new: whether the entries are the first of the sample; None: they are all it has.
    """

    builder: Builder
    samples: ir.Operation
    names: Mapping[ir.Value, str]
    activations: ir.Value
    past_caches: Mapping[str, str]
    held: Mapping[str, ir.Value] = field(default_factory=dict)
    is_new: ir.Value | None = None

    def move(
        self, entries: tuple[ir.Value, ir.Value], activation: ir.Value, prefetcher: Prefetcher
    ) -> None:
        """Move the ops to a loop over samples: after the op that computes the end of `entries`.

        Args:
            entries: the number of the sample's first entry, and one past the last.
            activation: the row of the activations that has the sum.
            prefetcher: prefetches rows, by the numbers of entries.

        Raises:
            PassFailure: they access other buffers than those of sums.
        """
        accesses = [access for op in ops_in(self.samples) for access in accesses_of(op)]
        loads = [each.op for each in accesses if self.names.get(each.buffer) in _ROWS]
        for loop in [_loop_around(op) for op in loads]:
            loop.operands[0], loop.operands[1] = entries
        first = loads[0].block
        with ir.InsertionPoint.at_block_begin(first):
            columns = all_columns(self.builder, prefetcher.dim, prefetcher.lanes)
            prefetcher.prefetch(columns, first.arguments[0])
        for access in accesses:
            self._replace(access, activation)
        for op in reversed(ops_in(self.samples)):
            if op.name.startswith(_IDLE) and not is_used(op):
                op.erase()
        self._check(ops_in(self.samples))
        last = maker_of(entries[1])
        assert last is not None
        for op in [view.operation for view in self.samples.regions[0].blocks[0]][:-1]:
            op.move_after(last)
            last = op

    def _check(self, ops: Sequence[ir.Operation]) -> None:
        """Check that the ops that are moved do not need one of the phase that is not."""
        *_, phase = parents_of(self.samples)
        sample = self.samples.regions[0].blocks[0].arguments[0]
        is_left: dict[ir.Block, bool] = {}
        for op in ops:
            for operand in op.operands:
                block = block_of(operand)
                if block not in is_left:
                    is_moved = is_made_within(self.samples, operand)
                    is_left[block] = is_made_within(phase, operand) and not is_moved
                if is_left[block] or operand == sample:
                    what = "needs more than the entries of a sample in step 'reduce'"
                    fail(op, f"{what}; {_EXPECTED}")

    def _replace(self, access: Access, activation: ir.Value) -> None:
        """Access the rows and gains of the entries, and activations, instead of SPMEM."""
        op, name = access.op, self.names.get(access.buffer)
        if name is not None and name in self.held:
            op.operands[0] = self.held[name]
            for cast in _users_of(op) if name == CSR_ROWS else ():
                for add in (user for user in _users_of(cast) if user.name == _ADD):
                    add.results[0].replace_all_uses_with(cast.results[0])
        elif name == SUMS and access.is_write:
            op.operands[1], op.operands[2] = self.activations, activation
            for key, text in self.past_caches.items():
                op.attributes[key] = self.builder.attribute(text)
        elif name == SUMS:
            with ir.InsertionPoint(op):
                op.results[0].replace_all_uses_with(self._initial(op, activation))
        elif name not in (*_STARTS, "table"):
            fail(op, f"accesses '{name}' in step 'reduce'; {_EXPECTED}")

    def _initial(self, load: ir.Operation, activation: ir.Value) -> ir.Value:
        """Return the sums before the first entry, which an op loads."""
        b, type_, column = self.builder, load.results[0].type, load.operands[2]
        zeros = b.constant("dense<0.0>", type_)
        if self.is_new is None:
            return zeros

        def before() -> list[ir.Value]:
            return [b.op("vector.load", [self.activations, activation, column], [type_]).result]

        return b.choose(self.is_new, lambda: [zeros], before, [type_])[0]


def _loop_around(op: ir.Operation) -> ir.Operation:
    loop = op.parent
    assert loop is not None
    return loop.operation


def _users_of(op: ir.Operation) -> list[ir.Operation]:
    return [use.owner.operation for result in op.results for use in result.uses]
