"""The text that a module was read from, which turns offsets into lines and columns."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from sdykit.errors import FileLocation


@dataclass(slots=True, eq=False)
class Source:
    """A text with the name of its file; the table of lines is built when first needed."""

    file: str
    text: str
    _starts: list[int] = field(default_factory=list)

    def location(self, offset: int) -> FileLocation:
        """Return the line and column of an offset into the text."""
        if not self._starts:
            lines = self.text.split("\n")
            at = 0
            for line in lines:
                self._starts.append(at)
                at += len(line) + 1
        line = bisect_right(self._starts, offset)
        return FileLocation(self.file, line, offset - self._starts[line - 1] + 1)
