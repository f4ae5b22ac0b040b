"""jaxlib's C++ `sdy` passes as the oracle: same input, same pipeline, same text.

The product never calls these; only the tests do.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from sdykit.core import Diagnostic, RunOptions, Severity, capture, run_pipeline
from sdykit.errors import PassFailure
from sdykit.mlir import ir, make_context, passmanager


@dataclass
class Outcome:
    """The result of a pipeline: the text of the module with locations, or None if it failed."""

    text: str | None
    errors: list[str] = field(default_factory=list)


@functools.cache
def context(*, unregistered: bool = False) -> ir.Context:
    """Return the context that all comparisons of a process share: one of each kind.

    Where all ops are registered, some passes take a faster path.
    """
    return make_context(allow_unregistered_dialects=unregistered)


def parse(text: str) -> ir.Module:
    """Parse a module in a shared context, the one without unregistered dialects if possible."""
    try:
        return ir.Module.parse(text, context())
    except ir.MLIRError:
        return ir.Module.parse(text, context(unregistered=True))


def ours(text: str, pipeline: str, *, verify_each: bool = False) -> Outcome:
    """Run our passes on the module of a text."""
    module, diagnostics = parse(text), list[Diagnostic]()
    with module.context, capture(module.context, diagnostics.append):
        try:
            run_pipeline(module, pipeline, RunOptions(verify_each=verify_each))
        except PassFailure:
            return Outcome(None, _errors(diagnostics))
    return Outcome(_print(module), _errors(diagnostics))


def oracle(text: str, pipeline: str) -> Outcome:
    """Run the C++ passes on the module of a text; their nesting in `func.func` must be explicit."""
    module, diagnostics = parse(text), list[Diagnostic]()
    with module.context, capture(module.context, diagnostics.append):
        try:
            passmanager.PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
        except ir.MLIRError:
            return Outcome(None, _errors(diagnostics))
    return Outcome(_print(module), _errors(diagnostics))


def assert_same(text: str, pipeline: str, oracle_pipeline: str | None = None) -> None:
    """Assert that both give the same text, locations included, or the same errors."""
    expected = oracle(text, oracle_pipeline or pipeline)
    found = ours(text, pipeline)
    assert found.errors == expected.errors, text
    assert found.text == expected.text, text


def _errors(diagnostics: list[Diagnostic]) -> list[str]:
    return [str(d) for d in diagnostics if d.severity is Severity.ERROR]


def _print(module: ir.Module) -> str:
    return str(module.operation.get_asm(enable_debug_info=True))
