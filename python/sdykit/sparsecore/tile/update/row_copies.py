"""The steps `gather` and `scatter` of an update."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.core.sparsecore.steps import GATHER, SCATTER
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import step_attributes
from sdykit.sparsecore.tile.update.held import UNIQUE_ROWS, RowBlock, gathered_name


@dataclass(frozen=True)
class RowCopies:
    """Copies the rows of a block, and their slots.

    Attributes:
        builder: the builder that ops are added with.
        arguments: the arguments of the program, by name.
        block: the buffers of the tile for a block of rows.
    """

    builder: Builder
    arguments: Mapping[str, ir.Value]
    block: RowBlock

    def gather(self, count: ir.Value) -> None:
        """Add the step that copies the first `count` rows, and their slots, to SPMEM."""
        arguments = list(self.block.gathered)
        held = [gathered_name(name) for name in arguments]

        def row(number: ir.Value) -> tuple[()]:
            for name in arguments:
                self.builder.copy(*self._views_of(name, number))
            return ()

        step = step_attributes(GATHER, [UNIQUE_ROWS, *arguments], held)
        self.builder.loop(0, count, row, total="updated_rows", attributes=step)

    def scatter(self, count: ir.Value) -> None:
        """Add the step that copies the first `count` rows, and their slots, back."""
        arguments = list(self.block.gathered)
        held = [gathered_name(name) for name in arguments]

        def row(number: ir.Value) -> tuple[()]:
            for name in arguments:
                self.builder.copy(*reversed(self._views_of(name, number)))
            return ()

        step = step_attributes(SCATTER, [UNIQUE_ROWS, *held], arguments)
        self.builder.loop(0, count, row, total="updated_rows", attributes=step)

    def _views_of(self, name: str, number: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Return views of a row of the block: in the buffer of an argument, and its copy in SPMEM."""
        b, one = self.builder, self.builder.at(1)
        row = b.load(self.block.rows, number)
        whole, gathered = self.arguments[name], self.block.gathered[name]
        return b.rows_of(whole, row, one), b.rows_of(gathered, number, one)
