"""The part of `sdykit explain` that is about shardings of a program."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdykit.errors import SdykitError
from sdykit.opt.process.guard import Status

if TYPE_CHECKING:
    from sdykit.explain import Explanation
    from sdykit.explain.model import Tensor

_FUNCTION = re.compile(r"(.+\.py):(\w+)")
_PROGRAMS = (".mlir", ".mlirbc", ".bc", ".stablehlo")
_QUESTIONS = ("value", "op", "line")
_OPTIONS = (
    *_QUESTIONS,
    *(
        "axis",
        "against",
        "golden",
        "json",
        "html",
        "mesh",
        "to",
        "bandwidth",
        "compiled",
        "conservative",
    ),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options about shardings to a parser."""
    group = parser.add_argument_group("shardings of a program")
    asked = group.add_mutually_exclusive_group()
    asked.add_argument(
        "--value", metavar="NAME", help="why this value is sharded so: %%12, %%5#1, params['up']"
    )
    asked.add_argument("--op", metavar="NAME", help="the results of all ops of a name: dot_general")
    asked.add_argument("--line", metavar="LINE", help="the values of a line: 40, or model.py:40")
    asked.add_argument(
        "--against",
        metavar="PROGRAM",
        help="what is sharded otherwise than in this program, or communicated, and why",
    )
    asked.add_argument(
        "--golden",
        metavar="FILE",
        help="compare all shardings, or collectives, with a golden file; differences exit with 1",
    )
    group.add_argument("--update", action="store_true", help="write the golden file instead")
    group.add_argument("--axis", metavar="AXIS", help="only what is about this axis of the mesh")
    group.add_argument(
        "--mesh",
        metavar="AXES",
        help="the mesh for the PartitionSpecs of a JAX function: data=4,model=2",
    )
    group.add_argument(
        "--shapes",
        metavar="SHAPES",
        help="the arguments of a JAX function, such as 'f32[32,16] s32[8]'",
    )
    group.add_argument(
        "--to",
        choices=("propagation", "collectives"),
        help="collectives: what the partitioned program communicates, how much and why",
    )
    group.add_argument(
        "--bandwidth",
        metavar="AXES",
        help="bytes a second along each axis, for times of collectives: data=100GB/s,model=1TB/s",
    )
    group.add_argument(
        "--compiled",
        action="store_true",
        default=None,
        help="compile the program with XLA, too, for CPU devices, and tell how its collectives differ",
    )
    group.add_argument(
        "--conservative",
        action="store_true",
        default=None,
        help="propagate nothing that splits an axis, as conservative-propagation does",
    )
    group.add_argument("--json", metavar="FILE", help="write all steps and refusals to a file")
    group.add_argument("--html", metavar="FILE", help="write a page to look at in a browser")


def is_asked(arguments: argparse.Namespace) -> bool:
    """Return whether a command line is about shardings: it names a program, or an option about them."""
    if any(getattr(arguments, each) is not None for each in _OPTIONS):
        return True
    words = arguments.words
    return bool(words) and all(map(_is_program, words))


def _is_program(word: str) -> bool:
    is_named_so = bool(_FUNCTION.fullmatch(word)) or word.endswith(_PROGRAMS)
    return is_named_so or Path(word).is_file()


def function_in(word: str) -> tuple[str, str] | None:
    """Return the file and the function of FILE.py:FUNCTION; None for another word."""
    match = _FUNCTION.fullmatch(word)
    return None if match is None else (match[1], match[2])


def run(arguments: argparse.Namespace, status: Status) -> int:
    """Do the work of a command line about shardings, and return the exit code."""
    from sdykit.opt.io import outputs
    from sdykit.opt.process import write_stdout

    if len(arguments.words) != 1:
        found = " ".join(arguments.words) or "nothing"
        raise SdykitError(f"found {found!r}; expected one program: FILE or FILE.py:FUNCTION")
    (word,) = arguments.words
    files = {f"--{name}": getattr(arguments, name) for name in ("json", "html")}
    written = {name: path for name, path in files.items() if path is not None}
    for path in written.values():
        outputs.check_writable(path)
    _check_golden(arguments)
    match = _FUNCTION.fullmatch(word)
    if arguments.update:
        outputs.check_writable(arguments.golden)
        written["--golden"] = arguments.golden
    outputs.check_distinct(written, (match[1] if match else word,))
    wanted = _wanted(arguments)
    explanation = _explanation(word, arguments, status, wanted)
    status("answering")
    is_golden = arguments.golden is not None
    answer = (
        _golden(explanation, arguments) if is_golden else _answer(explanation, arguments, status)
    )
    status("writing the output")
    if arguments.json is not None:
        from sdykit.explain import json_text

        outputs.write(arguments.json, json_text(explanation).encode())
    if arguments.html is not None:
        from sdykit.explain.page import page

        outputs.write(arguments.html, page(explanation).encode())
    write_stdout(answer.encode())
    return 1 if is_golden and answer else 0


def _check_golden(arguments: argparse.Namespace) -> None:
    """Check what --golden goes with."""
    if arguments.golden is None:
        if arguments.update:
            raise SdykitError("--update is for --golden=FILE, which is not given")
    elif arguments.axis is not None:
        raise SdykitError("--golden compares along all axes; leave out --axis")


def _wanted(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of `explain` that say how shardings propagate, and what else is to be found."""
    given = [each for each in ("bandwidth", "compiled") if getattr(arguments, each)]
    propagation = {"conservative": bool(arguments.conservative)}
    if arguments.to != "collectives":
        if given:
            raise SdykitError(f"--{given[0]} is about collectives; expected also --to=collectives")
        return propagation
    for each in ("against", "golden"):
        if getattr(arguments, each) is not None and arguments.compiled:
            raise SdykitError(f"--{each} is not about XLA's program; leave out --compiled")
    from sdykit.explain.costs.bandwidths import read_bandwidths

    text = arguments.bandwidth
    bandwidth = None if text is None else read_bandwidths(text)
    of_costs = {"to": "collectives", "bandwidth": bandwidth, "compiled": bool(arguments.compiled)}
    return propagation | of_costs


def _golden(explanation: Explanation, arguments: argparse.Namespace) -> str:
    """Return how a program differs from a golden file; or write the file, and return nothing."""
    from sdykit.explain.golden import compare_with_file, golden_text
    from sdykit.opt.io import outputs

    if arguments.update:
        outputs.write(arguments.golden, golden_text(explanation).encode())
        return ""
    return compare_with_file(explanation, Path(arguments.golden))


def _answer(explanation: Explanation, arguments: argparse.Namespace, status: Status) -> str:
    from sdykit.explain.answers import about_tensors, differences, summary
    from sdykit.explain.questions import Index
    from sdykit.explain.selection import check_axis

    if arguments.axis is not None:
        check_axis(explanation, arguments.axis)
    if arguments.against is not None:
        wanted = _wanted(arguments)
        other = _explanation(arguments.against, arguments, status, wanted)
        if explanation.costs is not None:
            from sdykit.explain.costs.differing import collective_differences

            return collective_differences(other, explanation, arguments.axis)
        return differences(other, explanation, arguments.axis)
    tensors = _asked(explanation, arguments)
    if explanation.costs is not None:
        from sdykit.explain.costs.answers import compiled_text, costs_text

        answer = costs_text(Index(explanation), arguments.axis, tensors)
        return answer if explanation.costs.compiled is None else answer + compiled_text(explanation)
    if tensors is None:
        return summary(Index(explanation), arguments.axis)
    return about_tensors(Index(explanation), tensors, arguments.axis)


def _asked(explanation: Explanation, arguments: argparse.Namespace) -> list[Tensor] | None:
    """Return the tensors that a question is about; None: there is no question."""
    from sdykit.explain import selection

    if arguments.value is not None:
        return selection.tensors_named(explanation, arguments.value)
    if arguments.op is not None:
        return selection.tensors_of_ops(explanation, arguments.op)
    if arguments.line is not None:
        return selection.tensors_at(explanation, arguments.line)
    return None


def _explanation(
    word: str, arguments: argparse.Namespace, status: Status, wanted: dict[str, Any]
) -> Explanation:
    match = _FUNCTION.fullmatch(word)
    if match is not None:
        return _of_function(match[1], match[2], arguments, status, wanted)
    if word.endswith(".py"):
        raise SdykitError(f"found {word!r}; expected also the function: {word}:FUNCTION")
    for each in ("mesh", "shapes"):
        if getattr(arguments, each) is not None:
            raise SdykitError(f"--{each} is for functions, FILE.py:FUNCTION; found {word!r}")
    from sdykit.explain import explain_text
    from sdykit.opt.io import inputs

    status(f"reading {word}")
    name, data = inputs.read(word)
    problem = inputs.text_problem(name, data)
    if problem is not None:
        raise SdykitError(str(problem))
    status(f"propagating the shardings of {word}")
    try:
        return explain_text(data, name, **wanted)
    except SdykitError as error:
        # MLIR calls a text without a file "-".
        raise SdykitError(str(error).replace('"-":', f"{name}:")) from None


def _of_function(
    path: str, name: str, arguments: argparse.Namespace, status: Status, wanted: dict[str, Any]
) -> Explanation:
    # Nothing runs, so devices of this machine are not asked for.
    os.environ["JAX_PLATFORMS"] = "cpu"
    from sdykit.opt.process import lazy_numpy

    lazy_numpy.load()
    from sdykit.bridge import user_files
    from sdykit.explain import explain

    status("running the file")
    module = user_files.read_file(path)
    function = user_files.function_of(module, name, path)
    if arguments.shapes is not None:
        given: Any = user_files.shapes_of(arguments.shapes)
    else:
        given = user_files.arguments_of(module, function, path)
    mesh = arguments.mesh
    status(f"propagating the shardings of {name}")
    return user_files.at_lines_of(
        path,
        lambda: explain(
            function,
            *given,
            mesh=None if mesh is None else user_files.mesh_of(mesh),
            **wanted,
        ),
    )
