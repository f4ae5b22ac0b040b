"""`func.call`, which is inlined, ends a phase, or calls a function of the runtime."""

from __future__ import annotations

from sdykit.core.sparsecore.names import RUNTIME, STOPS
from sdykit.mlir import ir
from sdykit.sparsecore.codegen.translation.located_errors import error_of
from sdykit.sparsecore.codegen.translation.runtime_calls import call_runtime
from sdykit.sparsecore.codegen.translation.translator import Handler, Translator, only_block


def _call(t: Translator, op: ir.Operation) -> None:
    name = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
    if name in t.calls:
        raise error_of(
            op, f"function '@{name}' calls itself; expected no recursion, since calls are inlined"
        )
    function = t.functions[name]
    if STOPS in function.attributes:
        _stop(t)
        return
    if RUNTIME in function.attributes:
        call_runtime(t, op, function)
        return
    if not list(function.regions[0]):
        raise error_of(op, f"function '@{name}' has no body; expected one, since calls are inlined")
    block = only_block(function, function.regions[0])
    t.set_all(block.arguments, t.operands(op))
    t.calls.append(name)
    lowered = t.operands(t.block(block))
    t.calls.pop()
    t.set_all(op.results, lowered)


def _stop(t: Translator) -> None:
    """End the thread's part of the phase; what follows is a block that nothing reaches."""
    t.emitter.do("ret void")
    (after,) = t.emitter.labels("stopped")
    t.emitter.start(after)


OPS: dict[str, Handler] = {"func.call": _call}
