"""The places of ops in the text of a module, for errors.

Locations of MLIR may be names, or places in the program that the module was made from. If
there is a text, places are those in the text: it is parsed once more without its locations
for the first error.
"""

from __future__ import annotations

import re

from sdykit.errors import FileLocation
from sdykit.hlo.mlir.locations import place_of
from sdykit.hlo.model.source import Source
from sdykit.mlir import ir

_STRING = r'"(?:[^"\\]|\\.)*+"'
_LOCATION = re.compile(
    rf"(?P<other>{_STRING}|//[^\n]*+)|(?:#[\w.$\-]++\s*+=\s*+)?(?<![\w.$\-#%@!])loc\(", re.DOTALL
)
_PARENTHESIS = re.compile(rf"{_STRING}|[()]", re.DOTALL)
_VISIBLE = re.compile(r"\S")


class Places(Source):
    """The source of a program that was MLIR: offsets are the numbers of ops and arguments."""

    __slots__ = ("_context", "_found", "_locations", "_numbers")

    def __init__(self, root: ir.Operation, source: Source | None) -> None:
        """Number the ops, each followed by its block arguments.

        Args:
            root: the module.
            source: its text and the name of its file; None if it has no text.
        """
        super().__init__(source.file if source else "", source.text if source else "")
        self._context = root.context
        self._numbers = dict[ir.Operation, int]()
        self._locations = _locations(root, self._numbers)
        self._found: list[FileLocation] | None = None

    def number(self, op: ir.Operation, argument: int | None = None) -> int:
        """Return the number of an op or an argument of its first block; -1 if it has no place."""
        number = self._numbers[op] + (0 if argument is None else 1 + argument)
        nowhere = not self.text and isinstance(self._locations[number], ir.UnknownLoc)
        return -1 if nowhere else number

    def of(self, op: ir.Operation, argument: int | None = None) -> FileLocation | None:
        """Return the place of an op or of an argument of its first block."""
        number = self.number(op, argument)
        return None if number < 0 else self.location(number)

    def release_ops(self) -> None:
        """Release the ops, which may be destroyed from now on; numbers keep their places."""
        self._numbers.clear()

    def location(self, offset: int) -> FileLocation:
        """Return the place that a number stands for.

        If it is in no file, the location as MLIR prints it takes the place of the file name,
        and the line is 0.
        """
        if self._found is None:
            self._found = self._in_text() or []
        if self._found:
            return self._found[offset]
        location = self._locations[offset]
        return place_of(location) or FileLocation(str(location), 0, 0)

    def _in_text(self) -> list[FileLocation] | None:
        if not self.text:
            return None
        try:
            module = ir.Module.parse(without_locations(self.text), self._context)
        except ir.MLIRError:  # A location is an attribute, and was needed.
            return None
        places = [
            FileLocation(self.file, each.start_line, each.start_col)
            for each in _locations(module.operation, {})
            if isinstance(each, ir.FileLineColLoc)
        ]
        return places if len(places) == len(self._locations) else None


def _locations(root: ir.Operation, numbers: dict[ir.Operation, int]) -> list[ir.Location]:
    """Return the locations of all ops and arguments; put the index of each op in `numbers`."""
    found = list[ir.Location]()

    def visit(op: ir.Operation) -> ir.WalkResult:
        numbers[op] = len(found)
        found.append(op.location)
        for region in op.regions:
            for block in region:
                found.extend([argument.location for argument in block.arguments])
        return ir.WalkResult.ADVANCE

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def without_locations(text: str) -> str:
    """Return a text with spaces for all `loc(...)` and their aliases; offsets stay the same."""
    kept, at = list[str](), 0
    for found in _LOCATION.finditer(text):
        if found["other"] is not None or found.start() < at:
            continue
        end = _closing(text, found.end())
        kept += [text[at : found.start()], _VISIBLE.sub(" ", text[found.start() : end])]
        at = end
    return "".join([*kept, text[at:]])


def _closing(text: str, start: int) -> int:
    """Return the offset one past the parenthesis that closes the one before `start`."""
    depth = 1
    for found in _PARENTHESIS.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    return len(text)
