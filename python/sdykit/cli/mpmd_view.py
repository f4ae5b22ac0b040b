"""`sdykit mpmd-view`: draws an MPMD program in an HTML page."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sdykit.cli.command import Command
from sdykit.errors import PassFailure
from sdykit.opt.process.guard import Status

if TYPE_CHECKING:
    from sdykit.core import Diagnostic
    from sdykit.opt.diagnostics.sources import Sources
    from sdykit.opt.io.inputs import Piece
    from sdykit.viz.mpmd_view.model import Program

_DESCRIPTION = """\
Draws an MPMD program: a lane for each mesh, fragments and transfers in program order, and on
hover the marks of the export passes (aliasing and donation, layouts, host memory, reserved
bytes) with types, shardings and local shapes. Takes programs before and after
-mpmd-export-pipeline. The page is one file that needs no network.
"""
_EXAMPLES = """\
  sdykit mpmd-view step.mlir -o step.html
      draw all functions of step.mlir that have a topology

  mpmd-opt step.mlir -mpmd-export-pipeline | sdykit mpmd-view - -o step.html
      export first, and see the marks of the passes
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
        programs = _programs(inputs.Piece(name, data), sources, status)
    except (ParseError, PassFailure):
        return 1  # The diagnostics have been printed.
    status("drawing the programs")
    page = mpmd_page(programs, Path(name).name)
    status("writing the output")
    outputs.write(arguments.output, page.encode(errors="backslashreplace"))
    return 0


def _programs(piece: Piece, sources: Sources, status: Status) -> list[Program]:
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
    with context, capture(context, report):
        return read_programs(cast(ModuleOp, root.op.opview))


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
