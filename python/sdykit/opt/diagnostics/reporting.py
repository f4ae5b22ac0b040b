"""The receiver of all diagnostics of a run: prints them, or compares them with expectations."""

from __future__ import annotations

import sys
from dataclasses import replace

from sdykit.core import Diagnostic, Severity
from sdykit.opt.diagnostics.rendering import render
from sdykit.opt.diagnostics.sources import Sources
from sdykit.opt.diagnostics.verify_diagnostics import CURRENT_OP, DiagnosticsChecker
from sdykit.opt.flags.arguments import Arguments, CommonArguments

_LEVELS = {
    "errors": (Severity.ERROR,),
    "warnings": (Severity.ERROR, Severity.WARNING),
    "remarks": (Severity.ERROR, Severity.WARNING, Severity.REMARK),
}


class Reporter:
    """Prints diagnostics and counts errors; with `-verify-diagnostics` it checks them."""

    def __init__(self, arguments: CommonArguments, name: str, sources: Sources) -> None:
        self.errors = 0
        self._sources = sources
        self._emitted_once: set[str] = set()
        self._shown = _LEVELS[arguments.mlir_diagnostic_verbosity_level]
        self._notes = not arguments.mlir_disable_diagnostic_notes
        self._current_op = (
            isinstance(arguments, Arguments) and arguments.mlir_print_op_on_diagnostic
        )
        mode = arguments.verify_diagnostics
        self._checker: DiagnosticsChecker | None = None
        if mode:
            self._checker = DiagnosticsChecker(name, sources, mode == "only-expected")

    def emit(self, diagnostic: Diagnostic) -> None:
        """Print a diagnostic, or check it against the expectations."""
        if diagnostic.once:
            if diagnostic.once in self._emitted_once:
                return
            self._emitted_once.add(diagnostic.once)
        self.errors += diagnostic.severity is Severity.ERROR
        if self._checker is not None:
            self._checker.check(diagnostic)
        elif diagnostic.severity in self._shown:
            sys.stderr.write(render(self._pruned(diagnostic), self._sources))

    def finish(self) -> bool:
        """Return whether there was no error or, with `-verify-diagnostics`, exactly what was expected."""
        if self._checker is not None:
            return self._checker.finish()
        return self.errors == 0

    def _pruned(self, diagnostic: Diagnostic) -> Diagnostic:
        notes = tuple(
            note
            for note in diagnostic.notes
            if self._notes and (self._current_op or not note.message.startswith(CURRENT_OP))
        )
        return replace(diagnostic, notes=notes)
