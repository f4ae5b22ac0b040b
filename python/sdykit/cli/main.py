"""The entry point of `sdykit`: finds the subcommands, parses the command line, runs one."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from sdykit import cli
from sdykit.cli.command import Command
from sdykit.opt.process import lazy_numpy, prepare_streams, reporting, write_stdout
from sdykit.opt.process.guard import Status, guarded

_TOOL = "sdykit"
_NO_COMMANDS = ("command", "main")
"""Modules of the package that hold no subcommand, besides those whose names begin with `_`."""
_USAGE = 2
"""The exit code for a wrong command line, as in argparse."""
_DESCRIPTION = """\
Inspects compiler passes and programs of Shardy, MPMD and SparseCore.
"""
_EPILOG = """\
`sdykit COMMAND --help` shows more, with examples. Passes are run by sdy-opt, mpmd-opt and
hlo-opt.

exit codes: 0 done; 1 bad input, with a message; 2 wrong command line; 130 interrupted
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `sdykit` on the arguments, by default those of the process; return the exit code."""
    prepare_streams()
    lazy_numpy.install()
    commands = find_commands()
    parser = parser_of(commands)
    parsed: list[argparse.Namespace] = []
    code = reporting(_TOOL, lambda: _parsed(parser, argv, parsed))
    if not parsed:
        return code
    (arguments,) = parsed
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return _USAGE
    command = next(each for each in commands if each.name == arguments.command)
    tool = f"{_TOOL} {command.name}"

    def work(status: Status) -> int:
        return reporting(tool, lambda: command.run(arguments, status))

    return guarded(work, tool)


def _parsed(
    parser: argparse.ArgumentParser, argv: Sequence[str] | None, parsed: list[argparse.Namespace]
) -> int:
    """Parse the command line into `parsed`, or print the help or version; return the exit code."""
    try:
        parsed.append(parser.parse_args(argv))
    except SystemExit as end:  # Help, the version, or a wrong command line.
        return end.code if isinstance(end.code, int) else _USAGE
    return 0


def find_commands() -> list[Command]:
    """Return the subcommands in the order of their names; their modules are imported."""
    names = sorted(module.name for module in pkgutil.iter_modules(cli.__path__))
    modules = [
        importlib.import_module(f"{cli.__name__}.{name}")
        for name in names
        if name not in _NO_COMMANDS and not name.startswith("_")
    ]
    return [module.COMMAND for module in modules]


def parser_of(commands: Sequence[Command]) -> argparse.ArgumentParser:
    """Return the parser of `sdykit`, with those of its subcommands."""
    width = max(len(command.name) for command in commands)
    listed = "".join(f"  {command.name:{width}}  {command.summary}\n" for command in commands)
    parser = _Parser(
        _TOOL,
        usage=f"{_TOOL} [-h] [--version] COMMAND ...",
        description=_DESCRIPTION,
        epilog=f"commands:\n{listed}\n{_EPILOG}",
        formatter_class=_Help,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, help="print the versions and exit")
    # argparse would put a summary below its name where the name is wide.
    choices = parser.add_subparsers(
        dest="command", metavar="COMMAND", prog=_TOOL, help=argparse.SUPPRESS
    )
    for command in commands:
        command.configure(
            choices.add_parser(
                command.name,
                help=command.summary,
                description=command.description,
                epilog=f"examples:\n{command.examples}",
                formatter_class=_Help,
                allow_abbrev=False,
            )
        )
    return parser


class _Parser(argparse.ArgumentParser):
    """Reports what argparse leaves to others.

    A failure to write the help, which it leaves to the exit of Python, and arguments that a subcommand
    does not know, which it leaves to the parser of `sdykit`.
    """

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            near = get_close_matches(unknown[0].partition("=")[0], self._option_string_actions, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return found, unknown

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is None or file is sys.stdout:
            write_stdout(message.encode())
        else:
            super()._print_message(message, file)


class _Help(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of descriptions and examples, and leaves room for long options."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=27)


class _Version(argparse.Action):
    """Prints the versions; the modules that know them are imported only then."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, nargs=0, **options)

    def __call__(self, *_: Any) -> None:
        from sdykit.opt.flags.help import version

        write_stdout(version(_TOOL).encode())
        raise SystemExit(0)
