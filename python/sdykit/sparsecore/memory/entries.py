"""The entries of a ledger of HBM."""

from __future__ import annotations

import dataclasses
from typing import Final, Literal

Kind = Literal[
    "table",
    "slot",
    "weights",
    "constant",
    "input",
    "activations",
    "stack",
    "temporary",
    "other",
    "simulator",
]
"""What an entry is:

- `table`, `slot`: a table, and a slot variable of its optimizer;
- `weights`, `constant`: dense weights, constants;
- `input`: ids, samples and gains, of the step that runs and of those that are prefetched;
- `activations`: activations, and their gradients;
- `stack`: the HBM stack of a lookup or an update, by its formula;
- `temporary`: what a program keeps in HBM besides: buffers that are staged there, gradients;
- `other`: other arguments, results and temporaries of a JAX program;
- `simulator`: what only the simulator needs, and a chip does not.
"""

Phase = Literal["", "lookup", "TensorCore", "update"]
"""When an entry is in HBM: always, or while lookups run, the TensorCore works, or updates run.

Activations, of the phase `lookup`, and gradients, of `update`, are both there while the TensorCore works."""

TEMPORARY: Final = ("stack", "temporary")
"""The kinds that a program holds while it runs: the HBM stack, in a wide sense."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Entry:
    """A part of the HBM of each device.

    Attributes:
        kind: what it is, see `Kind`.
        owner: the name of the table, the stack of tables or the program that needs it.
        name: the name of the array or buffer.
        bytes: its size on each device.
        phase: when it is there.
        note: dtype and shape, or the product that the size is; "": none.
    """

    kind: Kind
    owner: str
    name: str
    bytes: int
    phase: Phase = ""
    note: str = ""

    def __str__(self) -> str:
        """Return the owner, if it is known, the name, the size, and the note."""
        note = f" ({self.note})" if self.note else ""
        owner = f"{self.owner}: " if self.owner else ""
        return f"{owner}{self.name} {self.bytes}{note}"
