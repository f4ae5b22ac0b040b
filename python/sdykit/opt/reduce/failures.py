"""What a module must do to be of interest. Each test runs in a process of its own."""

from __future__ import annotations

import contextlib
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sdykit.core import Diagnostic, Registry, RunOptions, Severity, capture, run_pipeline
from sdykit.core.plan import MODULE, Step, plan
from sdykit.errors import PassFailure, SdykitError
from sdykit.mlir import ir
from sdykit.opt.cpp.comparing import Comparison
from sdykit.opt.cpp.passes import EXTRA_PASSES
from sdykit.opt.reduce.edits import text_of_module

Behaviour = str
"""A description of what a module did; a test treats modules of equal behaviour alike.

A crash ends the process of the test, and `ended` returns its description.
"""
Test = Callable[[ir.Module], Behaviour]

FINE: Behaviour = "nothing fails"
_CANNOT_RUN = (126, 127)


def ended(code: int) -> Behaviour:
    """Return the behaviour of a test whose process has ended early.

    Args:
        code: the exit code; if negative, minus the number of the signal that ended the process.
    """
    import signal

    return f"crash ({signal.Signals(-code).name})" if code < 0 else f"exit (code {code})"


@dataclass(frozen=True)
class PipelineTest:
    """Tests whether a pipeline fails; the behaviour is the first error, without its numbers."""

    pipeline: str
    registry: Registry
    verify_each: bool = False
    message: str | None = None
    """A text; if any error contains it, it is the behaviour."""

    def __call__(self, module: ir.Module) -> Behaviour:
        """Run the pipeline on a module."""
        errors: list[str] = []

        def keep(diagnostic: Diagnostic) -> None:
            if diagnostic.severity is Severity.ERROR:
                errors.append(diagnostic.message)

        try:
            with capture(module.context, keep):
                options = RunOptions(verify_each=self.verify_each)
                run_pipeline(module, self.pipeline, options, self.registry, EXTRA_PASSES)
        except PassFailure as failure:
            errors = errors or [str(failure)]
        else:
            return FINE
        if self.message is not None:
            return self.message if any(self.message in error for error in errors) else FINE
        return re.sub(r"\d+", "N", errors[0])


@dataclass(frozen=True)
class ComparisonTest:
    """Tests whether passes differ from the C++ passes of the same names."""

    steps: Sequence[Step]

    @staticmethod
    def of(pipeline: str, registry: Registry) -> ComparisonTest:
        """Return the test of a pipeline.

        Raises:
            SdykitError: the pipeline is wrong, or C++ has none of its passes.
        """
        steps = plan(pipeline, registry, EXTRA_PASSES)
        Comparison(steps, MODULE, str, lambda _: None)
        return ComparisonTest(steps)

    def __call__(self, module: ir.Module) -> Behaviour:
        """Run the passes on a module, and those of C++ on copies."""
        comparison = Comparison(
            self.steps, MODULE, lambda op: text_of_module(op).decode(), lambda _: None
        )
        with contextlib.suppress(PassFailure), capture(module.context, lambda _: None):
            comparison.run(module.operation, RunOptions(), lambda _: None)
        return "; ".join(comparison.differences) or FINE


@dataclass(frozen=True)
class ScriptTest:
    """Tests whether a command, called with a file that holds the module, fails."""

    command: Sequence[str]

    def __call__(self, module: ir.Module) -> Behaviour:
        """Run the command on a module.

        Raises:
            SdykitError: the command cannot be run.
        """
        with tempfile.TemporaryDirectory(prefix="sdykit-reduce-") as directory:
            path = Path(directory) / "candidate.mlir"
            path.write_bytes(text_of_module(module.operation))
            try:
                done = subprocess.run(
                    [*self.command, str(path)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    check=False,
                )
            except OSError as error:
                raise SdykitError(f"cannot run '{self.command[0]}': {error.strerror}") from None
        if done.returncode in _CANNOT_RUN:
            raise SdykitError(
                f"'{self.command[0]}' ended with exit code {done.returncode}, which means that it"
                " cannot be run; check the command and its permissions"
            )
        return "exit code other than 0" if done.returncode else FINE
