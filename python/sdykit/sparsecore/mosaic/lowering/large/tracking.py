"""Which vectors of many elements are in use and have not been computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.large.storing import computed, of_vector, whole
from sdykit.sparsecore.mosaic.lowering.large.values import Large, current_block, is_large
from sdykit.sparsecore.mosaic.lowering.registry import MAKERS

if TYPE_CHECKING:
    from sdykit.sparsecore.mosaic.lowering.emitter import Emitter

_MAX_DEPTH = 64
"""The ops, one after another, that are added to one loop."""
_STORES = ("tpu.vector_store", "tpu.vector_store_idx", "memref.store")
"""Ops that write the one memref that is an operand."""
_READING = (
    *("tpu.vector_load", "tpu.vector_load_idx", "memref.load", "memref.cast", "memref.dim"),
    *("tpu.memref_slice", "tpu.memref_squeeze", "tpu.memref_reshape", "tpu.memref_bitcast"),
    *("tpu.iota", "tpu.bitcast", "tpu.concatenate", "tpu.dynamic_gather", "tpu.assume_multiple"),
    *("tpu.scan", "tpu.scan_count", "tpu.sort", "tpu.all_reduce", "tpu.trace_start"),
    *("tpu.trace_stop", "tpu.pack_subelements", "tpu.unpack_subelements", "cf.assert"),
)
"""Ops that write no memory, besides those of `arith`, `math` and `vector`."""


@dataclass
class Tracker:
    """The vectors of many elements of an emitter.

    Attributes:
        e: the emitter.
        uses: how many operands of ops that have not been lowered each vector is.
    """

    e: Emitter
    values: dict[ir.Value, Large] = field(default_factory=dict)
    uses: dict[ir.Value, int] = field(default_factory=dict)

    def take(self, op: ir.Operation) -> bool:
        """Prepare for an op; return whether it has been added, piece by piece."""
        for operand in op.operands:
            if operand in self.uses:
                self.uses[operand] -= 1
        if self.uses:
            self._compute_before(op)
        if op.name == "tpu.vector_store" and op.operands[0] in self.values:
            self.e.lower_as("tpu.vector_store large", op)
            return True
        if len(op.results) != 1 or len(op.regions) or not is_large(op.results[0].type):
            return False
        result = op.results[0]
        if not self.e.has_vectors_of(ir.VectorType(result.type).element_type):
            return False
        maker = MAKERS.get(op.name) or MAKERS.get(f"{op.name.partition('.')[0]}.")
        large = maker(self.e, op) if maker else None
        if large is None:
            return False
        self.values[result] = large
        self.uses[result] = len(list(result.uses))
        if large.depth > _MAX_DEPTH:
            large.become(computed(self.e.b, large))
        return True

    def of(self, value: ir.Value) -> Large:
        """Return a vector of the kernel by pieces, whatever its number of elements."""
        return self.values.get(value) or of_vector(self.e.b, self.e.value(value))

    def whole(self, value: ir.Value) -> ir.Value:
        """Return a vector of many elements as a value of the tile program."""
        large = self.values[value]
        return whole(self.e.b, self._in_memory(large))

    def _in_memory(self, large: Large) -> Large:
        """Return a vector computed; what is computed in an inner block is not there in others."""
        found = computed(self.e.b, large)
        if large.block == current_block():
            large.become(found)
        return found

    def _compute_before(self, op: ir.Operation) -> None:
        """Compute what is used later and reads memory that an op may write."""
        if op.name in _READING or op.name.startswith(("arith.", "math.", "vector.")):
            return
        written = None
        if op.name in _STORES:
            (memref,) = (each for each in op.operands if isinstance(each.type, ir.MemRefType))
            written = self.e.view(memref).buffer
        for value, count in list(self.uses.items()):
            large = self.values[value]
            if not count:
                del self.uses[value]
            elif any(written is None or buffer == written for buffer, _ in large.reads):
                self._in_memory(large)
