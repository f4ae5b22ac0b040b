"""`sdykit spmd`: run a partitioned program on simulated devices; compare it with the whole program."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sdykit.cli.command import Command
from sdykit.errors import SdykitError
from sdykit.opt.process.guard import Status
from sdykit.plurals import counted

if TYPE_CHECKING:
    import numpy as np

    from sdykit.core.diagnostics import Diagnostic
    from sdykit.spmd.partitioning import Partitioned

_DESCRIPTION = """\
Runs a partitioned program: each device of its mesh computes its parts of the tensors, with the
collectives in the program, on CPU devices simulated in this process.
  run    prints the results, put together, or writes them to a file
  check  compares them with those of the program without shardings
PROGRAM is a module, in text or bytecode (- for stdin), or FILE.py:FUNCTION, a JAX function that is
lowered with what the file's `example_arguments()` returns, or with --shapes. A program without collectives is
propagated first, and gets them. docs/spmd.md has more.
"""
_EXAMPLES = """\
  sdykit spmd run step.mlir
      on random inputs: the range of each result

  sdykit spmd run step.mlir --inputs=in.npz -o out.npz
      arrays arg0, arg1, ... in, result0, result1, ... out, all of their global shapes

  sdykit spmd check train.py:step --mesh=data=4,model=2
      does the function compute the same on eight devices?

  sdy-opt step.mlir -my-pass | sdykit spmd check - --collectives=implicit --bisect
      is what a pass leaves right, and which op is the first that is not?

exit codes: 0 done; 1 the program cannot be run, or devices compute something else
"""
_FOR_CHECK = ("bisect", "tolerance")


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", choices=("run", "check"), help="what to do")
    parser.add_argument("program", metavar="PROGRAM", help="a module, or FILE.py:FUNCTION")
    parser.add_argument("--inputs", metavar="FILE", help="an npz file; default: random inputs")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of random inputs (0)")
    parser.add_argument("--function", metavar="NAME", help="the function to run (main)")
    parser.add_argument("--mesh", metavar="AXES", help="the mesh of a JAX function: data=4,model=2")
    parser.add_argument(
        "--shapes",
        metavar="SHAPES",
        help="the arguments of a JAX function, such as 'f32[32,16] s32[8]'",
    )
    parser.add_argument(
        "--collectives",
        choices=("explicit", "implicit", "insert"),
        help="explicit: those in the program, as it stands; implicit: whatever its shardings need;"
        " insert: our passes insert them first (default: explicit if it has any, else insert)",
    )
    parser.add_argument("-o", dest="output", metavar="FILE", help="run: write the results (npz)")
    parser.add_argument("--local", metavar="FILE", help="write the program of one device")
    parser.add_argument(
        "--bisect", action="store_true", help="check: name the first op that differs"
    )
    parser.add_argument(
        "--tolerance",
        metavar="X",
        type=float,
        help="check: by how much floats may differ, relative to the largest (root of the precision)",
    )


def _run(arguments: argparse.Namespace, status: Status) -> int:
    from sdykit.opt.io import outputs
    from sdykit.opt.process import lazy_numpy

    _check_options(arguments)
    written = {"-o": arguments.output, "--local": arguments.local}
    for path in filter(None, written.values()):
        outputs.check_writable(path)
    outputs.check_distinct(written, (arguments.program, arguments.inputs))
    lazy_numpy.load()
    module, name = _module(arguments, status)
    task = _check if arguments.task == "check" else _results
    try:
        with _told_once(name):
            return task(module, arguments, status, name)
    except SdykitError as error:
        raise SdykitError(_named(str(error), name).removeprefix("error: ")) from None


def _check_options(arguments: argparse.Namespace) -> None:
    if arguments.task == "check" and arguments.output is not None:
        raise SdykitError("-o is for `sdykit spmd run`; expected no output of check")
    if arguments.task == "run":
        for name in _FOR_CHECK:
            value = getattr(arguments, name)
            if value is not None and value is not False:
                raise SdykitError(f"--{name} is for `sdykit spmd check`, found it with run")


def _module(arguments: argparse.Namespace, status: Status) -> tuple[Any, str]:
    """Return the module of a program, and the name of its file."""
    from sdykit.cli._explain_shardings import function_in

    found = function_in(arguments.program)
    if found is not None:
        return _lowered(*found, arguments, status), arguments.program
    for each in ("mesh", "shapes"):
        if getattr(arguments, each) is not None:
            raise SdykitError(
                f"--{each} is for functions, FILE.py:FUNCTION; found {arguments.program!r}"
            )
    from sdykit.core import read_module
    from sdykit.mlir import make_context
    from sdykit.opt.io import inputs

    status(f"reading {arguments.program}")
    name, data = inputs.read(arguments.program)
    problem = inputs.text_problem(name, data)
    if problem is not None:
        raise SdykitError(str(problem))
    try:
        return read_module(data, make_context()), name
    except SdykitError as error:
        raise SdykitError(_named(str(error), name)) from None


def _lowered(path: str, name: str, arguments: argparse.Namespace, status: Status) -> str:
    from sdykit.bridge import user_files
    from sdykit.bridge.from_jax import lower

    status("running the file")
    file = user_files.read_file(path)
    function = user_files.function_of(file, name, path)
    if arguments.shapes is not None:
        given: Any = user_files.shapes_of(arguments.shapes)
    else:
        given = user_files.arguments_of(file, function, path)
    on = None if arguments.mesh is None else user_files.mesh_of(arguments.mesh)
    status(f"lowering {name}")
    return user_files.at_lines_of(path, lambda: lower(function, *given, mesh=on, debuginfo=True))


def _results(module: Any, arguments: argparse.Namespace, status: Status, name: str) -> int:
    from sdykit import spmd
    from sdykit.opt.io import outputs
    from sdykit.opt.process import write_stdout
    from sdykit.spmd.files import results_npz

    program = _partitioned(module, arguments, status, name)
    status("running the program on its devices")
    results = spmd.run_partitioned(program, _inputs(program, arguments))
    status("writing the output")
    if arguments.output is not None:
        outputs.write(arguments.output, results_npz(results))
    else:
        lines = [f"{counted(program.devices, 'device')}\n"]
        lines += [_described(number, each) for number, each in enumerate(results)]
        write_stdout("".join(lines).encode())
    return 0


def _check(module: Any, arguments: argparse.Namespace, status: Status, name: str) -> int:
    from sdykit import spmd
    from sdykit.opt.process import write_stdout

    program = _partitioned(module, arguments, status, name)
    status("running the program on its devices, and on one")
    found = spmd.check(
        module,
        _inputs(program, arguments),
        arguments.function,
        collectives=arguments.collectives,
        bisect=arguments.bisect,
        tolerance=arguments.tolerance,
    )
    write_stdout(f"{_named(str(found), name)}\n".encode())
    return 0 if found.is_equal else 1


def _partitioned(
    module: Any, arguments: argparse.Namespace, status: Status, name: str
) -> Partitioned:
    """Return the program of one device; print what it notes, and write it if asked."""
    from sdykit import spmd
    from sdykit.opt.io import outputs

    status("making the program of one device")
    program = spmd.partition(module, arguments.function, collectives=arguments.collectives)
    _print_notes(program.notes, name)
    if arguments.local is not None:
        outputs.write(arguments.local, program.text.encode())
    return program


@contextmanager
def _told_once(name: str) -> Iterator[None]:
    """Print each warning of the passes once, though they run for each program that is compared."""
    from sdykit.core.diagnostics import sent_to

    printed: set[str] = set()

    def show(diagnostic: Diagnostic) -> None:
        if str(diagnostic) not in printed:
            printed.add(str(diagnostic))
            _print_notes((diagnostic, *diagnostic.notes), name)

    with sent_to(show):
        yield


def _print_notes(notes: tuple[Diagnostic, ...], name: str) -> None:
    import sys

    for note in notes:
        sys.stderr.write(f"{_named(str(note), name)}\n")


def _inputs(program: Partitioned, arguments: argparse.Namespace) -> list[np.ndarray]:
    from sdykit import spmd
    from sdykit.spmd.files import read_inputs

    if arguments.inputs is None:
        return spmd.random_inputs(program, arguments.seed)
    return read_inputs(arguments.inputs, program)


def _described(number: int, array: np.ndarray) -> str:
    """Return a line about a result: its dtype and shape, its range and its mean."""
    import numpy as np

    shape = ", ".join(map(str, array.shape))
    line = f"result #{number}  {array.dtype}[{shape}]"
    if not array.size or array.dtype.kind == "c":
        return f"{line}\n"
    wide = array.astype(np.float64)
    if array.size == 1:
        return f"{line}  {float(wide.reshape(())):.6g}\n"
    return f"{line}  from {wide.min():.6g} to {wide.max():.6g}, mean {wide.mean():.6g}\n"


def _named(text: str, name: str) -> str:
    """Return a text with the name of the file, where MLIR has `-` for a text without one."""
    return "\n".join(
        f"{name}{line[1:]}" if line.startswith("-:") else line.replace('"-":', f"{name}:")
        for line in text.split("\n")
    )


COMMAND = Command(
    name="spmd",
    summary="run a partitioned program on simulated devices, or check it",
    description=_DESCRIPTION,
    examples=_EXAMPLES,
    configure=_configure,
    run=_run,
)
