"""`--compare-with-cpp`: each pass of ours and the C++ pass of its name run on the same IR."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterator, Sequence

from sdykit.core import Diagnostic, Registry, RunOptions, Severity, capture
from sdykit.core.diagnostics import Sink
from sdykit.core.pipeline_text import parse_elements
from sdykit.core.plan import Step, plan_elements
from sdykit.core.run import run_steps
from sdykit.errors import PassFailure, PipelineError
from sdykit.mlir import ir
from sdykit.opt.cpp.passes import CPP_PASSES, EXTRA_PASSES, PREFIX
from sdykit.opt.flags.arguments import UsageError
from sdykit.opt.process.guard import IN_CPP, Status

_FAILED = "failed\n"
Printer = Callable[[ir.Operation], str]


class Comparison:
    """Runs the steps of a pipeline, and compares those that C++ has too.

    The C++ pass runs first, on a copy of the IR.

    Args:
        steps: the steps of the pipeline.
        root: the name of the op that the pipeline runs on.
        printer: a function that prints an op for the comparison.
        status: a function that receives a description of each C++ step before it runs.

    Raises:
        UsageError: there is nothing to compare, or the C++ pass lacks an option that is set.
    """

    def __init__(self, steps: Sequence[Step], root: str, printer: Printer, status: Status) -> None:
        self._printer = printer
        self._status = status
        self._pairs = [(step, _in_cpp(step, root)) for step in _unnested(steps)]
        self.differences: list[str] = []
        """The steps whose results differed from C++, each with a remark if one of the two failed."""
        if not any(cpp for _, cpp in self._pairs):
            raise UsageError(
                "--compare-with-cpp: nothing to compare: no pass of the pipeline is both in"
                " Python and in C++"
            )

    def run(self, root: ir.Operation, options: RunOptions, sink: Sink) -> None:
        """Run the passes on `root`, and write to stderr how each compares.

        Args:
            root: the op; our passes transform it in place.
            options: the options of the run of our passes.
            sink: the receiver of the diagnostics of our passes.

        Raises:
            PassFailure: a pass of ours failed.
        """
        for step, cpp in self._pairs:
            if cpp is None:
                run_steps(root, [step], options)
                continue
            self._status(f"running '{cpp.text}' {IN_CPP}")
            theirs, _ = self._run(root.clone(ip=False).operation, cpp, RunOptions(), _ignore)
            ours, failure = self._run(root, step, options, sink)
            self._report(step.text, theirs, ours)
            if failure is not None:
                raise failure

    def _run(
        self, op: ir.Operation, step: Step, options: RunOptions, sink: Sink
    ) -> tuple[list[str], PassFailure | None]:
        """Run a step; return the lines of the IR, or of the errors if it fails."""
        errors: list[str] = []

        def keep(diagnostic: Diagnostic) -> None:
            if diagnostic.severity is Severity.ERROR:
                errors.append(f"{diagnostic}\n")
            sink(diagnostic)

        try:
            with capture(op.context, keep):
                run_steps(op, [step], options)
        except PassFailure as failure:
            return [_FAILED, *errors], failure
        return self._printer(op).splitlines(keepends=True), None

    def _report(self, text: str, theirs: list[str], ours: list[str]) -> None:
        if theirs == ours:
            sys.stderr.write(f"{text}: same as in C++\n")
            return
        failed = [who for who, lines in (("C++", theirs), ("ours", ours)) if lines[0] == _FAILED]
        self.differences.append(" ".join([text, *(f"({who} failed)" for who in failed)]))
        lines = difflib.unified_diff(theirs, ours, "C++, in jaxlib", "sdykit")
        sys.stderr.write(f"{text}: differs from C++\n{''.join(lines)}")


def _ignore(_: Diagnostic) -> None:
    """Drop a diagnostic of the copy: the comparison prints the errors that differ."""


def _unnested(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield steps of one pass each; that splits a nested pipeline, which a pass cannot tell."""
    for step in steps:
        if step.nested is None or step.is_upstream:
            yield step
            continue
        for inner in _unnested(step.nested):
            yield Step(f"{step.name}({inner.text})", step.name, nested=(inner,))


def _in_cpp(step: Step, root: str) -> Step | None:
    """Return the C++ step that corresponds to a step of one pass of ours; None if there is none."""
    text = _text_in_cpp(step)
    if text is None:
        return None
    try:
        return plan_elements(parse_elements(text), root, Registry(), EXTRA_PASSES)[0]
    except PipelineError as error:
        raise UsageError(f"--compare-with-cpp: {error}") from None


def _text_in_cpp(step: Step) -> str | None:
    if step.nested is not None:
        inner = _text_in_cpp(step.nested[0])
        return None if inner is None else f"{step.name}({inner})"
    return PREFIX + step.text if step.run is not None and step.name in CPP_PASSES else None
