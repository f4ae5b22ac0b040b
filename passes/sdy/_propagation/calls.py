"""Functions that are called: what flows into their arguments, and out of what they return."""

from __future__ import annotations

from typing import Final

from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.program import Program

CALL: Final = "func.call"
FUNC_EDGE: Final = "sdy.func_data_flow_edge"


class Calls:
    """The calls of a program, by the function."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions = program.functions()
        self._names = {node: name for name, node in self._functions.items()}
        self._calls: dict[str, list[int]] = {}
        for call in program.named(CALL):
            self._calls.setdefault(self._callee(call), []).append(call)

    def of(self, function: int) -> list[int]:
        """Return the calls of a function, in program order."""
        return self._calls.get(self._names.get(function, ""), [])

    def argument_of(self, call: int, number: int) -> int | None:
        """Return the argument that an operand of a call is handed to; None if there is no body."""
        function = self._body(call)
        if function is None:
            return None
        return self._program.bodies[function][0][0].arguments[number]

    def sources_of(self, target: int) -> list[int]:
        """Return what flows into an argument of a function, or into the result of a call."""
        program = self._program
        owner, number = program.owners[target], program.number_in_owner(target)
        if program.is_result(target):
            function = self._body(owner)
            return [] if function is None else [program.returned(function)[number]]
        return [program.operands[call][number] for call in self.of(owner)]

    def _body(self, call: int) -> int | None:
        """Return the function that is called, None if it has no body."""
        function = self._functions.get(self._callee(call))
        if function is None or not self._program.bodies[function][0]:
            return None
        return function

    def _callee(self, call: int) -> str:
        return ir.FlatSymbolRefAttr(self._program.ops[call].attributes["callee"]).value
