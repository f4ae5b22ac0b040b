"""What is counted of a kernel: which counters each op adds to, in which scope.

Both engines count the same: an op that runs adds to the row of its subcore. A counter is of a scope, from
`tpu.trace_start` to `trace_stop` (`jax.named_scope`), and of a kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.kernel import Kernel
from sdykit.sparsecore.mosaic.scopes import with_scopes
from sdykit.sparsecore.mosaic.types import memref_of

DMAS: Final = "DMAs"
INDIRECT_ROWS: Final = "indirect rows"

_SPACES = {"hbm": "HBM", "vmem_shared": "VMEM_SHARED"}
"""The memories whose bytes are counted."""

KINDS: Final = (
    *(f"bytes read from {name}" for name in _SPACES.values()),
    *(f"bytes written to {name}" for name in _SPACES.values()),
    *(DMAS, INDIRECT_ROWS, "vector loads", "vector stores", "barriers", "waits"),
)
"""The counters of a scope. Bytes are those of DMAs; vector loads and stores are ops of any shape, waits
those for semaphores and DMAs."""

ONCE: Final = {
    "tpu.vector_load": "vector loads",
    "tpu.vector_load_idx": "vector loads",
    "tpu.vector_store": "vector stores",
    "tpu.vector_store_idx": "vector stores",
    "tpu.barrier": "barriers",
    "tpu.sem_wait": "waits",
    "tpu.wait_dma": "waits",
    "tpu.wait_dma2": "waits",
    "tpu.wait_indirect_dma": "waits",
}
"""The counter that an op adds 1 to."""

TRANSFERS: Final = ("tpu.enqueue_dma", "tpu.enqueue_indirect_dma")
"""Ops that add to several."""

Axes = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Counting:
    """The counters of a kernel.

    Attributes:
        kernel: the kernel.
    """

    kernel: Kernel

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all counters, as `DMAs`, or `fetch: DMAs` in a scope."""
        scopes = dict.fromkeys(self._scopes.values())
        return tuple(
            f"{scope}: {kind}" if scope else kind for scope in scopes or [""] for kind in KINDS
        )

    @property
    def nests(self) -> tuple[Axes, ...]:
        """The axes of the subcores of each function, in the order of agents."""
        return tuple(
            tuple(zip(("core", "tile"), function.bounds, strict=False))
            for function in self.kernel.functions
        )

    @property
    def shape(self) -> tuple[int, int]:
        """The number of subcores, and of counters of each."""
        return len(self.kernel.agents), len(self.names)

    def is_counted(self, op: ir.Operation | ir.OpView) -> bool:
        """Return whether an op adds to counters."""
        return op.operation in self._scopes

    def column(self, op: ir.Operation | ir.OpView, kind: str) -> int:
        """Return the number of the counter of a kind that an op adds to, in its scope."""
        return self._columns[self._scopes[op.operation], kind]

    def byte_columns(self, op: ir.Operation | ir.OpView) -> tuple[int, ...]:
        """Return the numbers of the counters that a transfer adds its bytes to."""
        opview: Any = op.operation.opview
        sides = (("read from", opview.source), ("written to", opview.target))
        return tuple(
            self.column(op, f"bytes {what} {_SPACES[space]}")
            for what, value in sides
            if (space := memref_of(value.type).space) in _SPACES
        )

    @cached_property
    def _scopes(self) -> dict[ir.Operation, str]:
        found: dict[ir.Operation, str] = {}
        for function in self.kernel.functions:
            for op, scope in with_scopes(function.body):
                if op.name in ONCE or op.name in TRANSFERS:
                    found[op] = "/".join(scope)
        return found

    @cached_property
    def _columns(self) -> dict[tuple[str, str], int]:
        scopes = dict.fromkeys(self._scopes.values())
        keys = [(scope, kind) for scope in scopes for kind in KINDS]
        return {key: number for number, key in enumerate(keys)}
