"""The interface of a subcommand of `sdykit`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from sdykit.opt.process.guard import Status


@dataclass(frozen=True)
class Command:
    """A subcommand: the `COMMAND` of its module.

    The module imports what the work needs in `run` only, so that `sdykit --help` is quick.
    """

    name: str
    """The name as typed: `mpmd-view`."""
    summary: str
    """One line for `sdykit --help`."""
    description: str
    """What it does, for the help of the subcommand."""
    examples: str
    """Command lines with explanations, for the end of the help."""
    configure: Callable[[argparse.ArgumentParser], None]
    """A function that adds the arguments of the subcommand to a parser."""
    run: Callable[[argparse.Namespace, Status], int]
    """A function that does the work and returns the exit code.

    Its second argument receives a description of each step, for the message after a crash in
    C++. It raises `SdykitError` for errors that the user can correct.
    """
