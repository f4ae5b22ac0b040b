"""The values of the instructions of a block, tuples packed or as their elements."""

from __future__ import annotations

from sdykit.hlo.mlir.types import type_of
from sdykit.hlo.model import Instruction
from sdykit.hlo.to_mlir.ops import Ops
from sdykit.mlir import ir

Results = ir.Value | list[ir.Value]
"""The result of an instruction: a value, or the elements of a tuple."""


class BlockValues:
    """The values in one block; tuples are packed and unpacked where they are used."""

    def __init__(self, ops: Ops, at: ir.InsertionPoint) -> None:
        self.ops = ops
        self.at = at
        self._values = dict[Instruction, ir.Value]()
        self._elements = dict[Instruction, list[ir.Value]]()
        self._without_results = dict[Instruction, ir.Operation]()

    def define(self, op: Instruction, results: Results) -> None:
        """Record the result of an instruction."""
        if isinstance(results, list):
            self._elements[op] = results
        else:
            self._values[op] = results

    def value(self, op: Instruction) -> ir.Value:
        """Return the value of an instruction."""
        if op not in self._values:
            self._values[op] = self.ops.pack(self._elements[op], type_of(op.shape), self.at)
        return self._values[op]

    def elements(self, op: Instruction) -> list[ir.Value]:
        """Return the elements of a tuple, or the one value of anything else."""
        if op not in self._elements:
            return self.ops.unpack(self._values[op], self.at, deep=False)
        return self._elements[op]

    def operands(self, op: Instruction) -> list[ir.Value]:
        """Return the values of the operands."""
        return [self.value(operand) for operand in op.operands]

    def results(self, op: Instruction, made: ir.Operation) -> Results:
        """Return the results of an op that stand for an instruction: its value or its elements."""
        results: list[ir.Value] = list(made.results)
        if not type_of(op.shape).startswith("tuple<"):
            return results[0]
        if results:
            return results
        if not op.users:
            self._without_results[op] = made
            return []
        # `from_mlir` takes an empty tuple for the results of the op right before it.
        return self.ops.pack([], "tuple<>", self.at)

    def last_op(self, op: Instruction) -> ir.Operation:
        """Return the last op of an instruction without elements."""
        if op in self._without_results:
            return self._without_results[op]
        return ir.OpResult(self._values[op]).owner.operation
