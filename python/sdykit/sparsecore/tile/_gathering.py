"""Rows of the table on their way to the tile that adds them up."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.tile._ahead import Ahead
from sdykit.sparsecore.tile._columns import all_columns

GATHERED = "sparsecore.gathered"
_ALL_TO_ALL = "sparsecore.all_to_all"


def add_gather(rows: ir.Value, count: ir.Value, ahead: Ahead, gathered: ir.Value) -> None:
    """Copy the rows of entries to SPMEM, those of one SparseCore's partition after another's.

    Args:
        rows: of the entries.
        count: of the entries.
        ahead: asks for rows that come later.
        gathered: what has a place for each.
    """
    b, spec = ahead.builder, ahead.spec
    cores, columns = spec.sparse_cores, all_columns(b, spec.dim, spec.hardware.float32_lanes)

    def owner(row: ir.Value) -> ir.Value:
        if spec.layout == "ids":
            return b.rem(row, cores)
        return b.div(row, b.div(b.dim(ahead.table, 0), cores))

    def source(core: ir.Value) -> tuple[()]:
        def entry(number: ir.Value) -> tuple[()]:
            ahead.prefetch(columns, number)
            row, one = b.load_index(rows, number), b.at(1)

            def receive() -> tuple[()]:
                b.copy(b.rows_of(ahead.table, row, one), b.rows_of(gathered, number, one))
                return ()

            gives = b.compare("eq", owner(row), core)
            b.choose(gives, receive, marks=[_ALL_TO_ALL])
            return ()

        b.loop(0, count, entry)
        return ()

    b.loop(0, cores, source)
