"""What the instructions that have been written gave: values, or the elements of tuples."""

from __future__ import annotations

from sdykit.hlo.mlir.types import type_of
from sdykit.hlo.model import Instruction
from sdykit.hlo.to_mlir.ops import Ops
from sdykit.mlir import ir

Made = ir.Value | list[ir.Value]
"""What an instruction gives: a value, or the elements of a tuple."""


class Written:
    """The values in one block; tuples are put together and taken apart when asked for."""

    def __init__(self, ops: Ops, at: ir.InsertionPoint) -> None:
        self.ops = ops
        self.at = at
        self._values = dict[Instruction, ir.Value]()
        self._elements = dict[Instruction, list[ir.Value]]()
        self._without_results = dict[Instruction, ir.Operation]()

    def keep(self, op: Instruction, made: Made) -> None:
        """Take note of what an instruction gave."""
        if isinstance(made, list):
            self._elements[op] = made
        else:
            self._values[op] = made

    def value(self, op: Instruction) -> ir.Value:
        """Give the value of an instruction."""
        if op not in self._values:
            self._values[op] = self.ops.pack(self._elements[op], type_of(op.shape), self.at)
        return self._values[op]

    def elements(self, op: Instruction) -> list[ir.Value]:
        """Give the elements of a tuple, or the value of anything else."""
        if op not in self._elements:
            return self.ops.explode(self._values[op], self.at, deep=False)
        return self._elements[op]

    def operands(self, op: Instruction) -> list[ir.Value]:
        """Give the values of the operands."""
        return [self.value(operand) for operand in op.operands]

    def results(self, op: Instruction, made: ir.Operation) -> Made:
        """Give the results that stand for a shape: its elements, or itself."""
        results: list[ir.Value] = list(made.results)
        if not type_of(op.shape).startswith("tuple<"):
            return results[0]
        if results:
            return results
        if not op.users:
            self._without_results[op] = made
            return []
        # The reader takes it for the results of the op right before.
        return self.ops.pack([], "tuple<>", self.at)

    def last_op(self, op: Instruction) -> ir.Operation:
        """Give the last op of an instruction that has no elements."""
        if op in self._without_results:
            return self._without_results[op]
        return ir.OpResult(self._values[op]).owner.operation
