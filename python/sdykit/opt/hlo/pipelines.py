"""The plan of the passes that the command line names, to run on HLO."""

from __future__ import annotations

from sdykit.core import Pipeline, Registry
from sdykit.core.options import make
from sdykit.core.pipeline_text import Nest, PassCall, parse_elements, parse_pipeline
from sdykit.core.plan import MODULE, Step, plan_elements
from sdykit.errors import PipelineError
from sdykit.opt import pipelines
from sdykit.opt.cpp.passes import is_cpp
from sdykit.opt.flags.arguments import CommonArguments
from sdykit.opt.flags.hlo import HLO_FLAGS

_MAX_EXPANSION = 20


def planned(arguments: CommonArguments, registry: Registry) -> tuple[Step, ...]:
    """Return the passes to run, in order; none is nested.

    Raises:
        UsageError: a flag is neither one of the driver's nor a pass, or there are passes
            both as flags and as a pipeline.
        PipelineError: the text is malformed, or names what cannot run on HLO text.
    """
    pipeline = pipelines.requested(arguments, registry, HLO_FLAGS, parse=_parse)
    for element in pipeline.elements:
        if not isinstance(element, PassCall):
            raise PipelineError(f"a pipeline over HLO text has no nesting, found '{element}'")
        if not runs_on_hlo(element, registry):
            raise PipelineError(_misplaced(element, registry))
    return plan_elements(pipeline.elements, MODULE, registry)


def runs_on_hlo(call: PassCall, registry: Registry, depth: int = 0) -> bool:
    """Return whether a pass runs on HLO, or all passes of a named pipeline do.

    Raises:
        PipelineError: there is no such pass, or its options are wrong.
    """
    if is_cpp(call.name.replace("_", "-"), registry):
        return False
    cls = registry.get(call.name)
    if not issubclass(cls, Pipeline):
        return pipelines.takes_hlo(cls)
    if depth == _MAX_EXPANSION:  # The pipeline contains itself, which the planner reports.
        return True
    elements = [e for text in make(cls, call.options).passes() for e in parse_elements(text)]
    return all(
        isinstance(each, PassCall) and runs_on_hlo(each, registry, depth + 1) for each in elements
    )


def dumped(steps: tuple[Step, ...]) -> str:
    """Return the text that `-dump-pass-pipeline` prints and `-pass-pipeline` accepts."""
    return ",".join(step.text for step in steps)


def _parse(text: str) -> Nest:
    """Parse a sequence of passes, which may be wrapped in `builtin.module(...)`."""
    return Nest("any", parse_pipeline(text))


def _misplaced(call: PassCall, registry: Registry) -> str:
    found = ((name, registry.find(name)) for name in registry.names())
    names = [name for name, cls in found if cls is not None and pipelines.takes_hlo(cls)]
    which = ", ".join(names)
    return f"pass '{call.name}' runs on MLIR, not on HLO text; those on HLO text are {which}"
