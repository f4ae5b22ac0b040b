"""Running pipelines in MLIR's pass managers, with instrumentation around each pass."""

from __future__ import annotations

import gc
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sdykit.core.frontend import warn_of_frontend_attributes
from sdykit.core.pass_base import Pass
from sdykit.core.plan import Step, plan
from sdykit.core.portable import PortableArtifactError, holds_vhlo
from sdykit.core.registry import Registry
from sdykit.core.symbols import symbols_kept
from sdykit.core.upstream import NO_PASSES, UpstreamPass
from sdykit.errors import PassFailure
from sdykit.mlir import ir, passmanager

Observer = Callable[[str, ir.Operation, float], None]
"""Called after each step with its pipeline text, the module, and the time it took in seconds."""


class Instrumentation:
    """Observes the IR around passes: derive from it, and override what you need.

    The methods are also called around a nest of steps, such as `func.func(cse)` (its `nested` is
    not None), once for all ops in `op` that it runs on.
    """

    def before(self, step: Step, op: ir.Operation) -> None:
        """Observe the op that the step is about to run on."""

    def after(self, step: Step, op: ir.Operation, failed: bool) -> None:
        """Observe the op that the step has run on."""


@dataclass(frozen=True)
class RunOptions:
    """How a pipeline runs."""

    verify_each: bool = False
    """Verify after every pass instead of once at the end."""
    progress: Callable[[str], None] | None = None
    """Called before each step of the pipeline's top level with its text."""
    observer: Observer | None = None
    """Called after each step of the pipeline's top level."""
    instrumentations: tuple[Instrumentation, ...] = ()
    """Called around each pass, wherever it is nested."""
    raised: Callable[[BaseException], None] | None = None
    """Called with an exception of a pass other than `PassFailure`, before it becomes an error."""


def run_pipeline(
    module: ir.Module,
    pipeline: str,
    options: RunOptions | None = None,
    registry: Registry | None = None,
    extra: Mapping[str, UpstreamPass] = NO_PASSES,
) -> None:
    """Run a pipeline, such as `sdy-import-pipeline` or `builtin.module(cse)`, on a module.

    The module is verified once at the end, or after every pass with `verify_each`. The C++
    passes in `extra`, which only the drivers have, can be named too. Warns if passes on sdy and
    mpmd ran while the shardings were still text in frontend attributes.

    Raises:
        PipelineError: the text is malformed, or names an unknown pass or option.
        PassFailure: a pass or the verifier failed. Its text has the diagnostics, unless a
            `sdykit.core.capture` has received them.
        PortableArtifactError: the module is in VHLO, which no pass supports.
    """
    if holds_vhlo(module.operation):
        raise PortableArtifactError(
            "the module is a portable artifact (VHLO), which no pass supports;"
            " read it with sdykit.core.read_module, which converts it to StableHLO"
        )
    steps = plan(pipeline, registry, extra)
    run_steps(module.operation, steps, options)
    warn_of_frontend_attributes(module.operation, steps)


def run_steps(root: ir.Operation, steps: Sequence[Step], options: RunOptions | None = None) -> None:
    """Run planned steps on `root`; see `run_pipeline`."""
    options = options or RunOptions()
    for step in steps:
        if options.progress is not None:
            options.progress(step.text)
        started = time.perf_counter()
        _run_step(root, step, options)
        if options.observer is not None:
            options.observer(step.text, root, time.perf_counter() - started)
    if steps and not options.verify_each:
        verify(root)


def verify(root: ir.Operation) -> None:
    """Verify `root` and everything in it.

    Raises:
        PassFailure: the IR is invalid; see `run_pipeline`.
    """
    try:
        root.verify()
    except ir.MLIRError as error:
        raise PassFailure(_details(error) or "the module is invalid") from error


def _run_step(op: ir.Operation, step: Step, options: RunOptions) -> None:
    for instrumentation in options.instrumentations:
        instrumentation.before(step, op)
    failed = True
    try:
        if step.nested is None or (step.is_upstream and not options.instrumentations):
            _run_pass(op, step, options)
        elif step.name == "any":
            # Only C++ knows the ops that `any` stands for.
            _run_pass(op, step, options)
        else:
            _run_nested(op, step.name, step.nested, options)
        failed = False
    finally:
        for instrumentation in options.instrumentations:
            instrumentation.after(step, op, failed)


def _run_nested(op: ir.Operation, anchor: str, steps: Sequence[Step], options: RunOptions) -> None:
    children = [
        child.operation
        for region in op.regions
        for block in region
        for child in block
        if child.operation.name == anchor
    ]
    failure: PassFailure | None = None
    with symbols_kept():
        for child in children:
            try:
                for step in steps:
                    _run_step(child, step, options)
            except PassFailure as error:
                # As in MLIR, the steps run on the other ops even if they fail on one.
                failure = failure or error
    if failure is not None:
        raise failure


def _run_pass(op: ir.Operation, step: Step, options: RunOptions) -> None:
    manager = passmanager.PassManager(op.name, context=op.context)
    manager.enable_verifier(options.verify_each)
    if step.run is None:
        manager.add(step.cpp_text)
    else:
        manager.add(
            _guarded(step.run, options.raised), name=type(step.run).__name__, argument=step.name
        )
    try:
        manager.run(op)
    except ir.MLIRError as error:
        raise PassFailure(_details(error) or f"pass '{step.name}' failed") from error


def _details(error: ir.MLIRError) -> str:
    """Return the diagnostics in an exception's text, without the line that the bindings add."""
    return str(error).partition("\n")[2].strip()


def _guarded(
    run: Pass, raised: Callable[[BaseException], None] | None
) -> Callable[[ir.Operation, Any], None]:
    """Wrap a pass for the pass manager: its exceptions become located errors."""

    def run_guarded(op: ir.Operation, handle: Any) -> None:
        try:
            with op.context, cyclic_gc_paused():
                run.run_on(op)
        except PassFailure:
            handle.signal_pass_failure()
        except (Exception, SystemExit) as error:
            if raised is not None:
                raised(error)
            op.location.emit_error(exception_text(run, error))
            handle.signal_pass_failure()

    return run_guarded


@contextmanager
def cyclic_gc_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector while a pass runs.

    A pass makes and holds a wrapper for each op and value that it visits, none of them in a cycle.
    Since the collector visits all of them again and again, passes would not take linear time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def exception_text(run: Pass, error: BaseException) -> str:
    """Return a text with the exception that a pass raised, and the line of the pass."""
    frames = traceback.extract_tb(error.__traceback__)
    file = getattr(sys.modules.get(type(run).__module__), "__file__", None)
    own = [frame for frame in frames if frame.filename == file]
    frame = (own or frames)[-1]
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"pass '{run.name}' raised {what} (at {frame.filename}:{frame.lineno})"
