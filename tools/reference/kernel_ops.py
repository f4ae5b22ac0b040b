"""The page of what the ops of Pallas kernels mean on a SparseCore."""

from __future__ import annotations

from typing import Any

from sdykit.sparsecore.mosaic.reference import (
    accesses,
    debugging,
    meanings,
    memrefs,
    regions,
    synchronization,
    transfers,
)
from sdykit.sparsecore.mosaic.reference.tables import Row, Table

_TABLES: tuple[Table[Any], ...] = (
    regions.OPS,
    debugging.OPS,
    memrefs.OPS,
    accesses.OPS,
    transfers.OPS,
    synchronization.OPS,
    *meanings.TABLES,
)

_INTRODUCTION = """\
<!-- Written by tools/generate_reference.py; change that, or the docstrings in
python/sdykit/sparsecore/mosaic/reference. -->

# The ops of Pallas kernels

What each op of a kernel does on the simulated SparseCore: the definition that the reference machine
runs (`SDYKIT_PALLAS=reference`), and that compiled kernels are tested against bit by bit. JAX makes
these ops of a kernel's primitives; `sdykit kernel FILE:FUNCTION --emit=mosaic` shows those of yours.

`a` and `b` are the first and the second operand, `l` is a lane. Any other op is an error with its
line: `kernel.py:42: 'tpu.matmul' cannot run on a SparseCore`.

## Numbers

| | Here | A chip may differ in |
|---|---|---|
| Floats | IEEE 754: subnormal numbers, infinity and NaN; each op is rounded once, to nearest even | \
subnormal numbers; division and `exp`, which it approximates |
| bf16, f16, f8 | computed in float32, then rounded once per op | whether what is between two ops is rounded |
| `exp` of f32 and narrower | computed in float64 and rounded once, so nearly always the nearest number; \
XLA's may differ by 1 unit in the last place | the last bits |
| Other functions | those of the C library, in the reference, too, which calls them from Python: numpy's \
own differ in the last bit | the last bits |
| Sums of lanes | in the order of lanes | the order |
| Which NaN | any: no test compares their bits | |
| Integers | no sign of their own: the op says how they are read; overflow wraps | |
| Float to integer | the nearest in range; NaN gives 0 | both |
| Division by 0 | all bits set; the remainder is the dividend. Nothing traps | both |
| Smallest integer divided by -1 | itself, remainder 0 | |
| Shifts by the width or more | 0, or copies of the sign (`shrsi`) | all of it |
| Undefined lanes, memory that nobody wrote | NaN; 0x7f in each byte of an integer (in `fast`: anything) | anything |
"""


def kernel_ops_page() -> str:
    """Return the text of the page."""
    return "\n".join([_INTRODUCTION, *map(_section, _TABLES)])


def _section(table: Table[Any]) -> str:
    head = [f"## {table.title}", "", "| Op | Meaning |", "|---|---|"]
    return "\n".join([*head, *map(_line, table.rows)]) + "\n"


def _line(row: Row) -> str:
    ops = ", ".join(f"`{op}`" for op in row.ops)
    meaning = row.meaning.replace("|", "\\|")
    return f"| {ops} | {meaning} |"
