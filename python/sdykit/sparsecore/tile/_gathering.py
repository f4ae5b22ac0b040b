"""Rows of the table on their way to the tile that adds them up."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.tile._deduplicating import Distinct
from sdykit.sparsecore.tile.spec import LookupSpec

GATHERED = "sparsecore.gathered"
_ALL_TO_ALL = "sparsecore.all_to_all"


def add_gather(
    spec: LookupSpec, distinct: Distinct, count: ir.Value, table: ir.Value, gathered: ir.Value
) -> None:
    """Copy rows to SPMEM, those of one SparseCore's partition after another's.

    Args:
        spec: of the lookup.
        distinct: which rows.
        count: of the rows.
        table: has them.
        gathered: what has a place for each.
    """
    b, cores = distinct.builder, spec.sparse_cores

    def owner(row: ir.Value) -> ir.Value:
        if spec.layout == "ids":
            return b.rem(row, cores)
        return b.div(row, b.div(b.dim(table, 0), cores))

    def source(core: ir.Value) -> tuple[()]:
        def each(number: ir.Value) -> tuple[()]:
            row, one = b.load_index(distinct.rows, number), b.at(1)

            def receive() -> tuple[()]:
                b.copy(b.rows_of(table, row, one), b.rows_of(gathered, number, one))
                return ()

            gives = b.compare("eq", owner(row), core)
            b.choose(gives, receive, marks=[_ALL_TO_ALL])
            return ()

        b.loop(0, count, each)
        return ()

    b.loop(0, cores, source)
