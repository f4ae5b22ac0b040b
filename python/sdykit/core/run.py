"""Building MLIR pass managers from pipelines, and running them."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sdykit.core.options import make
from sdykit.core.pass_base import FunctionPass, Pass, Pipeline
from sdykit.core.pipeline_text import Element, Nest, PassCall, parse_elements, parse_pipeline
from sdykit.core.registry import Registry
from sdykit.core.upstream import UPSTREAM_PASSES
from sdykit.errors import PassFailure, PipelineError
from sdykit.mlir import ir, passmanager

Observer = Callable[[str, ir.Operation, float], None]
"""Called after each pass with its pipeline text, the module, and the seconds it took."""


@dataclass(frozen=True)
class IRPrinting:
    """When and how the IR is printed to stderr while a pipeline runs.

    `before` and `after` name single passes; the rest are the arguments of the bindings'
    `PassManager.enable_ir_printing`.
    """

    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    before_all: bool = False
    after_all: bool = False
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RunOptions:
    """How a pipeline runs."""

    verify_each: bool = False
    """Verify after every pass instead of once at the end."""
    timing: bool = False
    """Print MLIR's report of the time in each pass to stderr."""
    printing: IRPrinting = field(default_factory=IRPrinting)
    observer: Observer | None = None


@dataclass(frozen=True)
class Step:
    """A pass of ours, a C++ pass (as text), or either nested one level down."""

    text: str
    name: str
    run: Pass | None = None
    anchor: str = "builtin.module"
    nested: tuple[Step, ...] = ()


def run_pipeline(
    module: ir.Module,
    pipeline: str,
    options: RunOptions | None = None,
    registry: Registry | None = None,
) -> None:
    """Run a pipeline, such as `sdy-import-pipeline` or `builtin.module(cse)`, on a module.

    The module is verified once at the end, or after every pass with `verify_each`.

    Raises:
        PipelineError: the text is malformed, or names an unknown pass or option.
        PassFailure: a pass or the verifier failed. The diagnostics have been emitted:
            see `sdykit.core.capture`.
    """
    steps = plan(pipeline, registry)
    run_steps(module.operation, steps, options or RunOptions())


def plan(pipeline: str, registry: Registry | None = None) -> tuple[Step, ...]:
    """Resolve the names in a pipeline's text; named pipelines are expanded.

    Raises:
        PipelineError: the text is malformed, or names an unknown pass or option.
    """
    return _plan(parse_pipeline(pipeline), "builtin.module", registry or Registry())


def _plan(elements: Sequence[Element], anchor: str, registry: Registry) -> tuple[Step, ...]:
    steps: list[Step] = []
    for element in elements:
        if isinstance(element, Nest):
            inner = _plan(element.elements, element.anchor, registry)
            steps.append(Step(str(element), element.anchor, anchor=element.anchor, nested=inner))
        else:
            steps += _plan_call(element, anchor, registry)
    return tuple(steps)


def _plan_call(call: PassCall, anchor: str, registry: Registry) -> tuple[Step, ...]:
    if call.name in UPSTREAM_PASSES:
        _check_upstream(call, anchor)
        return (Step(str(call), call.name, anchor=anchor),)
    run = make(registry.get(call.name), call.options)
    if isinstance(run, Pipeline):
        inner = [element for text in run.passes() for element in parse_elements(text)]
        return _plan(inner, anchor, registry)
    step = Step(str(call), run.name, run, run.anchor)
    if anchor == run.anchor:
        return (step,)
    if anchor == "builtin.module" and isinstance(run, FunctionPass):
        # As in mlir-opt, a function pass in a module pipeline nests by itself.
        return (Step(f"func.func({call})", "func.func", anchor="func.func", nested=(step,)),)
    raise PipelineError(
        f"can't run pass '{run.name}', which is restricted to '{run.anchor}', on '{anchor}';"
        " did you intend to nest it differently?"
    )


def _check_upstream(call: PassCall, anchor: str) -> None:
    """Let the bindings parse a C++ pass by itself: adding a bad one later may abort."""
    if any(word in call.options for word in ("sdy-", "mpmd-")):
        raise PipelineError(f"pass '{call.name}': only C++ passes can be named in its options")
    with ir.Context():
        try:
            passmanager.PassManager.parse(f"{anchor}({call})")
        except ValueError as error:
            text = str(error).strip().splitlines()[0]
            raise PipelineError(f"pass '{call.name}': {text}") from None


def run_steps(root: ir.Operation, steps: Sequence[Step], options: RunOptions) -> None:
    """Run planned steps on `root`.

    Raises:
        PassFailure: a pass or the verifier failed; the diagnostics have been emitted.
    """
    for group in _groups(steps, options):
        manager = _manager("builtin.module", group, options)
        started = time.perf_counter()
        _run_manager(manager, root)
        if options.observer is not None:
            options.observer(group[0].text, root, time.perf_counter() - started)
    if not options.verify_each:
        verify(root)


def verify(root: ir.Operation) -> None:
    """Verify `root` and everything in it.

    Raises:
        PassFailure: the IR is invalid; the diagnostics have been emitted.
    """
    try:
        root.verify()
    except ir.MLIRError as error:
        raise PassFailure("the module is invalid") from error


def _groups(steps: Sequence[Step], options: RunOptions) -> list[list[Step]]:
    """Split the steps into pass managers: one for all, or one each to look in between."""
    printing = options.printing
    if options.observer or printing.before or printing.after:
        return [[step] for step in steps]
    return [list(steps)] if steps else []


def _manager(anchor: str, steps: Sequence[Step], options: RunOptions) -> passmanager.PassManager:
    manager = passmanager.PassManager(anchor)
    manager.enable_verifier(options.verify_each)
    if options.timing:
        manager.enable_timing()
    _enable_printing(manager, steps, options.printing)
    for step in steps:
        if step.run is not None:
            manager.add(_guarded(step.run), name=type(step.run).__name__, argument=step.name)
        elif _is_upstream(step):
            manager.add(step.text)
        else:
            manager.add(_each_nested(step, options), name=f"'{step.anchor}' Pipeline", argument="")
    return manager


def _enable_printing(
    manager: passmanager.PassManager, steps: Sequence[Step], printing: IRPrinting
) -> None:
    names = {name for step in steps for name in _names(step)}
    before = printing.before_all or bool(printing.before & names)
    after = printing.after_all or bool(printing.after & names)
    if before or after or printing.arguments.get("print_after_failure"):
        manager.enable_ir_printing(
            print_before_all=before, print_after_all=after, **printing.arguments
        )


def _names(step: Step) -> list[str]:
    return [step.name, *(name for inner in step.nested for name in _names(inner))]


def _is_upstream(step: Step) -> bool:
    return step.run is None and all(_is_upstream(inner) for inner in step.nested)


def _guarded(run: Pass) -> Callable[[ir.Operation, Any], None]:
    """Wrap a pass for the pass manager: whatever it raises becomes a located error."""

    def run_guarded(op: ir.Operation, handle: Any) -> None:
        try:
            with op.context:
                run.run_on(op)
        except PassFailure:
            handle.signal_pass_failure()
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{frame.filename}:{frame.lineno}"
            text = f"pass '{run.name}' raised {type(error).__name__}: {error} (at {place})"
            op.location.emit_error(text)
            handle.signal_pass_failure()

    return run_guarded


def _each_nested(step: Step, options: RunOptions) -> Callable[[ir.Operation, Any], None]:
    """Run a nested pipeline that holds passes of ours over the ops it is anchored on.

    `PassManager.add` with an `op_name` aborts on another op, hence a manager of its own.
    """

    def run_nested(op: ir.Operation, handle: Any) -> None:
        for child in list(op.regions[0].blocks[0].operations):
            if child.operation.name != step.anchor:
                continue
            try:
                _run_manager(_manager(step.anchor, step.nested, options), child.operation)
            except PassFailure:
                handle.signal_pass_failure()
                return

    return run_nested


def _run_manager(manager: passmanager.PassManager, op: ir.Operation) -> None:
    try:
        manager.run(op)
    except ir.MLIRError as error:
        raise PassFailure("a pass failed") from error
