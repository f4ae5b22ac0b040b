"""From pipeline text to steps: names are resolved, pipelines expanded, nesting checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sdykit.core.options import check_option_names, make, split_options
from sdykit.core.pass_base import FunctionPass, Pass, Pipeline
from sdykit.core.pipeline_text import Element, PassCall, parse_elements, parse_pipeline
from sdykit.core.registry import Registry
from sdykit.core.upstream import NO_PASSES, UPSTREAM_PASSES, UpstreamPass
from sdykit.errors import PipelineError
from sdykit.mlir import ir, passmanager, register_cpp_passes

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
    upstream: UpstreamPass | None = None
    """The C++ pass, if it is one."""

    @property
    def title(self) -> str:
        """The name as reports show it."""
        marked = self.upstream is not None and self.upstream.mark
        return f"{self.name} ({marked})" if marked else self.name

    @property
    def cpp_text(self) -> str:
        """The text that MLIR's pass manager takes for a step that `is_upstream`."""
        if self.nested is not None:
            return f"{self.name}({','.join(step.cpp_text for step in self.nested)})"
        assert self.upstream is not None
        return (self.upstream.registered_as or self.name) + self.text.removeprefix(self.name)

    @property
    def is_upstream(self) -> bool:
        """Whether C++ alone can run the step."""
        if self.nested is None:
            return self.run is None
        return all(step.is_upstream for step in self.nested)


def plan(
    pipeline: str,
    registry: Registry | None = None,
    extra: Mapping[str, UpstreamPass] = NO_PASSES,
) -> tuple[Step, ...]:
    """Resolve the names in a pipeline for a module; named pipelines are expanded.

    Args:
        pipeline: its text.
        registry: the passes there are; none: the built-in ones.
        extra: C++ passes that may be named beside those of `core.upstream`. A pass of ours
            wins over one of its name, and no pipeline of ours sees them.

    Raises:
        PipelineError: the text is malformed, names an unknown pass or option, or nests a
            pass in an op that it does not run on.
    """
    if registry is None and not extra:
        return _plan_built_in(pipeline)
    return plan_elements(parse_pipeline(pipeline), MODULE, registry or Registry(), extra)


@cache
def _plan_built_in(pipeline: str) -> tuple[Step, ...]:
    """Resolve the names of built-in passes; they are looked for in the file system."""
    return plan_elements(parse_pipeline(pipeline), MODULE, Registry())


def plan_elements(
    elements: Sequence[Element],
    anchor: str,
    registry: Registry,
    extra: Mapping[str, UpstreamPass] = NO_PASSES,
) -> tuple[Step, ...]:
    """Resolve parsed pipeline elements that run on `anchor` ops; see `plan`."""
    names = _Names(registry, extra)
    return tuple(step for element in elements for step in _plan(element, anchor, names))


@dataclass(frozen=True)
class _Names:
    """What names stand for, and how many named pipelines have been expanded around them."""

    registry: Registry
    extra: Mapping[str, UpstreamPass]
    depth: int = 0

    def upstream(self, name: str) -> UpstreamPass | None:
        """Return the C++ pass that a name stands for, if it is one."""
        if name in UPSTREAM_PASSES:
            return UPSTREAM_PASSES[name]
        if name in self.extra and self.registry.find(name) is None:
            return self.extra[name]
        return None

    def within(self, pipeline: Pipeline) -> _Names:
        """Return the names that a pipeline may use: no extra ones in a built-in pipeline."""
        extra = self.extra if self.registry.is_loaded(pipeline.name) else NO_PASSES
        return _Names(self.registry, extra, self.depth + 1)


def _plan(element: Element, anchor: str, names: _Names) -> list[Step]:
    if isinstance(element, PassCall):
        return _plan_call(element, anchor, names)
    steps = [step for inner in element.elements for step in _plan(inner, element.anchor, names)]
    if not steps:
        return []
    text = f"{element.anchor}({','.join(step.text for step in steps)})"
    nest = Step(text, element.anchor, nested=tuple(steps))
    if element.anchor == "any" and not nest.is_upstream:
        raise PipelineError(f"only C++ passes can be nested in 'any', found '{element}'")
    return [nest]


def _plan_call(call: PassCall, anchor: str, names: _Names) -> list[Step]:
    call = PassCall(call.name.replace("_", "-"), call.options)
    upstream = names.upstream(call.name)
    if upstream is not None:
        return [_plan_upstream(call, upstream, anchor)]
    run = make(names.registry.get(call.name, names.extra), call.options)
    if isinstance(run, Pipeline):
        if names.depth == _MAX_EXPANSION:
            raise PipelineError(f"pipeline '{run.name}' contains itself")
        elements = [element for text in run.passes() for element in parse_elements(text)]
        return [step for e in elements for step in _plan(e, anchor, names.within(run))]
    step = Step(str(call), run.name, run)
    if anchor == run.anchor:
        return [step]
    if anchor == MODULE and isinstance(run, FunctionPass):
        # As in mlir-opt, a function pass in a module pipeline nests by itself.
        return [Step(f"{_FUNCTION}({call})", _FUNCTION, nested=(step,))]
    raise _misplaced(run.name, run.anchor, anchor)


def _plan_upstream(call: PassCall, upstream: UpstreamPass, anchor: str) -> Step:
    step = Step(str(call), call.name, upstream=upstream)
    restricted = upstream.anchor
    if restricted and anchor != restricted:
        # A pass that is not for modules nests by itself in one.
        if anchor != MODULE:
            raise _misplaced(call.name, restricted, anchor)
        step = Step(f"{restricted}({call})", restricted, nested=(step,))
    check_option_names(call.name, call.options, [option.name for option in upstream.options])
    _check_upstream(call, step.cpp_text, anchor)
    return step


def _misplaced(name: str, wanted: str, anchor: str) -> PipelineError:
    return PipelineError(
        f"can't run pass '{name}', which is restricted to '{wanted}', on '{anchor}';"
        " did you intend to nest it differently?"
    )


def _check_upstream(call: PassCall, text: str, anchor: str) -> None:
    """Let the bindings parse a C++ pass by itself: adding a bad one later may abort."""
    for option, value in split_options(call.options):
        if option.endswith(("pipeline", "pipelines")):
            _check_inner(call.name, value or "")
    register_cpp_passes()
    with ir.Context():
        try:
            passmanager.PassManager.parse(f"{anchor}({text})")
        except ValueError as error:
            raise PipelineError(f"pass '{call.name}': {_reason(call, error)}") from None


def _check_inner(name: str, pipeline: str) -> None:
    """Check that a pipeline that C++ reads names MLIR's own passes only.

    Of any other name C++ would take its own pass, or none.
    """
    while pipeline != (outer := re.sub(r"\{[^{}]*\}", "", pipeline)):
        pipeline = outer
    for word in re.findall(r"[\w.$-]+", pipeline):
        if not (word in UPSTREAM_PASSES or "." in word or word == "any"):
            raise PipelineError(
                f"pass '{name}': '{word}' cannot be named in its options: only MLIR's own passes can"
            )


def _reason(call: PassCall, error: ValueError) -> str:
    """Give the first line of MLIR's message, unless it only repeats the call."""
    line = next(iter(str(error).strip().splitlines()), "failed to add")
    if line.startswith("failed to add"):
        return f"cannot read the options '{call.options}'"
    return line.removeprefix("<Pass-Options-Parser>: ")
