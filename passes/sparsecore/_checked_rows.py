"""Loads that give rows: whether they are rows of the part that they are meant for."""

from __future__ import annotations

from sdykit.core import fail
from sdykit.mlir import ir
from sdykit.passes.sparsecore._arguments import call, names_of
from sdykit.passes.sparsecore._conditions import compute, condition, is_below, sizes_of, tell
from sdykit.passes.sparsecore._instrument import Reporter, constant, create

ROW = "sparsecore.row"


def check_row(load: ir.Operation, reporter: Reporter) -> None:
    """Check what a load with the attribute `sparsecore.row` gives.

    Args:
        load: the load.
        reporter: tells what is wrong.

    Raises:
        PassFailure: the attribute is wrong, or the load gives no integer.
    """
    table, parts = _read(load, reporter.entry)
    value = load.results[0]
    if load.name != "memref.load" or not isinstance(value.type, (ir.IntegerType, ir.IndexType)):
        fail(load, f"has the attribute '{ROW}' and gives '{value.type}'; expected an integer")
    uses = [(use.owner.operation, use.operand_number) for use in value.uses]
    with ir.InsertionPoint.after(load), load.location:
        chosen = _row_or_none(load, value, table, parts, reporter)
    for user, number in uses:
        user.operands[number] = chosen


def _row_or_none(
    load: ir.Operation, value: ir.Value, table: ir.Value, parts: int, reporter: Reporter
) -> ir.Value:
    """Give the value if it is a row of a part, else the smallest number, and tell of it."""
    index = ir.IndexType.get()
    row = value
    if value.type != index:
        row = create("arith.index_cast", [value], [index]).result
    rows = compute("arith.divui", sizes_of(table)[0], parts)
    found = condition(
        is_below(row, rows),
        (f"'{load.name}' at {{}}", list(load.operands)[1:]),
        (f" of {call(reporter.entry, load.operands[0])} gives {{}}", [row]),
        f", which is no row of one of the {parts} parts of {call(reporter.entry, table)}",
        (", whose rows are {}", [rows]),
    )
    bits = value.type.width if isinstance(value.type, ir.IntegerType) else 64
    choice = create("scf.if", [found.holds], [value.type], regions=2)
    with ir.InsertionPoint(choice.regions[0].blocks.append()):
        create("scf.yield", [value])
    with ir.InsertionPoint(choice.regions[1].blocks.append()):
        tell(found, reporter, is_sure=True)
        create("scf.yield", [constant(-(2 ** (bits - 1)), value.type)])
    return choice.results[0]


def _read(load: ir.Operation, entry: ir.Operation) -> tuple[ir.Value, int]:
    """Find the argument and the number of its parts."""
    mark, names = load.attributes[ROW], names_of(entry)
    found = {item.name: item.attr for item in mark} if isinstance(mark, ir.DictAttr) else {}
    of, parts = found.get("of"), found.get("parts")
    if (
        len(found) != 2
        or not isinstance(of, ir.StringAttr)
        or of.value not in names
        or not isinstance(parts, ir.IntegerAttr)
        or parts.value < 1
    ):
        fail(
            load,
            f"has the attribute '{ROW}' = {mark}; expected {{of = NAME, parts = N : i64}} with "
            f"the name of an argument: {', '.join(names)}",
        )
    return entry.regions[0].blocks[0].arguments[names.index(of.value)], parts.value
