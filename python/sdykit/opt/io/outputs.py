"""Writing files whole or not at all, and the checks before the work that they can be written."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from sdykit.errors import SdykitError
from sdykit.files import is_regular, write_whole
from sdykit.opt.process.streams import write_stdout

STDOUT = "-"
_ANY_WRITES = 0o222


class OutputError(SdykitError):
    """The output cannot be written."""


def check_writable(path: str) -> None:
    """Check before the work that the output can be written after it.

    Raises:
        OutputError: it cannot be written.
    """
    if path == STDOUT:
        return
    if not path:
        raise OutputError("the name of the output file is empty")
    target = Path(path)
    try:
        if target.is_dir():
            raise OutputError(f"cannot open output file '{path}': Is a directory")
        if not target.parent.is_dir():
            raise OutputError(f"cannot open output file '{path}': No such file or directory")
    except (OSError, ValueError) as error:
        raise OutputError(f"cannot open output file {path!r}: {error}") from None
    if target.exists() and _is_read_only(target):
        raise OutputError(f"cannot open output file '{path}': it is read-only")
    if not target.exists() or is_regular(target):
        # The file is replaced, at the target of a link: permission is needed in its directory.
        directory = target.resolve().parent
        if not os.access(directory, os.W_OK | os.X_OK):
            raise OutputError(
                f"cannot open output file '{path}': no permission to write in '{directory}'"
            )


def _is_read_only(target: Path) -> bool:
    """Return whether a file is marked read-only; root could write it, but should not."""
    return not (target.stat().st_mode & _ANY_WRITES and os.access(target, os.W_OK))


def check_is_file(path: str, what: str) -> None:
    """Check that an output is a regular file, since it is first written under another name.

    Args:
        path: the path of the output.
        what: what the output is, for the error.

    Raises:
        OutputError: it is stdout, a device or a pipe.
    """
    if path == STDOUT or not _is_kept(path):
        raise OutputError(f"{what} is {path!r}; expected a file, not stdout, a device or a pipe")


def check_distinct(writes: Mapping[str, str | None], reads: Iterable[str | None] = ()) -> None:
    """Check that no output would replace another one, or an input.

    Args:
        writes: the path of each output, by what the output is; None and `-` are not files.
        reads: the paths of the files that are read.

    Raises:
        OutputError: two paths lead to one file, however they are spelled.
    """
    taken = {_identity(path): f"the input '{path}'" for path in reads if path and path != STDOUT}
    for what, path in writes.items():
        if not path or path == STDOUT:
            continue
        identity = _identity(path)
        if identity in taken:
            raise OutputError(f"{what} '{path}' would replace {taken[identity]}; name another file")
        if _is_kept(path):
            taken[identity] = f"{what} '{path}'"


def _identity(path: str) -> object:
    """Return a value that is equal for all paths of a file: links of both kinds, `a/../b`."""
    try:
        found = Path(path).stat()
        return found.st_dev, found.st_ino
    except (OSError, ValueError):
        return os.path.realpath(path) if "\0" not in path else path


def _is_kept(path: str) -> bool:
    """Return whether the path is, or will be, a file, and not a device or a pipe."""
    try:
        return not Path(path).exists() or is_regular(Path(path))
    except (OSError, ValueError):
        return False  # `check_writable` reports it.


def check_bytecode_target(path: str) -> None:
    """Refuse to fill a terminal with bytecode.

    Raises:
        OutputError: the output goes to a terminal.
    """
    if path == STDOUT and sys.stdout.isatty():
        raise OutputError("bytecode would go to the terminal; name a file with -o")


def write(path: str, data: bytes) -> None:
    """Write to stdout, or to a file by replacing it in one step.

    Raises:
        OutputError: the file cannot be written; its former content is kept.
        StdoutError: stdout cannot be written to.
    """
    if path == STDOUT:
        write_stdout(data)
        return
    try:
        write_whole(Path(path), data)
    except OSError as error:
        raise OutputError(f"cannot write output file '{path}': {error.strerror}") from None
