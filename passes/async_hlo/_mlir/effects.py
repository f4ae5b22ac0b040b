"""Side effects of MLIR operations, for which the bindings have no query."""

from __future__ import annotations

from sdykit.core import FUNC, ops_named
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.async_hlo._mlir import names

_PURE_DIALECTS = frozenset(
    {"arith", "chlo", "complex", "math", "mhlo", "scf", "sdy", "stablehlo", "tensor"}
)
_EFFECTS = frozenset({"infeed", "outfeed", "recv", "rng", "send"})
_CALLS = {
    "func.call": "callee",
    "stablehlo.composite": "decomposition",
    names.START: names.CALLED,
}
"""The attribute that names the callee, for each operation that calls a function."""


class Effects:
    """Tells which operations of a module have side effects; unknown operations do."""

    def __init__(self, module: ModuleOp, functions: names.Functions) -> None:
        self._module = module
        self._functions = functions
        self._with_effects: set[ir.Operation] | None = None

    def has(self, op: ir.Operation) -> bool:
        """Return whether an operation has a side effect, by its regions and callees as well.

        A start and its done have the effects of what they wrap.
        """
        if op.name == names.UPDATE:
            return False
        if op.name == names.DONE:
            op = names.start_of(op)
        if op.name in _CALLS:
            return self._callee_has(op)
        if _has_effect_itself(op):
            return True
        for region in op.regions:
            for block in region.blocks:
                # A terminator has no results, and no effect.
                inner = [each.operation for each in block.operations][:-1]
                if any(self.has(each) for each in inner):
                    return True
        return False

    def _callee_has(self, call: ir.Operation) -> bool:
        if self._with_effects is None:
            self._with_effects = self._find_functions()
        callee = self._callee(call)
        return callee is None or callee in self._with_effects

    def _callee(self, call: ir.Operation) -> ir.Operation | None:
        symbol = ir.FlatSymbolRefAttr(call.attributes[_CALLS[call.name]])
        return self._functions.named(symbol.value, call)

    def _find_functions(self) -> set[ir.Operation]:
        """Return the functions that hold an operation with a side effect, or call such a function."""
        callers: dict[ir.Operation, list[ir.Operation]] = {}
        pending: list[ir.Operation] = []
        for func in ops_named(self._module, FUNC):
            calls, has_effect = self._calls_of(func)
            if has_effect:
                pending.append(func)
            for callee in calls:
                callers.setdefault(callee, []).append(func)
        found: set[ir.Operation] = set()
        while pending:
            func = pending.pop()
            if func not in found:
                found.add(func)
                pending += callers.get(func, ())
        return found

    def _calls_of(self, func: ir.Operation) -> tuple[list[ir.Operation], bool]:
        """Return the functions that `func` calls, and whether it has effects besides theirs."""
        callees: list[ir.Operation] = []
        has_effect = not len(func.regions[0].blocks)

        def inspect(op: ir.Operation) -> ir.WalkResult:
            nonlocal has_effect
            if op.name in _CALLS:
                callee = self._callee(op)
                has_effect |= callee is None
                callees.extend([callee] if callee is not None else [])
            elif op != func and not names.is_terminator(op) and op.name not in names.ROLES:
                has_effect |= _has_effect_itself(op)
            return ir.WalkResult.ADVANCE

        func.walk(inspect)
        return callees, has_effect


def _has_effect_itself(op: ir.Operation) -> bool:
    dialect, _, name = op.name.partition(".")
    if op.name in names.CUSTOM_CALLS:
        attribute = op.attributes.get("has_side_effect")
        says_so = isinstance(attribute, ir.BoolAttr) and attribute.value
        return says_so or not len(op.results)
    return dialect not in _PURE_DIALECTS or name in _EFFECTS or not len(op.results)
