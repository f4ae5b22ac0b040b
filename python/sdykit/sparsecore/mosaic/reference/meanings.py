"""What every op without memory, waits or regions means: a function of its operands' values.

An op's meaning is in the table of its kind: `integers`, `floats`, `casts`, `shapes`, `lanes`. Each is
the definition that compiled kernels are tested against, bit by bit, but for the bits of NaNs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sdykit.sparsecore.mosaic.reference import casts, floats, integers, lanes, shapes
from sdykit.sparsecore.mosaic.reference.tables import Table
from sdykit.sparsecore.mosaic.reference.values import Op, error_of

Meaning = Callable[..., Any]

TABLES: tuple[Table[Callable[[Op], Meaning]], ...] = (
    integers.OPS,
    floats.OPS,
    casts.OPS,
    shapes.OPS,
    lanes.OPS,
)

_BINDERS = {name: binder for table in TABLES for name, binder in table.entries.items()}


def has_meaning(name: str) -> bool:
    """Return whether `bind` knows the ops of a name."""
    return name in _BINDERS


def bind(op: Op) -> Meaning:
    """Return the function from the values of an op's operands to that of its result.

    Attributes and types are read once, here. An op of several results returns a tuple. numpy may
    warn of overflow and invalid operands: call it under `np.errstate(all="ignore")`.

    Raises:
        SparseCoreError: the op, or this form of it, cannot run on a SparseCore.
    """
    name = op.operation.name
    if name not in _BINDERS:
        raise error_of(op, f"'{name}' cannot run on a SparseCore")
    return _BINDERS[name](op)
