"""The tools that share the driver: their names, flags and sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdykit.opt.flags.arguments import Arguments, CommonArguments, HloArguments, parse, parse_as
from sdykit.opt.flags.hlo import HLO_FLAGS
from sdykit.opt.flags.mlir import MLIR_FLAGS
from sdykit.opt.flags.types import FlagSet
from sdykit.opt.process.guard import Status

if TYPE_CHECKING:
    from sdykit.core import Registry
    from sdykit.opt.session import Session


@dataclass(frozen=True)
class Tool:
    """A command-line tool."""

    name: str
    flags: FlagSet
    hlo: bool = False
    """Whether the tool works on HLO; the others work on MLIR."""

    def parse(self, argv: Sequence[str]) -> CommonArguments:
        """Parse the arguments after the name of the program.

        Raises:
            UsageError: a value is missing or wrong, or there are two inputs.
        """
        return parse_as(argv, self.flags, HloArguments) if self.hlo else parse(argv)

    def session(self, arguments: CommonArguments, registry: Registry, status: Status) -> Session:
        """Return the session that does the work. Only the modules of its language are imported."""
        if isinstance(arguments, HloArguments):
            from sdykit.opt.hlo.session import HloSession

            return HloSession(arguments, registry, status)
        from sdykit.opt.mlir.session import MlirSession

        assert isinstance(arguments, Arguments)
        return MlirSession(arguments, registry, status)


TOOLS = {
    tool.name: tool
    for tool in (
        Tool("sdy-opt", MLIR_FLAGS),
        Tool("mpmd-opt", MLIR_FLAGS),
        Tool("hlo-opt", HLO_FLAGS, hlo=True),
    )
}
