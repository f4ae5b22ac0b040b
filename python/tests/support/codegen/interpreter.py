"""A slow interpreter of tile programs, for comparison: one Python step for each op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sdykit.mlir import ir, make_context

DTYPES = {"i32": np.int32, "i64": np.int64, "f32": np.float32, "index": np.int64, "i1": np.bool_}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.andi": lambda a, b: a & b,
    "arith.maxsi": max,
    "arith.minsi": min,
    "arith.addf": lambda a, b: a + b,
    "arith.subf": lambda a, b: a - b,
    "arith.mulf": lambda a, b: a * b,
    "arith.divf": lambda a, b: a / b,
}
INTEGER_COMPARISONS: list[Callable[[Any, Any], bool]] = [
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
]
FLOAT_COMPARISONS: dict[int, Callable[[Any, Any], bool]] = {
    1: lambda a, b: a == b,
    2: lambda a, b: a > b,
    4: lambda a, b: a < b,
    9: lambda a, b: not a <= b,
}
"""By the number of the predicate: oeq, ogt, olt, ugt."""


def interpret(text: str, arrays: Sequence[np.ndarray]) -> None:
    """Run a module with one function, changing the arrays."""
    module = ir.Module.parse(text, make_context())
    function = module.body.operations[0].operation
    with np.errstate(all="ignore"):
        block = function.regions[0].blocks[0]
        _Frame().block(block, list(arrays))


class _Frame:
    """The values of a function so far."""

    def __init__(self) -> None:
        self._values: dict[ir.Value, Any] = {}

    def block(self, block: ir.Block, arguments: Sequence[Any]) -> list[Any]:
        """Run a block and return the operands of its last op."""
        self._values.update(zip(block.arguments, arguments, strict=True))
        for view in block:
            op = view.operation
            operands = [self._values[operand] for operand in op.operands]
            if op.name in {"scf.yield", "func.return", "scf.reduce"}:
                return operands
            results = self.op(op, operands)
            self._values.update(zip(op.results, results, strict=True))
        raise AssertionError("a block without an end")

    def op(self, op: ir.Operation, operands: list[Any]) -> list[Any]:
        method = getattr(self, op.name.replace(".", "_"), None)
        if method:
            return method(op, operands)
        a, b = operands
        return [DTYPES[str(op.results[0].type)](BINARY[op.name](a, b))]

    def arith_constant(self, op: ir.Operation, _: list[Any]) -> list[Any]:
        attribute: Any = op.attributes["value"]
        return [DTYPES[str(op.results[0].type)](attribute.value)]

    def arith_cmpi(self, op: ir.Operation, operands: list[Any]) -> list[Any]:
        predicate = ir.IntegerAttr(op.attributes["predicate"]).value
        return [np.bool_(INTEGER_COMPARISONS[predicate](*operands))]

    def arith_cmpf(self, op: ir.Operation, operands: list[Any]) -> list[Any]:
        predicate = ir.IntegerAttr(op.attributes["predicate"]).value
        return [np.bool_(FLOAT_COMPARISONS[predicate](*operands))]

    def arith_select(self, _: ir.Operation, operands: list[Any]) -> list[Any]:
        return [operands[1] if operands[0] else operands[2]]

    def arith_sitofp(self, _: ir.Operation, operands: list[Any]) -> list[Any]:
        return [np.float32(operands[0])]

    def arith_index_cast(self, op: ir.Operation, operands: list[Any]) -> list[Any]:
        return [np.int64(operands[0]).astype(DTYPES[str(op.results[0].type)])]

    def memref_dim(self, _: ir.Operation, operands: list[Any]) -> list[Any]:
        return [np.int64(operands[0].shape[operands[1]])]

    def memref_load(self, _: ir.Operation, operands: list[Any]) -> list[Any]:
        return [operands[0][tuple(operands[1:])]]

    def memref_store(self, _: ir.Operation, operands: list[Any]) -> list[Any]:
        operands[1][tuple(operands[2:])] = operands[0]
        return []

    def scf_parallel(self, op: ir.Operation, operands: list[Any]) -> list[Any]:
        low, high, step = operands
        for i in range(low, high, step):
            self.block(op.regions[0].blocks[0], [np.int64(i)])
        return []

    def scf_for(self, op: ir.Operation, operands: list[Any]) -> list[Any]:
        low, high, step, *carried = operands
        for i in range(low, high, step):
            carried = self.block(op.regions[0].blocks[0], [np.int64(i), *carried])
        return carried

    def scf_if(self, op: ir.Operation, operands: list[Any]) -> list[Any]:
        return self.block(op.regions[0 if operands[0] else 1].blocks[0], [])
