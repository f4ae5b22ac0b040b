"""What a flag is, and the set of flags that a tool accepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property
from typing import Any


class Kind(Enum):
    """What follows the name of a flag."""

    BOOL = auto()
    """Nothing, or `=true` or `=false`."""
    TEXT = auto()
    """`=text` or the next argument."""
    COUNT = auto()
    """`=N` or the next argument, N >= 0."""
    OPTIONAL = auto()
    """Nothing, or `=text`."""
    NAMES = auto()
    """`=a,b` or the next argument; may be repeated."""
    FILES = auto()
    """`=path` or the next argument; may be repeated."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag of a tool. Its value becomes the field of `Arguments` named `field`.

    Attributes:
        name: the name, with dashes.
        kind: the form of the value.
        group: the heading under which `--help` lists the flag.
        help: the explanation in `--help`.
        metavar: the placeholder of the value in `--help`.
        choices: the accepted values; empty if any text is accepted.
    """

    name: str
    kind: Kind
    group: str
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    when_bare: str = ""
    """The value of an `OPTIONAL` flag without `=`."""
    default: Any = None
    """The value of a flag that is not on the command line."""

    @property
    def field(self) -> str:
        """The field of `Arguments` that holds the value."""
        return self.name.replace("-", "_")

    @property
    def takes_next(self) -> bool:
        """Whether the value may be the next argument: `-flag value` for `-flag=value`."""
        return self.kind not in (Kind.BOOL, Kind.OPTIONAL)

    @property
    def usage(self) -> str:
        """The flag as `--help` spells it."""
        if self.name == "help":
            return "-h, --help"
        if self.kind is Kind.BOOL:
            return f"--{self.name}"
        value = "|".join(self.choices) or self.metavar
        if len(self.name) == 1:
            return f"-{self.name} {value}"
        return (
            f"--{self.name}[={value}]" if self.kind is Kind.OPTIONAL else f"--{self.name}={value}"
        )


@dataclass(frozen=True)
class FlagSet:
    """The flags of a tool, for its parser, its `--help` and the tests."""

    flags: tuple[Flag, ...]
    ignored: Mapping[str, str] = field(default_factory=dict)
    """Flags of similar tools that have no effect here, and the reason of each."""
    unavailable: Mapping[str, str] = field(default_factory=dict)
    """Flags of similar tools that cannot be offered, and the reason of each."""
    like: str = "mlir-opt"
    """The similar tools, as `--help` names them."""

    @cached_property
    def by_name(self) -> dict[str, Flag]:
        """The flags by name, and by their short names."""
        names = {flag.name: flag for flag in self.flags}
        return names | {"h": names["help"]}


SPLIT_MARKER = "// -----"

INPUT, PASSES, CHECKS, PRINTING, WATCHING, INFO = (
    "Input and output",
    "Passes",
    "Checks",
    "Form of the output",
    "Watching passes",
    "Information",
)


def default(flag: Flag) -> Any:
    """Return the value of a flag that is not on the command line."""
    if flag.default is not None:
        return flag.default
    if flag.kind is Kind.BOOL:
        return False
    return () if flag.kind in (Kind.NAMES, Kind.FILES) else None
