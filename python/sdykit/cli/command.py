"""What a subcommand of `sdykit` is."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from sdykit.opt.process.guard import Status


@dataclass(frozen=True)
class Command:
    """A subcommand: the `COMMAND` of the module that holds it.

    The module imports what it works with in `run`, so that `sdykit --help` is quick.
    """

    name: str
    """As typed: `mpmd-view`."""
    summary: str
    """One line, for `sdykit --help`."""
    description: str
    """What it does, for its own help."""
    examples: str
    """Command lines, each explained; the end of its help."""
    configure: Callable[[argparse.ArgumentParser], None]
    """Adds its arguments."""
    run: Callable[[argparse.Namespace, Status], int]
    """Does it and gives the exit code; told is what is being done, for the message after a
    crash in C++. Raises `SdykitError` for what the user can mend."""
