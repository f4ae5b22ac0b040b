"""The lines of source files, for the excerpts below diagnostics."""

from __future__ import annotations

from pathlib import Path

from sdykit.opt.io.inputs import BYTECODE_MAGIC


class Sources:
    """Source lines by file name; files other than the input are read on demand."""

    def __init__(self) -> None:
        self._data: dict[str, bytes] = {}
        self._lines: dict[str, list[str]] = {}

    def add(self, name: str, data: bytes) -> None:
        """Add a file whose content is known."""
        self._data[name] = data

    def lines(self, name: str) -> list[str]:
        """Return the lines of a file; none if it cannot be read or is not text."""
        if name not in self._lines:
            data = self._data.get(name)
            self._lines[name] = _split(_read(name) if data is None else data)
        return self._lines[name]

    def line(self, name: str, number: int) -> str | None:
        """Return a line, counted from 1; None if there is no such line."""
        lines = self.lines(name)
        return lines[number - 1] if 0 < number <= len(lines) else None


def _read(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except (OSError, ValueError):
        return b""


def _split(data: bytes) -> list[str]:
    if not data or data.startswith(BYTECODE_MAGIC):
        return []
    return [line.rstrip("\r") for line in data.decode(errors="replace").split("\n")]
