"""The lines of source files, for the excerpts below diagnostics."""

from __future__ import annotations

import contextlib
from pathlib import Path


class Sources:
    """Gives source lines by file name; files other than the input are read on demand."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}

    def add(self, name: str, data: bytes) -> None:
        """Add a file whose content is known; bytecode has no lines."""
        self._lines[name] = [] if b"\0" in data else _split(data)

    def lines(self, name: str) -> list[str]:
        """Give the lines of a file; none if it cannot be read or is no text."""
        if name not in self._lines:
            self._lines[name] = []
            with contextlib.suppress(OSError, ValueError):
                self.add(name, Path(name).read_bytes())
        return self._lines[name]

    def line(self, name: str, number: int) -> str | None:
        """Give a line, counted from 1, if there is one."""
        lines = self.lines(name)
        return lines[number - 1] if 0 < number <= len(lines) else None


def _split(data: bytes) -> list[str]:
    return [line.rstrip("\r") for line in data.decode(errors="replace").split("\n")]
