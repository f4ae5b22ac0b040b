"""`sdykit mpmd-view`: draws an MPMD program in an HTML page."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sdykit.cli._argument_types import at_least
from sdykit.cli.command import Command
from sdykit.errors import PassFailure
from sdykit.opt.process.guard import Status

if TYPE_CHECKING:
    from sdykit.core import Diagnostic
    from sdykit.mlir import ModuleOp
    from sdykit.opt.diagnostics.sources import Sources
    from sdykit.opt.io.inputs import Piece
    from sdykit.viz.mpmd_view.model import Program

_RUNS = 3
_DESCRIPTION = """\
Draws an MPMD program: a lane for each mesh, fragments and transfers in program order, and on
hover the marks of the export passes (aliasing and donation, layouts, host memory, reserved
bytes) with types, shardings and local shapes. Takes programs before and after
-mpmd-export-pipeline. The page is one file that needs no network.

With --run, the program is exported if it is not yet, compiled for simulated CPU devices, run on
random inputs, and also drawn as it ran.
"""
_EXAMPLES = """\
  sdykit mpmd-view step.mlir -o step.html
      draw all functions of step.mlir that have a topology

  mpmd-opt step.mlir -mpmd-export-pipeline | sdykit mpmd-view - -o step.html
      export first, and see the marks of the passes

  sdykit mpmd-view step.mlir -o step.html --run
      run it on CPU devices, as many as its meshes have, and see when each fragment ran
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="MLIR, text or bytecode; - for stdin")
    parser.add_argument(
        "-o",
        "--output",
        metavar="PAGE",
        required=True,
        help="the HTML file to write, whole or not at all; - for stdout",
    )
    parser.add_argument(
        "--run",
        metavar="N",
        nargs="?",
        type=at_least(1),
        const=_RUNS,
        help=f"run the first public function N times (default: {_RUNS}), and draw the last run",
    )


def _run(arguments: argparse.Namespace, status: Status) -> int:
    from sdykit.opt.diagnostics.sources import Sources
    from sdykit.opt.io import inputs, outputs
    from sdykit.opt.mlir.parsing import ParseError
    from sdykit.viz.mpmd_view import mpmd_page

    outputs.check_writable(arguments.output)
    outputs.check_distinct({"the page": arguments.output}, [arguments.file])
    status("reading the input")
    name, data = inputs.read(arguments.file)
    sources = Sources()
    sources.add(name, data)
    problem = inputs.text_problem(name, data)
    if problem is not None:
        _report(problem, sources)
        return 1
    try:
        programs = _programs(inputs.Piece(name, data), sources, status, arguments.run)
    except (ParseError, PassFailure):
        return 1  # The diagnostics have been printed.
    status("drawing the programs")
    page = mpmd_page(programs, Path(name).name)
    status("writing the output")
    outputs.write(arguments.output, page.encode(errors="backslashreplace"))
    return 0


def _programs(piece: Piece, sources: Sources, status: Status, runs: int | None) -> list[Program]:
    from sdykit.core import capture
    from sdykit.mlir import ModuleOp, make_context
    from sdykit.opt.io.foreign_inputs import hinting, not_mlir
    from sdykit.opt.mlir.parsing import parse
    from sdykit.viz.mpmd_view import read_programs

    def report(diagnostic: Diagnostic) -> None:
        _report(diagnostic, sources)

    context = make_context(allow_unregistered_dialects=True)
    status("reading the bytecode" if piece.is_bytecode else "parsing the input")
    root = parse(piece, context, hinting(report, not_mlir(piece.data)))
    status("following the values")
    module = cast(ModuleOp, root.op.opview)
    with context, capture(context, report):
        programs = read_programs(module)
    return programs if runs is None else _ran(module, programs, status, runs)


def _ran(module: ModuleOp, programs: Sequence[Program], status: Status, runs: int) -> list[Program]:
    """Run the first public function, and return the programs of the exported module."""
    from sdykit.mlir import ir
    from sdykit.mpmd.execution.sample import run_sample
    from sdykit.viz.mpmd_view import read_programs
    from sdykit.viz.mpmd_view.times import with_times

    function = next((each for each in programs if each.public), programs[0]).name
    status("compiling and running the program")
    bytecode = io.BytesIO()  # It keeps locations; the text would have places of its own.
    module.operation.write_bytecode(bytecode)
    copy = ir.Module.parse(bytecode.getvalue(), module.context)
    executable, spans = run_sample(copy, function, runs)
    exported = executable.module
    with exported.context:
        found = read_programs(cast("ModuleOp", exported.operation.opview))
    return with_times(found, function, spans)


def _report(diagnostic: Diagnostic, sources: Sources) -> None:
    from sdykit.opt.diagnostics.rendering import render
    from sdykit.opt.diagnostics.verify_diagnostics import CURRENT_OP

    # The excerpt shows the op; MLIR would print a whole fragment after it.
    notes = [note for note in diagnostic.notes if not note.message.startswith(CURRENT_OP)]
    sys.stderr.write(render(replace(diagnostic, notes=tuple(notes)), sources))


COMMAND = Command(
    name="mpmd-view",
    summary="draw an MPMD program: meshes as lanes, fragments, transfers",
    description=_DESCRIPTION,
    examples=_EXAMPLES,
    configure=_configure,
    run=_run,
)
