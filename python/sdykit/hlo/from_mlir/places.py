"""Where the ops of a module stand in its text, for errors.

Locations of MLIR may be names, or places in the program that the module was made from. If
there is a text, places are those in the text: it is parsed once more without its locations,
when the first error asks for one.
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
        """Number the ops, and their arguments after each.

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
        """Give the number of an op or of an argument of its first block; -1: it has no place."""
        number = self._numbers[op] + (0 if argument is None else 1 + argument)
        nowhere = not self.text and isinstance(self._locations[number], ir.UnknownLoc)
        return -1 if nowhere else number

    def of(self, op: ir.Operation, argument: int | None = None) -> FileLocation | None:
        """Give the place of an op or of an argument of its first block."""
        number = self.number(op, argument)
        return None if number < 0 else self.location(number)

    def let_go(self) -> None:
        """Forget the ops, which may cease to exist; what has a number keeps its place."""
        self._numbers.clear()

    def location(self, offset: int) -> FileLocation:
        """Give the place behind a number.

        Of what has no place in a file, the location as MLIR prints it is the file, and the
        line is 0.
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
    """Give the locations of all ops and arguments, and where in the list those of ops are."""
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
    """Put blanks for all `loc(...)` and their aliases, so that the rest stays where it is."""
    kept, at = list[str](), 0
    for found in _LOCATION.finditer(text):
        if found["other"] is not None or found.start() < at:
            continue
        end = _closing(text, found.end())
        kept += [text[at : found.start()], _VISIBLE.sub(" ", text[found.start() : end])]
        at = end
    return "".join([*kept, text[at:]])


def _closing(text: str, start: int) -> int:
    """Find where the parenthesis before `start` has been closed."""
    depth = 1
    for found in _PARENTHESIS.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    return len(text)
