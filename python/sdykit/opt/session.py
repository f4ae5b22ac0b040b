"""One run of the driver: each piece of the input is parsed, transformed and printed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from sdykit.core import Diagnostic, Registry, RunOptions, Severity, capture
from sdykit.core.plan import Step
from sdykit.core.run import run_steps
from sdykit.errors import PassFailure
from sdykit.mlir import make_context
from sdykit.opt import inputs, outputs, pipelines
from sdykit.opt.arguments import Arguments
from sdykit.opt.parsing import MODULE, ParseError, Root, parse
from sdykit.opt.reporting import Reporter
from sdykit.opt.sources import Sources
from sdykit.opt.watching import Watcher

Status = Callable[[str], None]
"""Told what is being done, for the message if the process dies of it."""


class Session:
    """Holds what the pieces of one input share."""

    def __init__(self, arguments: Arguments, registry: Registry, status: Status) -> None:
        self._arguments = arguments
        self._registry = registry
        self._status = status
        self._pipeline = pipelines.requested(arguments, registry)
        self._planned: dict[str, tuple[Step, ...]] = {}
        self._context = make_context(
            allow_unregistered_dialects=arguments.allow_unregistered_dialect
        )
        self._watcher = Watcher(arguments)
        self._sources = Sources()

    def run(self) -> bool:
        """Process the input and write the output; tell whether all went well.

        Raises:
            SdykitError: the input cannot be read, the output cannot be written, or the
                pipeline is wrong.
        """
        arguments = self._arguments
        for path in (arguments.o, arguments.report):
            if path is not None:
                outputs.check_writable(path)
        if arguments.emit_bytecode:
            outputs.check_bytecode_target(arguments.o)
        if not arguments.no_implicit_module:
            self._steps(MODULE)  # A wrong pipeline is reported before the input is read.
        self._status("reading the input")
        name, data = inputs.read(arguments.input)
        self._sources.add(name, data)
        reporter = Reporter(arguments, name, self._sources)
        texts = [self._process(piece, reporter) for piece in self._pieces(name, data, reporter)]
        succeeded = reporter.finish()
        if succeeded or arguments.o == outputs.STDOUT:
            self._status("writing the output")
            marker = os.fsencode(arguments.output_split_marker) + b"\n"
            outputs.write(arguments.o, marker.join(texts))
        self._watcher.finish()
        return succeeded

    def _pieces(self, name: str, data: bytes, reporter: Reporter) -> list[inputs.Piece]:
        marker = self._arguments.split_input_file
        problem = inputs.text_problem(name, data)
        if problem is not None:
            reporter.emit(problem)
            return []
        for warning in inputs.near_misses(name, data, marker):
            reporter.emit(warning)
        pieces = inputs.split(name, data, marker)
        if len(pieces) > 1 and self._arguments.emit_bytecode:
            raise outputs.OutputError("several pieces of input cannot be written as bytecode")
        return pieces

    def _process(self, piece: inputs.Piece, reporter: Reporter) -> bytes:
        """Give the output for a piece; nothing if it or a pass fails."""
        errors = reporter.errors
        try:
            with self._watcher.phase("Parser"):
                root = self._parse(piece, reporter)
            self._transform(root, reporter)
            with self._watcher.phase("Output"), capture(self._context, reporter.emit):
                return self._printed(root)
        except (ParseError, PassFailure, outputs.OutputError) as failure:
            if reporter.errors == errors:
                # A pass may fail without a word; the user must not be left without one.
                reporter.emit(Diagnostic(Severity.ERROR, str(failure), None))
            return b""

    def _parse(self, piece: inputs.Piece, reporter: Reporter) -> Root:
        self._status("reading the bytecode" if piece.is_bytecode else "parsing the input")
        implicit = not self._arguments.no_implicit_module
        root = parse(piece, self._context, reporter.emit, implicit_module=implicit)
        if self._arguments.verify_roundtrip:
            from sdykit.opt.roundtrip import check_roundtrip

            self._status("checking the round trip")
            check_roundtrip(root, reporter.emit)
        return root

    def _transform(self, root: Root, reporter: Reporter) -> None:
        steps = self._steps(root.op.name)
        options = RunOptions(
            verify_each=self._arguments.verify_each,
            progress=lambda step: self._status(f"running '{step}'"),
            observer=self._watcher.observer(root.op),
            instrumentations=self._watcher.instrumentations,
        )
        with capture(self._context, reporter.emit):
            run_steps(root.op, steps, options)

    def _steps(self, root: str) -> tuple[Step, ...]:
        if root not in self._planned:
            self._planned[root] = pipelines.planned(self._pipeline, root, self._registry)
            if self._arguments.dump_pass_pipeline:
                sys.stderr.write(pipelines.dumped(self._planned[root], root) + "\n")
        return self._planned[root]

    def _printed(self, root: Root) -> bytes:
        self._status("printing the result")
        arguments = self._arguments
        if arguments.emit_bytecode:
            return outputs.bytecode_of(root.op, arguments.emit_bytecode_version)
        return outputs.text_of(root.op, arguments)
