"""Standard streams, and exceptions as messages and exit codes."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

from sdykit.errors import SdykitError
from sdykit.opt.process.guard import INTERRUPTED


def prepare_streams() -> None:
    """Replace streams that the shell has closed (`2>&-`), and let all print any text.

    Writing to a closed stdout remains an error.
    """
    nowhere = Path(os.devnull)
    sys.stdin = sys.stdin or nowhere.open()
    if sys.stdout is None:
        # Descriptor 1, and not for writing: no file that is opened later gets this number.
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    sys.stderr = sys.stderr or nowhere.open("w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def reporting(tool: str, work: Callable[[], int]) -> int:
    """Do the work; turn exceptions into a message on stderr and an exit code.

    On exit code 0, everything written to stdout has arrived.
    """
    try:
        code = work()
        write_stdout(b"")
        return code
    except StdoutError as error:
        _drop_stdout()
        message = f"error: {error}"
    except SdykitError as error:
        message = f"error: {error}"
    except BrokenPipeError:
        _drop_stdout()
        return 1  # The reader, `head` for example, has seen enough.
    except KeyboardInterrupt:
        sys.stderr.write(f"{tool}: interrupted\n")
        return INTERRUPTED
    except UnicodeEncodeError:
        message = "error: an argument is not text"
    except RecursionError:
        message = "error: something is nested too deeply"
    except MemoryError:
        message = "error: out of memory"
    except Exception as error:
        message = f"error: {_internal(error)}"
    sys.stderr.write(f"{tool}: {message}\n")
    return 1


class StdoutError(SdykitError):
    """Stdout cannot be written to."""


def write_stdout(data: bytes) -> None:
    """Write to stdout, after what Python has buffered; all of it has arrived on return.

    Raises:
        StdoutError: stdout cannot be written to, as it is closed or its disk is full.
        BrokenPipeError: the reader of stdout has gone.
    """
    rest = memoryview(data)
    try:
        sys.stdout.flush()
        while rest:
            # Without Python's buffer (PYTHONUNBUFFERED) a write to a pipe may be partial.
            rest = rest[sys.stdout.buffer.write(rest) :]
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise  # No error: the reader has seen enough.
    except OSError as error:
        raise StdoutError(f"cannot write to stdout: {error.strerror}") from None


def _drop_stdout() -> None:
    """Discard what could not be written, which Python would write again at exit."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _internal(error: Exception) -> str:
    """Describe a bug of ours in one line."""
    import traceback

    frame = traceback.extract_tb(error.__traceback__)[-1]
    text = f"{type(error).__name__}: {error}"
    return f"internal error, please report it: {text} (at {frame.filename}:{frame.lineno})"
