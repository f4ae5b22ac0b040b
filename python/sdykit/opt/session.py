"""One run of a driver: each piece of the input is parsed, transformed and printed."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from contextlib import redirect_stdout

from sdykit.core import Diagnostic, Severity
from sdykit.errors import PassFailure
from sdykit.opt.diagnostics.reporting import Reporter
from sdykit.opt.diagnostics.sources import Sources
from sdykit.opt.flags.arguments import CommonArguments
from sdykit.opt.instrumentation import RunInstrumentation
from sdykit.opt.io import inputs, outputs
from sdykit.opt.io.foreign_inputs import hinting
from sdykit.opt.mlir.parsing import ParseError
from sdykit.opt.process.guard import Status


class Session(ABC):
    """One run of a driver, whatever the language; each language has a subclass.

    It holds what the pieces of one input share.
    """

    def __init__(
        self, arguments: CommonArguments, instrumentation: RunInstrumentation, status: Status
    ) -> None:
        self._common = arguments
        self._instrumentation = instrumentation
        self._status = status
        self._sources = Sources()

    @abstractmethod
    def prepare(self) -> None:
        """Check the command line before the input is read; raise what is wrong with it."""

    @abstractmethod
    def hint(self, data: bytes) -> str | None:
        """Return a note on an input in another language; None if it may be in ours, with an error."""

    @abstractmethod
    def process(self, piece: inputs.Piece, reporter: Reporter) -> bytes:
        """Return the output for a piece.

        Raises:
            ParseError: the piece cannot be read.
            PassFailure: a pass or the verifier has failed.
            OutputError: the result cannot be printed.
        """

    def run(self) -> bool:
        """Process the input and write the output; return whether everything succeeded.

        Raises:
            SdykitError: the input cannot be read, the output cannot be written, or the
                pipeline is wrong.
        """
        arguments = self._common
        outputs.check_writable(arguments.o)
        self.prepare()
        self._status("reading the input")
        name, data = inputs.read(arguments.input)
        self._sources.add(name, data)
        reporter = Reporter(arguments, name, self._sources)
        # What a user's pass prints is not part of the result.
        with redirect_stdout(sys.stderr):
            texts = [self._guarded(piece, reporter) for piece in self.pieces(name, data, reporter)]
        succeeded = reporter.finish()
        if succeeded or arguments.o == outputs.STDOUT:
            self._status("writing the output")
            marker = os.fsencode(arguments.output_split_marker) + b"\n"
            outputs.write(arguments.o, marker.join(texts))
        self._instrumentation.finish()
        return succeeded

    def raised(self, error: BaseException) -> None:
        """Print the traceback of an exception that a pass raised, if `--traceback` is set."""
        if self._common.traceback:
            import traceback

            sys.stderr.writelines(traceback.format_exception(error))

    def pieces(self, name: str, data: bytes, reporter: Reporter) -> list[inputs.Piece]:
        """Cut the input into the pieces that are processed one by one."""
        marker = self._common.split_input_file
        problem = inputs.text_problem(name, data)
        if problem is not None:
            hinting(reporter.emit, self.hint(data))(problem)
            return []
        for warning in inputs.near_misses(name, data, marker):
            reporter.emit(warning)
        return inputs.split(name, data, marker)

    def _guarded(self, piece: inputs.Piece, reporter: Reporter) -> bytes:
        """Return the output for a piece; it is empty if parsing or a pass fails."""
        errors = reporter.errors
        try:
            return self.process(piece, reporter)
        except (ParseError, PassFailure, outputs.OutputError) as failure:
            if reporter.errors == errors:
                # A pass may fail without a diagnostic, and the user must see one.
                reporter.emit(Diagnostic(Severity.ERROR, str(failure), None))
            return b""
