"""The entry points of the drivers: from the arguments of the process to an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from sdykit.errors import PassLoadError
from sdykit.opt.flags.arguments import Arguments, CommonArguments, UsageError
from sdykit.opt.process import lazy_numpy
from sdykit.opt.process.guard import guarded
from sdykit.opt.process.streams import prepare_streams, reporting, write_stdout
from sdykit.opt.tools import TOOLS, Tool

if TYPE_CHECKING:
    from sdykit.core import Registry

_IN_PROCESS = {dashes + name for dashes in ("-", "--") for name in ("in-process", "in_process")}
"""Spellings of `--in-process`. They are searched here since the child process parses the rest."""


def sdy_opt() -> int:
    """Run `sdy-opt` on the arguments of the process; the console script."""
    return entry("sdy-opt")


def mpmd_opt() -> int:
    """Run the same driver under the name `mpmd-opt`; the console script."""
    return entry("mpmd-opt")


def hlo_opt() -> int:
    """Run the driver on HLO text, as `hlo-opt`; the console script."""
    return entry("hlo-opt")


def entry(tool: str) -> int:
    """Run the driver, under the name `tool`, on the arguments of the process."""
    prepare_streams()
    lazy_numpy.install()
    argv = sys.argv[1:]
    if _IN_PROCESS.intersection(argv):
        return run(argv, tool)
    return guarded(
        lambda status: run(argv, tool, status), tool, lambda: _keep_reproducer(argv, tool)
    )


def _keep_reproducer(argv: Sequence[str], tool: str) -> None:
    """Keep the reproducer that the child process wrote before it crashed."""
    arguments = TOOLS[tool].parse(argv)
    path = isinstance(arguments, Arguments) and arguments.mlir_pass_pipeline_crash_reproducer
    if path:
        from sdykit.opt.mlir.reproducer import keep

        keep(Path(path))


def run(argv: Sequence[str], tool: str, status: Callable[[str], None] = lambda _: None) -> int:
    """Run the driver in this process, and return its exit code.

    Args:
        argv: the arguments, without the name of the program.
        tool: the name of the tool; it selects the flags and the input language, and appears in
            messages.
        status: receives a description of each step before it begins.
    """
    kind = TOOLS[tool]
    return reporting(tool, lambda: _run(kind.parse(argv), kind, status))


def _run(arguments: CommonArguments, tool: Tool, status: Callable[[str], None]) -> int:
    if arguments.version:
        from sdykit.opt.flags.help import version

        write_stdout(version(tool.name).encode())
        return 0
    from sdykit.core import Registry

    registry = Registry()
    for file in arguments.load_pass:
        status(f"loading '{file}'")
        with redirect_stdout(sys.stderr):
            _check_names(tool, file, _loaded(registry, file, arguments.traceback))
    if arguments.help or arguments.list_passes or _shows_dialects(arguments):
        from sdykit.opt.flags import help as help_

        write_stdout(help_.requested(arguments, registry, tool).encode())
        return 0
    return 0 if tool.session(arguments, registry, status).run() else 1


def _loaded(registry: Registry, file: str, show_traceback: bool) -> list[str]:
    try:
        return registry.load(file)
    except PassLoadError as error:
        if show_traceback and error.__cause__ is not None:
            import traceback

            sys.stderr.writelines(traceback.format_exception(error.__cause__))
        raise


def _shows_dialects(arguments: CommonArguments) -> bool:
    return isinstance(arguments, Arguments) and arguments.show_dialects


def _check_names(tool: Tool, file: str, names: list[str]) -> None:
    for name in names:
        if name in tool.flags.by_name or name in tool.flags.ignored:
            raise UsageError(f"{file}: pass '{name}' has the name of a flag; choose another name")
