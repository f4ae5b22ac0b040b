"""A run of the driver over MLIR."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from sdykit.core import Registry, RunOptions, capture
from sdykit.core.frontend import warn_of_frontend_attributes
from sdykit.core.pipeline_text import parse_anchored
from sdykit.core.plan import Step
from sdykit.core.run import run_steps
from sdykit.errors import PassFailure
from sdykit.mlir import ir, make_context
from sdykit.opt import pipelines
from sdykit.opt.diagnostics.reporting import Reporter
from sdykit.opt.flags.arguments import Arguments, UsageError
from sdykit.opt.instrumentation import RunInstrumentation
from sdykit.opt.io import inputs, outputs
from sdykit.opt.io.foreign_inputs import hinting, not_mlir
from sdykit.opt.mlir.parsing import MODULE, Root, parse
from sdykit.opt.mlir.printing import bytecode_of, ir_printing, printer_for, text_of
from sdykit.opt.process.guard import IN_CPP, Status
from sdykit.opt.session import Session

if TYPE_CHECKING:
    from sdykit.opt.cpp.comparing import Comparison


class MlirSession(Session):
    """A run over MLIR; the pieces of the input share the context and the pipeline."""

    def __init__(self, arguments: Arguments, registry: Registry, status: Status) -> None:
        instrumentation = RunInstrumentation(arguments, ir_printing(arguments), arguments.report)
        super().__init__(arguments, instrumentation, status)
        self._arguments = arguments
        self._registry = registry
        self._pipeline = pipelines.requested(arguments, registry)
        self._verify_each = arguments.verify_each
        self._has_bug = False
        if arguments.run_reproducer and (arguments.passes or arguments.pass_pipeline is not None):
            raise UsageError("--run-reproducer: the input holds the pipeline; name no passes")
        self._planned: dict[str, tuple[Step, ...]] = {}
        self._comparisons: dict[str, Comparison] = {}
        self._context = make_context(
            allow_unregistered_dialects=arguments.allow_unregistered_dialect
        )

    def prepare(self) -> None:
        """Check the output files and the pipeline."""
        arguments = self._arguments
        self._check_files()
        if arguments.emit_bytecode:
            outputs.check_bytecode_target(arguments.o)
        if not (arguments.no_implicit_module or arguments.run_reproducer):
            steps = self._steps(MODULE)
            if arguments.compare_with_cpp:
                self._comparison(MODULE, steps)

    def run(self) -> bool:
        """Process the input; return whether it succeeded and all compared passes agree with C++."""
        succeeded = super().run()
        return succeeded and not any(each.differences for each in self._comparisons.values())

    def _check_files(self) -> None:
        arguments, read = self._arguments, self._arguments.load_pass
        if arguments.report == outputs.STDOUT:
            raise UsageError("'--report' is '-'; expected a file, as the result goes to stdout")
        beside = {
            "the report": arguments.report,
            "the reproducer": arguments.mlir_pass_pipeline_crash_reproducer,
        }
        for path in beside.values():
            if path is not None:
                outputs.check_writable(path)
        if arguments.mlir_pass_pipeline_crash_reproducer is not None:
            outputs.check_is_file(arguments.mlir_pass_pipeline_crash_reproducer, "the reproducer")
        # The result may replace the input unless something is left out of it.
        outputs.check_distinct(
            {"the output": arguments.o}, (*read, arguments.input) if self._loses_parts else read
        )
        outputs.check_distinct(beside, (*read, arguments.input))
        outputs.check_distinct({"the output": arguments.o} | beside)

    @property
    def _loses_parts(self) -> bool:
        """Whether flags leave something out of the printed result."""
        arguments = self._arguments
        limits = (
            arguments.mlir_elide_elementsattrs_if_larger,
            arguments.mlir_elide_resource_strings_if_larger,
        )
        return arguments.mlir_print_skip_regions or limits != (None, None)

    def pieces(self, name: str, data: bytes, reporter: Reporter) -> list[inputs.Piece]:
        """Cut the input into modules; raise if several would go into one file of bytecode."""
        if self._arguments.run_reproducer:
            from sdykit.opt.mlir.reproducer import recipe_in

            recipe = recipe_in(name, data)
            self._pipeline = parse_anchored(recipe.pipeline)
            self._verify_each |= recipe.verify_each
        pieces = super().pieces(name, data, reporter)
        if len(pieces) > 1 and self._arguments.emit_bytecode:
            raise outputs.OutputError(
                f"the input has {len(pieces)} modules, and bytecode holds one; "
                "leave out -emit-bytecode"
            )
        return pieces

    def hint(self, data: bytes) -> str | None:
        """Return a note on an input that is not MLIR; None if it may be."""
        return not_mlir(data)

    def process(self, piece: inputs.Piece, reporter: Reporter) -> bytes:
        """Parse, transform and print a module; return its text or bytecode."""
        with self._instrumentation.phase("Parser"):
            root = self._parse(piece, reporter)
        try:
            self._transform(root, reporter)
        except PassFailure:
            if self._has_bug:
                self._report_bug(piece)
            raise
        with self._instrumentation.phase("Output"), capture(self._context, reporter.emit):
            return self._printed(root)

    def _parse(self, piece: inputs.Piece, reporter: Reporter) -> Root:
        self._status("reading the bytecode" if piece.is_bytecode else "parsing the input")
        implicit = not self._arguments.no_implicit_module
        sink = hinting(reporter.emit, self.hint(piece.data))
        keep_vhlo = pipelines.begins_with(self._pipeline, "vhlo-")
        root = parse(piece, self._context, sink, implicit, keep_vhlo)
        if self._arguments.verify_roundtrip:
            from sdykit.opt.mlir.roundtrip import check_roundtrip

            self._status("checking the round trip")
            check_roundtrip(root, reporter.emit)
        return root

    def _transform(self, root: Root, reporter: Reporter) -> None:
        steps = self._steps(root.op.name)
        running = {
            step.text: f"running '{step.text}' {IN_CPP}" for step in steps if step.is_upstream
        }
        options = RunOptions(
            verify_each=self._verify_each,
            progress=lambda text: self._status(running.get(text, f"running '{text}'")),
            observer=self._instrumentation.observer(root.op),
            instrumentations=self._instrumentation.instrumentations,
            raised=self.raised,
        )
        with capture(self._context, reporter.emit), self._reproducer(root.op, steps):
            if self._arguments.compare_with_cpp:
                self._comparison(root.op.name, steps).run(root.op, options, reporter.emit)
            else:
                run_steps(root.op, steps, options)
            warn_of_frontend_attributes(root.op, steps)

    def raised(self, error: BaseException) -> None:
        """Note that a pass raised an exception, and whether the fault is ours."""
        from sdykit.opt.mlir.reproducer import is_ours

        super().raised(error)
        self._has_bug |= is_ours(error, self._arguments.load_pass)

    def _report_bug(self, piece: inputs.Piece) -> None:
        """Write a reproducer of a bug of ours: the module before the passes, and the pipeline."""
        from sdykit.opt.mlir.reproducer import write_report

        implicit = not self._arguments.no_implicit_module
        root = parse(piece, self._context, lambda _: None, implicit_module=implicit)
        write_report(self._reproducer_of(root.op, self._steps(root.op.name)))
        self._has_bug = False

    def _reproducer(
        self, root: ir.Operation, steps: tuple[Step, ...]
    ) -> AbstractContextManager[None]:
        """Return a context that writes a reproducer if its block fails, and the flag is set."""
        path = self._arguments.mlir_pass_pipeline_crash_reproducer
        if path is None:
            return nullcontext()
        from sdykit.opt.mlir.reproducer import kept_on_failure

        return kept_on_failure(Path(path), self._reproducer_of(root, steps))

    def _reproducer_of(self, root: ir.Operation, steps: tuple[Step, ...]) -> bytes:
        from sdykit.opt.mlir.reproducer import Recipe, reproducer

        recipe = Recipe(pipelines.dumped(steps, root.name), self._verify_each)
        flags = [f"--load-pass={file}" for file in self._arguments.load_pass]
        flags += ["--allow-unregistered-dialect"] * self._arguments.allow_unregistered_dialect
        return reproducer(root, recipe, flags)

    def _comparison(self, root: str, steps: tuple[Step, ...]) -> Comparison:
        if root not in self._comparisons:
            from sdykit.opt.cpp.comparing import Comparison

            printer = printer_for(self._arguments)
            self._comparisons[root] = Comparison(
                steps, root, lambda op: printer(op, False).rstrip() + "\n", self._status
            )
        return self._comparisons[root]

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
            return bytecode_of(root.op, arguments.emit_bytecode_version)
        return text_of(root.op, arguments)
