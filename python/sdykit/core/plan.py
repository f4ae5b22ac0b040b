"""From pipeline text to steps: names are resolved, pipelines expanded, nesting checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from sdykit.core.options import make
from sdykit.core.pass_base import FunctionPass, Pass, Pipeline
from sdykit.core.pipeline_text import Element, PassCall, parse_elements, parse_pipeline
from sdykit.core.registry import Registry
from sdykit.core.upstream import UPSTREAM_PASSES
from sdykit.errors import PipelineError
from sdykit.mlir import ir, passmanager

MODULE = "builtin.module"
_FUNCTION = "func.func"
_MAX_EXPANSION = 20


@dataclass(frozen=True)
class Step:
    """A pass of ours, a C++ pass (as text), or steps nested one level down."""

    text: str
    """The step as pipeline text."""
    name: str
    """The name of the pass, or of the op that the nested steps run on."""
    run: Pass | None = None
    nested: tuple[Step, ...] | None = None

    @property
    def is_upstream(self) -> bool:
        """Whether C++ alone can run the step."""
        if self.nested is None:
            return self.run is None
        return all(step.is_upstream for step in self.nested)


def plan(pipeline: str, registry: Registry | None = None) -> tuple[Step, ...]:
    """Resolve the names in a pipeline for a module; named pipelines are expanded.

    Raises:
        PipelineError: the text is malformed, names an unknown pass or option, or nests a
            pass in an op that it does not run on.
    """
    if registry is None:
        return _plan_built_in(pipeline)
    return plan_elements(parse_pipeline(pipeline), MODULE, registry)


@cache
def _plan_built_in(pipeline: str) -> tuple[Step, ...]:
    """Resolve the names of built-in passes; they are looked for in the file system."""
    return plan_elements(parse_pipeline(pipeline), MODULE, Registry())


def plan_elements(elements: Sequence[Element], anchor: str, registry: Registry) -> tuple[Step, ...]:
    """Resolve parsed pipeline elements that run on `anchor` ops; see `plan`."""
    return tuple(step for element in elements for step in _plan(element, anchor, registry, 0))


def _plan(element: Element, anchor: str, registry: Registry, depth: int) -> list[Step]:
    if isinstance(element, PassCall):
        return _plan_call(element, anchor, registry, depth)
    steps = [
        step for inner in element.elements for step in _plan(inner, element.anchor, registry, depth)
    ]
    if not steps:
        return []
    text = f"{element.anchor}({','.join(step.text for step in steps)})"
    nest = Step(text, element.anchor, nested=tuple(steps))
    if element.anchor == "any" and not nest.is_upstream:
        raise PipelineError(f"only C++ passes can be nested in 'any', found '{element}'")
    return [nest]


def _plan_call(call: PassCall, anchor: str, registry: Registry, depth: int) -> list[Step]:
    call = PassCall(call.name.replace("_", "-"), call.options)
    if call.name in UPSTREAM_PASSES:
        return [_plan_upstream(call, anchor)]
    run = make(registry.get(call.name), call.options)
    if isinstance(run, Pipeline):
        if depth == _MAX_EXPANSION:
            raise PipelineError(f"pipeline '{run.name}' contains itself")
        elements = [element for text in run.passes() for element in parse_elements(text)]
        return [step for e in elements for step in _plan(e, anchor, registry, depth + 1)]
    step = Step(str(call), run.name, run)
    if anchor == run.anchor:
        return [step]
    if anchor == MODULE and isinstance(run, FunctionPass):
        # As in mlir-opt, a function pass in a module pipeline nests by itself.
        return [Step(f"{_FUNCTION}({call})", _FUNCTION, nested=(step,))]
    raise _misplaced(run.name, run.anchor, anchor)


def _plan_upstream(call: PassCall, anchor: str) -> Step:
    step = Step(str(call), call.name)
    restricted = UPSTREAM_PASSES[call.name].anchor
    if restricted and anchor == MODULE:
        step = Step(f"{restricted}({call})", restricted, nested=(step,))
    elif restricted and anchor != restricted:
        raise _misplaced(call.name, restricted, anchor)
    _check_upstream(call, step.text, anchor)
    return step


def _misplaced(name: str, wanted: str, anchor: str) -> PipelineError:
    return PipelineError(
        f"can't run pass '{name}', which is restricted to '{wanted}', on '{anchor}';"
        " did you intend to nest it differently?"
    )


def _check_upstream(call: PassCall, text: str, anchor: str) -> None:
    """Let the bindings parse a C++ pass by itself: adding a bad one later may abort."""
    if any(word in call.options for word in ("sdy-", "mpmd-")):
        raise PipelineError(f"pass '{call.name}': only C++ passes can be named in its options")
    with ir.Context():
        try:
            passmanager.PassManager.parse(f"{anchor}({text})")
        except ValueError as error:
            raise PipelineError(f"pass '{call.name}': {_reason(call, error)}") from None


def _reason(call: PassCall, error: ValueError) -> str:
    """Give the first line of MLIR's message, unless it only repeats the call."""
    line = next(iter(str(error).strip().splitlines()), "failed to add")
    if line.startswith("failed to add"):
        return f"cannot read the options '{call.options}'"
    return line.removeprefix("<Pass-Options-Parser>: ")
