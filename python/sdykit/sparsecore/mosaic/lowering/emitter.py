"""From the ops of a kernel's function to those of a tile program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.kernel import Function, Kernel
from sdykit.sparsecore.mosaic.layout import Layout
from sdykit.sparsecore.mosaic.lowering.numbers import Number
from sdykit.sparsecore.mosaic.lowering.registry import LOWERINGS, NotLowered
from sdykit.sparsecore.mosaic.lowering.view import View
from sdykit.sparsecore.tile.builder.ops import Builder

STOP = "sc_stop"
"""The function that ends a subcore after a failure, see `sparsecore.stops`."""

_KEPT = ("arith.", "math.", "vector.")
"""Dialects whose ops on scalars and vectors are the same in tile programs."""


@dataclass
class Emitter:
    """Adds the ops of one function's subcores to a tile program, within one iteration of a phase.

    Attributes:
        b: the builder that ops are added with, at the current insertion point.
        kernel: the kernel.
        function: the function of the kernel that is lowered.
        layout: the places of the function's buffers.
        lanes: the number of lanes of the chip's vectors.
        status: the argument of the entry function that failures are reported in, `memref<8xi64>`.
        agent: the number of the subcore among all agents of the kernel, of type index.
    """

    b: Builder
    kernel: Kernel
    function: Function
    layout: Layout
    lanes: int
    status: ir.Value
    agent: ir.Value
    _values: dict[ir.Value, ir.Value | View] = field(default_factory=dict)
    _indices: dict[ir.Value, tuple[ir.Block, ir.Value]] = field(default_factory=dict)

    # What values of the kernel became.

    def value(self, value: ir.Value) -> ir.Value:
        """Return what a scalar or vector of the kernel became."""
        found = self._values[value]
        assert isinstance(found, ir.Value)
        return found

    def values(self, values: Sequence[ir.Value]) -> list[ir.Value]:
        """Return what several scalars or vectors became."""
        return [self.value(each) for each in values]

    def view(self, value: ir.Value) -> View:
        """Return what a memref of the kernel became."""
        found = self._values[value]
        assert isinstance(found, View)
        return found

    def set(self, value: ir.Value, new: ir.Value | View) -> None:
        """Set what a value of the kernel becomes."""
        self._values[value] = new

    def set_all(self, values: Sequence[ir.Value], new: Sequence[ir.Value | View]) -> None:
        """Set what several values become."""
        self._values.update(zip(values, new, strict=True))

    def number(self, value: ir.Value) -> Number:
        """Return an integer of the kernel as a position: a number if it is a constant."""
        owner = value.owner
        if not isinstance(owner, ir.Block) and owner.name == "arith.constant":
            return ir.IntegerAttr(owner.attributes["value"]).value
        new = self.value(value)
        return new if new.type == self.b.index else self.b.to_index(new)

    def numbers(self, values: Sequence[ir.Value]) -> list[Number]:
        """Return several integers as positions."""
        return [self.number(each) for each in values]

    # Failures.

    def fail_unless(
        self, condition: ir.Value, op: ir.Operation, kind: int, *numbers: Number
    ) -> None:
        """Add: unless a condition holds, the kernel fails and the subcore does not go on.

        Args:
            condition: an `i1`.
            op: the op of the kernel that fails; its place is reported.
            kind: the number of the report's kind.
            numbers: the numbers of the report, at most 4.
        """
        b, place = self.b, self.kernel.places.of(op)

        def fail() -> tuple[()]:
            for at, each in enumerate((1, kind, self.agent, place, *numbers)):
                b.store(b.to_integer(b.at(each), "i64"), self.status, at)
            b.op("func.call", [], callee=f"@{STOP}")
            return ()

        b.choose(condition, tuple, fail)

    # Ops.

    def op(self, op: ir.Operation) -> None:
        """Add what an op of the kernel means.

        Raises:
            NotLowered: it has no lowering yet.
        """
        lowering = LOWERINGS.get(op.name)
        if lowering is not None:
            lowering(self, op)
        elif op.name.startswith(_KEPT) and not len(op.regions):
            self._keep(op)
        else:
            raise self.not_lowered(op)

    def not_lowered(self, op: ir.Operation, why: str = "") -> NotLowered:
        """Return the exception that an op has no lowering, or not one for what it asks for."""
        return NotLowered(f"'{op.name}'{' ' + why if why else ''}", self.kernel.places.text(op))

    def block(self, block: ir.Block) -> list[ir.Value | View]:
        """Add the ops of a block; return what the operands of its terminator became."""
        *ops, last = [view.operation for view in block.operations]
        for op in ops:
            self.op(op)
        return [self._values[operand] for operand in last.operands]

    def scalars(self, block: ir.Block) -> list[ir.Value]:
        """Add the ops of a block whose terminator has scalars and vectors as operands; return them."""
        found = self.block(block)
        return [each for each in found if isinstance(each, ir.Value)]

    def _keep(self, op: ir.Operation) -> None:
        new = op.clone(ip=ir.InsertionPoint.current)
        for at, operand in enumerate(op.operands):
            new.operands[at] = self.value(operand)
        self.set_all(list(op.results), list(new.results))
