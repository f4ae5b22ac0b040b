"""A run of the driver over HLO."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace

from sdykit import hlo
from sdykit.core import Diagnostic, Registry, RunOptions, Severity
from sdykit.core.diagnostics import sent_to
from sdykit.core.run import cyclic_gc_paused
from sdykit.errors import PassFailure
from sdykit.hlo.verify import VerificationError, verify
from sdykit.hlo.verify.unknown_names import unknown_names
from sdykit.opt.diagnostics.reporting import Reporter
from sdykit.opt.flags.arguments import HloArguments
from sdykit.opt.hlo import pipelines
from sdykit.opt.hlo.mlir_form import MlirForm
from sdykit.opt.hlo.running import HloPrinting, run_steps
from sdykit.opt.instrumentation import RunInstrumentation, selected_printing
from sdykit.opt.io import inputs, outputs
from sdykit.opt.io.foreign_inputs import hinting, not_hlo
from sdykit.opt.mlir.parsing import ParseError
from sdykit.opt.process.guard import Status
from sdykit.opt.session import Session

_NO_CHAINS = "no asynchronous chains"
_BLANK = re.compile(r"(?:\s++|//[^\n]*+|/\*.*?\*/)*+", re.DOTALL)


class HloSession(Session):
    """A run over HLO; the pieces of the input share the pipeline."""

    def __init__(self, arguments: HloArguments, registry: Registry, status: Status) -> None:
        selected = selected_printing(arguments)
        printing = None if selected is None else HloPrinting(**selected, printer=self._dumped)
        super().__init__(arguments, RunInstrumentation(arguments, printing), status)
        self._arguments = arguments
        self._steps = pipelines.planned(arguments, registry)
        self._mlir = MlirForm(arguments, status)

    def prepare(self) -> None:
        """Check the flags and files; print the pipeline if `-dump-pass-pipeline` is set."""
        self._mlir.check()
        arguments = self._arguments
        # A table cannot replace the program that it is about.
        lost = (arguments.input,) if arguments.print_async_aliasing else ()
        outputs.check_distinct({"the output": arguments.o}, (*arguments.load_pass, *lost))
        if self._arguments.dump_pass_pipeline:
            sys.stderr.write(pipelines.dumped(self._steps) + "\n")

    def pieces(self, name: str, data: bytes, reporter: Reporter) -> list[inputs.Piece]:
        """Cut the input into programs; skip pieces that hold nothing but comments."""
        pieces = super().pieces(name, data, reporter)
        if self._arguments.split_input_file is not None:
            pieces = [piece for piece in pieces if not _is_blank(piece)]
        if len(pieces) > 1 and self._arguments.emit_bytecode:
            raise outputs.OutputError(
                f"the input has {len(pieces)} programs, and bytecode holds one; "
                "leave out -emit-bytecode"
            )
        return pieces

    def hint(self, data: bytes) -> str | None:
        """Return a note on an input that is not HLO text; None if it may be."""
        return not_hlo(data)

    def process(self, piece: inputs.Piece, reporter: Reporter) -> bytes:
        """Read, transform and print a program; return its text or bytecode."""
        try:
            # The instructions of a program refer to each other: the collector would visit all
            # of them and free none.
            with cyclic_gc_paused():
                return self._processed(piece, reporter)
        except hlo.HloError as error:
            for diagnostic in _diagnostics(error):
                reporter.emit(_placed(diagnostic))
            raise PassFailure(error.message) from None

    def _processed(self, piece: inputs.Piece, reporter: Reporter) -> bytes:
        with self._instrumentation.phase("Parser"):
            module = self._read(piece, reporter)
        with self._instrumentation.phase("Verifier"):
            self._verify(module, reporter)
            for warning in unknown_names(module):
                reporter.emit(warning)
        self._check_roundtrip(module)
        self._transform(module, reporter)
        with self._instrumentation.phase("Output"):
            return self._printed(module)

    def _read(self, piece: inputs.Piece, reporter: Reporter) -> hlo.Module:
        self._status("reading the bytecode" if piece.is_bytecode else "parsing the input")
        if self._mlir.is_in(piece):
            return self._mlir.read(piece, reporter.emit)
        text = piece.data.decode()
        try:
            return hlo.read(text, piece.name)
        except hlo.HloSyntaxError as error:
            (diagnostic,) = _diagnostics(error)
            hinting(reporter.emit, not_hlo(piece.data))(diagnostic)
            raise ParseError(error.message) from None

    def _verify(self, module: hlo.Module, reporter: Reporter) -> None:
        if self._arguments.no_verify:
            return
        self._status("verifying the program")
        errors = reporter.errors
        for diagnostic in verify(module):
            reporter.emit(_placed(diagnostic))
        if reporter.errors > errors:
            raise PassFailure("the program is invalid")

    def _check_roundtrip(self, module: hlo.Module) -> None:
        if self._arguments.verify_roundtrip:
            from sdykit.opt.hlo.roundtrip import check_roundtrip

            self._status("checking the round trip")
            check_roundtrip(module)

    def _transform(self, module: hlo.Module, reporter: Reporter) -> None:
        options = RunOptions(
            verify_each=self._arguments.verify_each,
            progress=lambda step: self._status(f"running '{step}'"),
            instrumentations=self._instrumentation.instrumentations,
            raised=self.raised,
        )
        with sent_to(reporter.emit):
            run_steps(module, self._steps, options, lambda: self._verify(module, reporter))

    def _printed(self, module: hlo.Module) -> bytes:
        self._status("printing the result")
        if self._mlir.is_asked_for:
            return self._mlir.printed(module)
        if self._arguments.print_async_aliasing:
            from sdykit.hlo.aliasing import analyse

            return f"{str(analyse(module)) or _NO_CHAINS}\n".encode()
        return self._text(module).encode()

    def _text(self, module: hlo.Module) -> str:
        return hlo.to_text(module, syntax_sugar=self._arguments.syntax_sugar_async_ops)

    def _dumped(self, module: object, _: bool) -> str:
        assert isinstance(module, hlo.Module)
        return self._text(module)


def _is_blank(piece: inputs.Piece) -> bool:
    return not piece.is_bytecode and _BLANK.fullmatch(piece.data.decode()) is not None


def _diagnostics(error: hlo.HloError) -> Sequence[Diagnostic]:
    if isinstance(error, VerificationError):
        return error.errors
    return (Diagnostic(Severity.ERROR, error.message, error.location),)


def _placed(diagnostic: Diagnostic) -> Diagnostic:
    """Move a location of MLIR that names no file from the place to the text of the location."""
    place = diagnostic.location
    notes = tuple(map(_placed, diagnostic.notes))
    if place is None or place.line > 0 or not place.file.startswith("loc("):
        return replace(diagnostic, notes=notes)
    return replace(diagnostic, notes=notes, location=None, location_text=place.file)
