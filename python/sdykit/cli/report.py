"""`sdykit report`: what a recorded training loop did, and what holds it up."""

from __future__ import annotations

import argparse
import sys

from sdykit.cli.command import Command
from sdykit.opt.process.guard import Status

_DESCRIPTION = """\
Reads a run, the folder that `with sdykit.sparsecore.record("run/"):` around a training loop wrote, and
prints where the time of a step went, limits against what was observed, memory, compilations, the
longest operations and gaps, and the bottlenecks that it finds, each with its figure, the threshold, and the
setting to change. With a second run, it prints what was changed between the two, and what that changed.
"""
_EXAMPLES = """\
  sdykit report run/
      in the terminal

  sdykit report run/ -o report.html
      a page that needs no other file

  sdykit report before/ after/ -o report.html
      what was changed, beside what that changed
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the folder of a run")
    parser.add_argument("other", metavar="RUN2", nargs="?", help="a second run to compare it with")
    parser.add_argument("-o", "--output", metavar="PAGE", help="write an HTML page, too")


def _run(arguments: argparse.Namespace, _: Status) -> int:
    from rich.console import Console

    from sdykit.opt.process import write_stdout
    from sdykit.sparsecore.files.whole import write_whole
    from sdykit.sparsecore.run import read_run
    from sdykit.viz.run_report import report_of, run_page, run_text

    report = report_of(read_run(arguments.run))
    other = None if arguments.other is None else report_of(read_run(arguments.other))
    if arguments.output is not None:
        write_whole(arguments.output, run_page(report, other).encode())
    # A file or pipe has no width: 80 columns, which rich assumes, would fold names.
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    with console.capture() as shown:
        for each in run_text(report, other):
            console.print(each)
    write_stdout(shown.get().encode(errors="backslashreplace"))
    return 0


COMMAND = Command(
    name="report",
    summary="show what a recorded training loop did, and what holds it up",
    description=_DESCRIPTION,
    examples=_EXAMPLES,
    configure=_configure,
    run=_run,
)
