"""The text of a program, and where its ops and values are in it and in the user's files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sdykit.core.diagnostics import file_location
from sdykit.errors import FileLocation
from sdykit.explain.model import SourceLine
from sdykit.mlir import ir

_RESULTS = re.compile(r"\s*((?:%[\w$.-]+(?::\d+)?(?:,\s*)?)+)\s*=\s*")
_GROUP = re.compile(r"(%[\w$.-]+)(?::(\d+))?")
_VALUE = re.compile(r"%[\w$.-]+")
_WIDTH = 200
_NAMELESS = "-"
"""How MLIR names a file that is only a text."""
_NOT_IN_TEXT = ("func", "stablehlo", "builtin")
"""Dialects whose prefix MLIR may leave out where it prints an op."""


class Position(NamedTuple):
    """A position in the printed text, both numbers from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class Origin:
    """Where a location of the user's points to.

    Attributes:
        line: the line in a file, if it names one.
        name: the outermost name, such as that of an argument; empty if there is none.
        column: the column in the line, from 1; 0 without a line.
    """

    line: SourceLine | None
    name: str
    column: int = 0


class ProgramText:
    """A program as MLIR prints it.

    Attributes:
        name: the name of its file.
        module: the same program, read from the text: its locations are positions in it.
        lines: the lines of the text.
    """

    def __init__(self, original: ir.Module, name: str) -> None:
        """Print a module; `name` is that of the file, where locations have none."""
        self.name = name
        text = str(original.operation.get_asm(assume_verified=True))
        self.module = ir.Module.parse(text, original.context)
        self.lines = tuple(text.splitlines())
        self._origins: dict[Position, Origin] = {}
        pairs = zip(_locations(original), _locations(self.module), strict=True)
        for theirs, ours in pairs:
            position = position_of(ours)
            if position is not None:
                self._origins.setdefault(position, origin_of(theirs, name))

    def origin(self, location: ir.Location) -> Origin:
        """Return where a location of the module points to in the user's files."""
        position = position_of(location)
        found = None if position is None else self._origins.get(position)
        return found or Origin(None, "")

    def place(self, position: Position) -> FileLocation | None:
        """Return where a position of the text points to in the user's files."""
        found = self._origins.get(position)
        if found is None or found.line is None:
            return None
        return FileLocation(found.line.file, found.line.line, found.column)

    def line_at(self, position: Position) -> str:
        """Return a line of the text without its indentation, cut if it is long."""
        line = self.lines[position.line - 1].strip()
        return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 4]} ..."

    def is_of(self, position: Position, name: str) -> bool:
        """Return whether the op at a position has a name; otherwise a pass has put another in its place."""
        rest = self.lines[position.line - 1][position.column - 1 :].lstrip('"')
        dialect, _, short = name.partition(".")
        return rest.startswith(name) or (dialect in _NOT_IN_TEXT and rest.startswith(short))

    def results(self, position: Position) -> list[str]:
        """Return the names of the results of the op at a position."""
        found = _RESULTS.match(self.lines[position.line - 1][: position.column - 1])
        names: list[str] = []
        for name, count in _GROUP.findall(found[1]) if found is not None else ():
            names += [f"{name}#{number}" for number in range(int(count))] if count else [name]
        return names

    def value_at(self, position: Position) -> str | None:
        """Return the name of the block argument at a position."""
        found = _VALUE.match(self.lines[position.line - 1], position.column - 1)
        return found[0] if found is not None else None


def position_of(location: ir.Location) -> Position | None:
    """Return the position in the text that a location is; None if it is another one."""
    if isinstance(location, ir.FileLineColLoc):
        return Position(location.start_line, location.start_col)
    place = file_location(location)
    return None if place is None else Position(place.line, place.column)


def origin_of(location: ir.Location, file: str) -> Origin:
    """Return where a location points to; `file` is the name of a file that has none."""
    name = location.name_str if isinstance(location, ir.NameLoc) else ""
    place = file_location(location)
    if place is None or place.line == 0:
        return Origin(None, name)
    path = file if place.file == _NAMELESS else _shown(place.file)
    return Origin(SourceLine(path, place.line, name), name, place.column)


@cache
def _shown(file: str) -> str:
    """Return the name of a file from the current directory if it is in there: JAX gives whole paths."""
    path = Path(file)
    inside = path.is_absolute() and path.is_relative_to(Path.cwd())
    return str(path.relative_to(Path.cwd())) if inside else file


def _locations(module: ir.Module) -> list[ir.Location]:
    """Return the locations of all ops and block arguments, in the order of the program."""
    found: list[ir.Location] = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        found.append(op.location)
        for region in op.regions:
            for block in region.blocks:
                found.extend(argument.location for argument in block.arguments)
        return ir.WalkResult.ADVANCE

    module.operation.walk(collect, ir.WalkOrder.PRE_ORDER)
    return found
