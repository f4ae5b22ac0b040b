"""Which passes the command line names, and the plan to run them on MLIR."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sdykit.core import FunctionPass, ModulePass, Pipeline, Registry
from sdykit.core.pipeline_text import Nest, PassCall, parse_anchored
from sdykit.core.plan import Step, plan_elements
from sdykit.core.registry import PassClass
from sdykit.core.suggestions import nearest
from sdykit.core.upstream import UPSTREAM_PASSES
from sdykit.errors import PipelineError
from sdykit.opt.cpp.passes import EXTRA_PASSES, is_cpp
from sdykit.opt.flags.arguments import CommonArguments, PassFlag, UsageError
from sdykit.opt.flags.mlir import MLIR_FLAGS
from sdykit.opt.flags.types import FlagSet


def requested(
    arguments: CommonArguments,
    registry: Registry,
    flags: FlagSet = MLIR_FLAGS,
    parse: Callable[[str], Nest] = parse_anchored,
) -> Nest:
    """Return the pipeline on the command line; passes given as flags get the anchor `any`.

    Args:
        arguments: the parsed command line.
        registry: the registered passes.
        flags: the flags of the tool, for messages about unknown ones.
        parse: the parser of the text of `-pass-pipeline`.

    Raises:
        UsageError: a flag is neither one of the driver's nor a pass, or there are passes
            both as flags and as a pipeline.
        PipelineError: the text of the pipeline is malformed.
    """
    for text in (arguments.pass_pipeline or "", *(flag.typed for flag in arguments.passes)):
        # Python represents bytes that are not UTF-8 by surrogates.
        if any("\udc80" <= letter <= "\udcff" for letter in text):
            raise UsageError(f"this argument is not UTF-8: {text!r}")
    for flag in arguments.passes:
        _check_known(flag, registry, flags)
    for name in (*arguments.mlir_print_ir_before, *arguments.mlir_print_ir_after):
        _check_printed_pass(name, registry)
    if arguments.pass_pipeline is None:
        return Nest("any", tuple(PassCall(f.name, f.options) for f in arguments.passes))
    if arguments.passes:
        raise UsageError("'-pass-pipeline' option can't be used with individual pass options")
    return parse(arguments.pass_pipeline)


def planned(pipeline: Nest, root: str, registry: Registry) -> tuple[Step, ...]:
    """Resolve a pipeline that is to run on an op named `root`.

    Raises:
        PipelineError: it is for another op, or names an unknown pass or option.
    """
    if pipeline.anchor not in ("any", root):
        raise PipelineError(f"can't run '{pipeline.anchor}' pass manager on '{root}' op")
    steps = plan_elements(pipeline.elements, root, registry, EXTRA_PASSES)
    for step in leaves(steps):
        if step.run is not None and not takes_mlir(type(step.run)):
            raise PipelineError(f"pass '{step.name}' runs on HLO text only; hlo-opt runs it")
    return steps


def begins_with(pipeline: Nest, prefix: str) -> bool:
    """Return whether the name of the first pass of a pipeline starts with `prefix`."""
    first: Nest | PassCall = pipeline
    while isinstance(first, Nest):
        if not first.elements:
            return False
        first = first.elements[0]
    return first.name.replace("_", "-").startswith(prefix)


def leaves(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the passes among the steps, however deeply they are nested."""
    for step in steps:
        yield from (step,) if step.nested is None else leaves(step.nested)


def takes_mlir(cls: PassClass) -> bool:
    """Return whether a pass or pipeline can run on MLIR, that is, has not `run_hlo` only."""
    run = getattr(cls, "run", None)
    return not takes_hlo(cls) or run not in (ModulePass.run, FunctionPass.run)


def takes_hlo(cls: PassClass) -> bool:
    """Return whether a pass can run on HLO."""
    return hasattr(cls, "run_hlo")


def dumped(steps: Iterable[Step], root: str) -> str:
    """Return the text that `-dump-pass-pipeline` prints and `-pass-pipeline` accepts."""
    return f"{root}({','.join(step.text for step in steps)})"


def _check_printed_pass(name: str, registry: Registry) -> None:
    if is_cpp(name, registry):
        return
    found = registry.find(name)
    if found is None:
        unknown = registry.unknown(name, EXTRA_PASSES)
        raise UsageError(f"cannot print the IR around a pass: {unknown}")
    if issubclass(found, Pipeline):
        raise UsageError(f"cannot print the IR around '{name}': it is a pipeline; name its passes")


def _check_known(flag: PassFlag, registry: Registry, flags: FlagSet) -> None:
    if is_cpp(flag.name, registry) or registry.find(flag.name) is not None:
        return
    if flag.name in flags.unavailable:
        raise UsageError(f"'{flag.typed}' is not available: {flags.unavailable[flag.name]}")
    known = [*registry.names(), *UPSTREAM_PASSES, *EXTRA_PASSES, *flags.by_name]
    close = nearest(flag.name, known)
    hint = f" Did you mean '--{close}'?" if close else ""
    raise UsageError(f"Unknown command line argument '{flag.typed}'. Try '--help'.{hint}")
