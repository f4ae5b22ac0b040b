"""Run passes over an HLO program, as `sdykit.core.run` does over MLIR."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

from sdykit.core import RunOptions
from sdykit.core.ir_printing import IRPrinting
from sdykit.core.plan import Step
from sdykit.core.run import cyclic_gc_paused, exception_text
from sdykit.errors import PassFailure
from sdykit.hlo import HloError, Module


class _HloPass(Protocol):
    def run_hlo(self, module: Module) -> None: ...


def run_steps(
    module: Module, steps: Sequence[Step], options: RunOptions, verify: Callable[[], None]
) -> None:
    """Run planned passes on `module`, and verify the program after them.

    Raises:
        HloError: a pass refuses the program, or raised an exception of another kind.
        PassFailure: a pass failed after emitting diagnostics, or the verifier found errors.
    """
    for step in steps:
        if options.progress is not None:
            options.progress(step.text)
        _run_step(module, step, options)
        if options.verify_each:
            verify()
    if steps and not options.verify_each:
        verify()


def _run_step(module: Module, step: Step, options: RunOptions) -> None:
    for instrumentation in options.instrumentations:
        instrumentation.before(step, cast("Any", module))
    failed = True
    try:
        _run_pass(module, step, options)
        failed = False
    finally:
        for instrumentation in options.instrumentations:
            instrumentation.after(step, cast("Any", module), failed)


def _run_pass(module: Module, step: Step, options: RunOptions) -> None:
    assert step.run is not None
    try:
        with cyclic_gc_paused():
            cast("_HloPass", step.run).run_hlo(module)
    except (HloError, PassFailure):
        raise
    except (Exception, SystemExit) as error:
        if options.raised is not None:
            options.raised(error)
        place = module.entry.location if module.computations else None
        raise HloError(place, exception_text(step.run, error)) from error


class HloPrinting(IRPrinting):
    """Prints the program before and after passes."""

    def _text(self, op: Any) -> str:
        return self.printer(op, False).rstrip("\n")
