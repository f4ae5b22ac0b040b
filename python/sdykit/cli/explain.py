"""`sdykit explain`: why a tensor is sharded as it is; what a setting does; what an error means."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sdykit.cli import _explain_shardings
from sdykit.cli.command import Command
from sdykit.opt.process.guard import Status

if TYPE_CHECKING:
    from sdykit.sparsecore.explain import ErrorText, Explained

_WIDTH = 100
_USAGE = 2
_DESCRIPTION = """\
Explains the shardings of a program: runs Shardy's propagation on it, and tells what stands in the
way of axes, why a tensor is sharded as it is, and why not otherwise, with your source lines; or
what the partitioned program communicates. Takes
  FILE           a module, in text or bytecode; - with one of the options below: stdin
  FILE:FUNCTION  a Python file and a function, lowered with what its `example_arguments()` returns,
                 or with --shapes
or explains the SparseCores' settings (fields of SparsecoreConfig, arguments of configure(), flags
in XLA_FLAGS, LIBTPU_INIT_ARGS and SDYKIT_FLAGS) and errors. Takes
  a setting    prints its default, values and effect, and the errors that it has to do with
  an error     its name, or its text as a program printed it: prints what it means, what to do
  -            a text on stdin, such as the output of a program: all errors that are found in it
  nothing      lists all settings and errors
Names of flags need no dashes; with dashes they stand after `--`. The same texts are in
docs/flags.md and docs/errors.md; docs/explain.md is about shardings.
"""
_EXAMPLES = """\
  sdykit explain step.mlir
      what stands in the way of axes, and which large tensors have copies

  sdykit explain step.mlir --value=%12
  sdykit explain step.mlir --line=model.py:40 --axis=model
      why a tensor is sharded so, and why not otherwise; only the axis `model`

  sdykit explain train.py:step --mesh=data=4,model=2 --html=step.html
      a JAX function, on a mesh that need not exist; all of it as a page, to look at in a browser

  sdykit explain new.mlir --against=old.mlir
      which tensors are sharded otherwise, and why

  sdykit explain train.py:step --mesh=data=4,model=2 --to=collectives
  sdykit explain step.mlir --to=collectives --bandwidth=data=50GB/s,model=400GB/s --compiled
      what the partitioned program communicates, how much and why; with times, and beside XLA's own

  sdykit explain train.py:step --mesh=data=4,model=2 --golden=step.golden
      for your CI: fails if a sharding differs from the file, which --update writes

  sdykit explain
      all settings and errors, a line for each

  sdykit explain xla_sc_detect_nan
  sdykit explain -- --xla_sc_detect_nan=true
      a flag: its default, its values, what it does here

  sdykit explain 'Fixed size allocations (1245184 bytes) do not fit in TileSpmem (524288 bytes)'
  sdykit explain spmem-allocations
      an error, by its text (in quotes, because of the parentheses) or by its name

  python train.py 2>&1 | tail -50 | sdykit explain -
      the errors that a program ended with

exit codes: 0 explained; 1 the program cannot be read or propagated, or differs from --golden;
2 there is no such setting or error: the nearest names are printed
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        metavar="WORD",
        nargs="*",
        help="a program; a setting, an error, the text of an error, or - for stdin; none: list all",
    )
    _explain_shardings.configure(parser)


def _run(arguments: argparse.Namespace, status: Status) -> int:
    from sdykit.opt.process import write_stdout

    if _explain_shardings.is_asked(arguments):
        return _explain_shardings.run(arguments, status)
    status("explaining")
    text = " ".join(arguments.words).strip()
    if text == "-":
        text = sys.stdin.buffer.read().decode(errors="replace").strip()
    elif not text:
        write_stdout("".join(_all()).encode())
        return 0
    found = _explanations(text)
    if not found:
        sys.stderr.write(f"sdykit explain: error: {_unknown(text)}\n")
        return _USAGE
    write_stdout("\n".join(found).encode())
    return 0


def _explanations(text: str) -> list[str]:
    """Return what there is to print about a name or text; none if it is unknown."""
    from sdykit.cli._configure_arguments import configure_arguments
    from sdykit.sparsecore.explain import error_named, errors_in, explained, setting_named

    setting = setting_named(text)
    if setting is not None:
        return [_of_setting(explained(setting))]
    argument = configure_arguments().get(text)
    if argument is not None:
        return [_of_setting(argument)]
    error = error_named(text)
    return list(map(_of_error, [error] if error is not None else errors_in(text)))


def _of_setting(setting: Explained) -> str:
    from sdykit.sparsecore.explain import errors_of

    rows = [
        ("default", setting.default),
        ("values", setting.values),
        ("set in", setting.set_in),
        ("effect", setting.effect),
    ]
    for error in errors_of(setting.name):
        rows += [
            ("error", f"{error.name}: {error.example}"),
            ("  means", error.meaning),
            ("  to do", error.remedy),
        ]
    return _table(setting.name, rows)


def _of_error(error: ErrorText) -> str:
    rows = [("example", error.example), ("means", error.meaning), ("to do", error.remedy)]
    if error.settings:
        rows.append(("settings", ", ".join(error.settings)))
    return _table(error.name, rows)


def _table(title: str, rows: Iterable[tuple[str, str]]) -> str:
    lines = [title]
    for name, text in rows:
        lines += textwrap.wrap(
            text,
            _WIDTH,
            initial_indent=f"  {name:10}",
            subsequent_indent=" " * 12,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join([*lines, ""])


def _all() -> Iterator[str]:
    """Yield the lines of the list of all settings and errors."""
    from sdykit.cli._configure_arguments import configure_arguments
    from sdykit.sparsecore.config import SETTINGS
    from sdykit.sparsecore.explain import ERRORS, explained

    settings = [*map(explained, SETTINGS), *configure_arguments().values()]
    yield from _list("settings", [(each.name, each.effect) for each in settings])
    yield "\n"
    yield from _list("errors", [(each.name, each.meaning) for each in ERRORS])


def _list(title: str, rows: list[tuple[str, str]]) -> Iterator[str]:
    yield f"{title}:\n"
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        short = textwrap.shorten(text, _WIDTH - width - 4, placeholder=" ...")
        yield f"  {name:{width}}  {short}\n"


def _unknown(text: str) -> str:
    """Return the error about a name or text that is unknown, with the nearest known ones."""
    from difflib import get_close_matches

    from sdykit.cli._configure_arguments import configure_arguments
    from sdykit.sparsecore.config import SETTINGS
    from sdykit.sparsecore.errors import shown
    from sdykit.sparsecore.explain import ERRORS

    if not text:
        return "stdin is empty; expected the text of an error"
    word = text.lstrip("-").partition("=")[0]
    if " " in " ".join(text.split()):
        by_text = {each.example[: len(text)]: each.name for each in ERRORS}
        near = [by_text[each] for each in get_close_matches(text, by_text, 3, 0.5)]
        start = f"no error of the SparseCores is in the text {shown(text)}"
    else:
        known = [*SETTINGS, *configure_arguments(), *(each.name for each in ERRORS)]
        near = get_close_matches(word, known, 3, 0.6)
        start = f"there is no setting or error {shown(word)}"
    expected = f"did you mean {' or '.join(near)}?" if near else "`sdykit explain` lists all"
    return f"{start}; {expected}"


COMMAND = Command(
    name="explain",
    summary="explain the shardings of a program; a setting or an error",
    description=_DESCRIPTION,
    examples=_EXAMPLES,
    configure=_configure,
    run=_run,
)
