"""Planning a pipeline: names are resolved, named pipelines expanded, nesting is checked."""

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
        """The name in reports."""
        marked = self.upstream is not None and self.upstream.mark
        return f"{self.name} ({marked})" if marked else self.name

    @property
    def cpp_text(self) -> str:
        """The text of a step that `is_upstream` for MLIR's pass manager."""
        if self.nested is not None:
            return f"{self.name}({','.join(step.cpp_text for step in self.nested)})"
        assert self.upstream is not None
        return (self.upstream.registered_as or self.name) + self.text.removeprefix(self.name)

    @property
    def is_upstream(self) -> bool:
        """Whether all of the step is C++."""
        if self.nested is None:
            return self.run is None
        return all(step.is_upstream for step in self.nested)


def plan(
    pipeline: str,
    registry: Registry | None = None,
    extra: Mapping[str, UpstreamPass] = NO_PASSES,
) -> tuple[Step, ...]:
    """Return the steps of a pipeline for a module; named pipelines are expanded.

    Args:
        pipeline: the text of the pipeline.
        registry: the passes that can be named; None: the built-in ones.
        extra: C++ passes that can be named beside those of `core.upstream`, except in our own
            named pipelines. A pass of ours hides one of the same name.

    Raises:
        PipelineError: the text is malformed, names an unknown pass or option, or nests a
            pass in an op that it does not run on.
    """
    if registry is None and not extra:
        return _plan_built_in(pipeline)
    return plan_elements(parse_pipeline(pipeline), MODULE, registry or Registry(), extra)


@cache
def _plan_built_in(pipeline: str) -> tuple[Step, ...]:
    """Plan a pipeline of built-in passes; cached, since their files are looked up."""
    return plan_elements(parse_pipeline(pipeline), MODULE, Registry())


def plan_elements(
    elements: Sequence[Element],
    anchor: str,
    registry: Registry,
    extra: Mapping[str, UpstreamPass] = NO_PASSES,
) -> tuple[Step, ...]:
    """Return the steps of parsed pipeline elements that run on `anchor` ops; see `plan`."""
    names = _Names(registry, extra)
    return tuple(step for element in elements for step in _plan(element, anchor, names))


@dataclass(frozen=True)
class _Names:
    """The meaning of names, and the number of named pipelines that are expanded around them."""

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
        # As in mlir-opt, a function pass in a module pipeline is nested implicitly.
        return [Step(f"{_FUNCTION}({call})", _FUNCTION, nested=(step,))]
    raise _misplaced(run.name, run.anchor, anchor)


def _plan_upstream(call: PassCall, upstream: UpstreamPass, anchor: str) -> Step:
    step = Step(str(call), call.name, upstream=upstream)
    restricted = upstream.anchor
    if restricted and anchor != restricted:
        # In a module pipeline, a pass on other ops is nested implicitly.
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
    """Check a C++ pass by parsing it alone: to add a bad one later may abort the process."""
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
    """Check that a pipeline in an option of a C++ pass names MLIR's own passes only.

    Other names would mean C++ passes there, not ours.
    """
    while pipeline != (outer := re.sub(r"\{[^{}]*\}", "", pipeline)):
        pipeline = outer
    for word in re.findall(r"[\w.$-]+", pipeline):
        if not (word in UPSTREAM_PASSES or "." in word or word == "any"):
            raise PipelineError(
                f"pass '{name}': '{word}' cannot be named in its options: only MLIR's own passes can"
            )


def _reason(call: PassCall, error: ValueError) -> str:
    """Return the first line of MLIR's message, or a text of ours if it only repeats the call."""
    line = next(iter(str(error).strip().splitlines()), "failed to add")
    if line.startswith("failed to add"):
        return f"cannot read the options '{call.options}'"
    return line.removeprefix("<Pass-Options-Parser>: ")
