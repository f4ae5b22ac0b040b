"""Functions that are called: what flows into their arguments, and out of what they return."""

from __future__ import annotations

from typing import Final

from sdykit.core import functions_of, ops_named
from sdykit.mlir import ModuleOp, ir

CALL: Final = "func.call"
FUNC_EDGE: Final = "sdy.func_data_flow_edge"


class Calls:
    """The calls of a module, by the function."""

    def __init__(self, module: ModuleOp) -> None:
        self._functions = functions_of(module)
        self._calls: dict[str, list[ir.Operation]] = {}
        for call in ops_named(module, CALL):
            self._calls.setdefault(_callee(call), []).append(call)

    def of(self, function: ir.Operation) -> list[ir.Operation]:
        """Return the calls of a function, in program order."""
        return self._calls.get(ir.StringAttr(function.attributes["sym_name"]).value, [])

    def argument_of(self, call: ir.Operation, number: int) -> ir.Value | None:
        """Return the argument that an operand of a call is handed to; None if there is no body."""
        block = self._body(call)
        return None if block is None else block.arguments[number]

    def sources_of(self, target: ir.Value) -> list[ir.Value]:
        """Return what flows into an argument of a function, or into the result of a call."""
        if isinstance(target, ir.OpResult):
            block = self._body(target.owner.operation)
            if block is None:
                return []
            returned = list(block.operations)[-1].operation.operands
            return [returned[target.result_number]]
        argument = ir.BlockArgument(target)
        function = argument.owner.owner.operation
        return [call.operands[argument.arg_number] for call in self.of(function)]

    def _body(self, call: ir.Operation) -> ir.Block | None:
        function = self._functions.get(_callee(call))
        if function is None or not len(function.regions[0].blocks):
            return None
        return function.regions[0].blocks[0]


def _callee(call: ir.Operation) -> str:
    return ir.FlatSymbolRefAttr(call.attributes["callee"]).value
