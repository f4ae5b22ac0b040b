"""The instrumentation of passes that flags ask for: the IR between them, their times, a report."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdykit.core.run import Instrumentation, Observer
from sdykit.opt.flags.arguments import CommonArguments
from sdykit.opt.io.outputs import OutputError

if TYPE_CHECKING:
    from sdykit.core.timing import Timing
    from sdykit.mlir import ir
    from sdykit.viz.import_report import Recorder


class RunInstrumentation:
    """The instrumentation of a run, and its output at the end.

    Args:
        arguments: the parsed command line.
        printing: the instrumentation that prints the program between passes.
        report: the path of the report on MLIR passes; None for no report.
    """

    def __init__(
        self,
        arguments: CommonArguments,
        printing: Instrumentation | None = None,
        report: str | None = None,
    ) -> None:
        self._arguments = arguments
        self._report = report
        self._timing = _timing() if arguments.mlir_timing else None
        self._recorders: list[Recorder] = []
        candidates = (printing, self._timing)
        self.instrumentations = tuple(each for each in candidates if each is not None)

    def phase(self, name: str) -> AbstractContextManager[None]:
        """Return a context that times a part of the run that is not a pass."""
        return nullcontext() if self._timing is None else self._timing.phase(name)

    def observer(self, root: ir.Operation) -> Observer | None:
        """Return the observer of the steps of a run on `root`; None without a report."""
        if self._report is None:
            return None
        from sdykit.viz.import_report import Recorder

        self._recorders.append(Recorder(root))
        return self._recorders[-1]

    def finish(self) -> None:
        """Print the times and write the report.

        Raises:
            OutputError: the report cannot be written.
        """
        arguments = self._arguments
        if self._timing is not None:
            display, form = arguments.mlir_timing_display, arguments.mlir_output_format
            sys.stderr.write(self._timing.report(display, form))
        if self._report is not None:
            _write_report(self._report, Path(arguments.input).name, self._recorders)


def _timing() -> Timing:
    from sdykit.core.timing import Timing

    return Timing()


def _write_report(path: str, title: str, recorders: list[Recorder]) -> None:
    from sdykit.viz.import_report import write_report

    stages = [stage for recorder in recorders for stage in recorder.stages]
    try:
        write_report(path, stages, title)
    except OSError as error:
        raise OutputError(f"cannot write report '{path}': {error.strerror}") from None


def selected_printing(arguments: CommonArguments) -> dict[str, Any] | None:
    """Return the fields of `IRPrinting` that select passes; None if no flag selects any."""
    fields = {
        "before_passes": frozenset(arguments.mlir_print_ir_before),
        "after_passes": frozenset(arguments.mlir_print_ir_after),
        "before_all": arguments.mlir_print_ir_before_all,
        "after_all": arguments.mlir_print_ir_after_all,
        "after_change": arguments.mlir_print_ir_after_change,
        "after_failure": arguments.mlir_print_ir_after_failure,
    }
    return fields if any(fields.values()) else None
