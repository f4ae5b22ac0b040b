"""`sdykit reduce`: finds a small module with which something still fails."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from sdykit.cli.command import Command
from sdykit.errors import SdykitError
from sdykit.opt.process.guard import INTERRUPTED, Status
from sdykit.plurals import counted

if TYPE_CHECKING:
    from sdykit.mlir import ir
    from sdykit.opt.reduce.failures import Test
    from sdykit.opt.reduce.search import Best, Search

_DESCRIPTION = """\
Removes functions, ops, regions, arguments and attributes from a module as long as something
still fails with it, and prints what is left, usually a few ops.

What must fail is a pipeline (--pass-pipeline, or the one in a reproducer of sdy-opt): with the
same error as on the input, numbers aside, or by the same crash; or, with --compare-with-cpp, the
same pass must differ from the C++ pass of its name; or, with --test, a command must end with an
exit code other than 0. Every candidate is verified, and tested in a process of its own.
"""
_EXAMPLES = """\
  sdykit reduce model.mlir --pass-pipeline='builtin.module(sdy-export-pipeline)' -o small.mlir
  sdykit reduce model.mlir --load-pass=mine.py --pass-pipeline='builtin.module(mine)'
      a pass of yours that fails or crashes

  sdykit reduce model.mlir --pass-pipeline='builtin.module(cse,mine)' --message='no mesh'
      any error that contains this text

  sdykit reduce crash.mlir
      a file of sdy-opt --mlir-pass-pipeline-crash-reproducer=crash.mlir

  sdykit reduce model.mlir --pass-pipeline='builtin.module(sdy-import-pipeline)' --compare-with-cpp
      a pass in Python that differs from the one in C++

  sdykit reduce model.mlir --test=./wrong.sh
      wrong.sh is called with a file, and ends with 0 unless it is of interest (as with mlir-reduce)

Ctrl-C ends it early; what has been found so far is written.
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="FILE", help="a module or reproducer; - for stdin")
    parser.add_argument("--pass-pipeline", metavar="PIPELINE", help="the pipeline that fails")
    parser.add_argument(
        "--load-pass",
        metavar="FILE.py",
        action="append",
        default=[],
        help="load the passes in a Python file of yours; may be repeated",
    )
    parser.add_argument("--message", metavar="TEXT", help="a text that an error must contain")
    parser.add_argument(
        "--verify-each", action="store_true", help="verify the module after every pass"
    )
    parser.add_argument(
        "--compare-with-cpp",
        action="store_true",
        help="a pass of the pipeline differs from the one in C++",
    )
    parser.add_argument(
        "--test",
        metavar="COMMAND",
        help="a command that is called with a file and must end with an exit code other than 0",
    )
    parser.add_argument(
        "--allow-unregistered-dialect", action="store_true", help="accept ops of unknown dialects"
    )
    parser.add_argument(
        "-j",
        "--jobs",
        type=int,
        metavar="N",
        help="candidates to test at a time; default: one per core",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="the maximum time of a candidate; default: 60",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="-",
        help="where to write the result, whole or not at all; default: stdout",
    )


def _run(arguments: argparse.Namespace, status: Status) -> int:
    from sdykit.mlir import make_context
    from sdykit.opt.io import inputs, outputs
    from sdykit.opt.reduce.failures import FINE
    from sdykit.opt.reduce.search import Search

    _check(arguments)
    outputs.check_writable(arguments.output)
    reads = [arguments.input, *arguments.load_pass]
    outputs.check_distinct({"the result": arguments.output}, reads)
    status("reading the input")
    name, data = inputs.read(arguments.input)
    test = _test(arguments, name, data)
    context = make_context(allow_unregistered_dialects=arguments.allow_unregistered_dialect)
    signals: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: signals.append(number))
    jobs = arguments.jobs or os.cpu_count() or 1
    search = Search(context, test, jobs, arguments.timeout, lambda: bool(signals))
    best = search.measured(_module_text(name, data, context))
    status("testing the input")
    wanted = search.behaviour(best.text)
    if wanted is None:
        raise SdykitError(
            f"{name}: the test takes more than {arguments.timeout:g} s on the input; raise --timeout"
        )
    if wanted == FINE:
        found = FINE if arguments.message is None else f"no error has '{arguments.message}' in it"
        raise SdykitError(f"{name}: nothing to reduce: {found} with this input")
    _say(f"{_size_of(best)}: {wanted}")
    status("reducing the module")
    return _reduce(search, best, wanted, arguments.output)


def _reduce(search: Search, best: Best, wanted: str, output: str) -> int:
    """Reduce, and write the smallest module at the end or when the user stops the search."""
    from sdykit.opt.io import outputs

    code = 0
    try:
        search.run(best, wanted, lambda title, best: _say(f"{_size_of(best)}: {title}"))
    except KeyboardInterrupt:
        code = INTERRUPTED
    except SdykitError:
        outputs.write(output, best.text)
        raise
    outputs.write(output, best.text)
    tried = counted(best.tried, "candidate")
    _say(f"{_size_of(best)} left after {tried}" + ("; interrupted" if code else ""))
    return code


def _check(arguments: argparse.Namespace) -> None:
    if arguments.test is not None:
        for flag in ("pass_pipeline", "message", "compare_with_cpp", "load_pass", "verify_each"):
            if getattr(arguments, flag):
                raise SdykitError(
                    f"--test and --{flag.replace('_', '-')} exclude each other; remove one of them"
                )
        if not _words(arguments.test):
            raise SdykitError("--test is empty; expected a command")
    if arguments.message is not None and arguments.compare_with_cpp:
        raise SdykitError("--message and --compare-with-cpp exclude each other; remove one of them")
    if arguments.jobs is not None and arguments.jobs < 1:
        raise SdykitError(f"--jobs is {arguments.jobs}; expected 1 or more")
    if not arguments.timeout > 0:  # Nor is nan.
        raise SdykitError(f"--timeout is {arguments.timeout:g}; expected more than 0")


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise SdykitError(f"--test is {command!r}; expected a command: {error}") from None


def _test(arguments: argparse.Namespace, name: str, data: bytes) -> Test:
    from sdykit.core import Registry
    from sdykit.core.plan import plan
    from sdykit.opt.cpp.passes import EXTRA_PASSES
    from sdykit.opt.io.inputs import InputError
    from sdykit.opt.mlir.reproducer import recipe_in
    from sdykit.opt.reduce.failures import ComparisonTest, PipelineTest, ScriptTest

    if arguments.test is not None:
        return ScriptTest(_words(arguments.test))
    registry, verify_each = Registry(), arguments.verify_each
    with redirect_stdout(sys.stderr):  # Output of a pass file is not part of the result.
        for file in arguments.load_pass:
            registry.load(file)
    pipeline = arguments.pass_pipeline
    if pipeline is None:
        try:
            recipe = recipe_in(name, data)
        except InputError:
            raise SdykitError(
                f"{name}: expected --pass-pipeline or --test, or a reproducer, which holds its"
                " pipeline"
            ) from None
        pipeline, verify_each = recipe.pipeline, verify_each or recipe.verify_each
    if arguments.compare_with_cpp:
        return ComparisonTest.of(pipeline, registry)
    plan(pipeline, registry, EXTRA_PASSES)
    return PipelineTest(pipeline, registry, verify_each, arguments.message)


def _module_text(name: str, data: bytes, context: ir.Context) -> bytes:
    """Read and verify the input; return it as text."""
    from sdykit.core import Diagnostic, Severity
    from sdykit.opt.io.foreign_inputs import hinting, not_mlir
    from sdykit.opt.io.inputs import Piece, text_problem
    from sdykit.opt.mlir.parsing import ParseError, parse
    from sdykit.opt.reduce.edits import text_of_module

    found: list[str] = []

    def keep(diagnostic: Diagnostic) -> None:
        if diagnostic.severity is Severity.ERROR:
            found.extend(map(str, (diagnostic, *diagnostic.notes)))

    problem = text_problem(name, data)
    if problem is not None:
        raise SdykitError(str(problem))
    try:
        root = parse(Piece(name, data), context, hinting(keep, not_mlir(data)))
    except ParseError:
        raise SdykitError("\n".join(found) or f"{name}: the input is not valid") from None
    return text_of_module(root.op)


def _size_of(best: Best) -> str:
    return f"{counted(best.size[1], 'op')}, {counted(len(best.text), 'byte')}"


def _say(text: str) -> None:
    sys.stderr.write(f"sdykit reduce: {text}\n")


COMMAND = Command(
    name="reduce",
    summary="find the smallest module with which a pass still fails",
    description=_DESCRIPTION,
    examples=_EXAMPLES,
    configure=_configure,
    run=_run,
)
