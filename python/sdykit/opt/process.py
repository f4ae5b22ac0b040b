"""What a process does around its work: streams, and exceptions as messages."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

from sdykit.errors import SdykitError
from sdykit.opt.guard import INTERRUPTED


def prepare_streams() -> None:
    """Replace streams that the shell has closed (`2>&-`); let all print any text."""
    nowhere = Path(os.devnull)
    sys.stdin = sys.stdin or nowhere.open()
    sys.stdout = sys.stdout or nowhere.open("w")
    sys.stderr = sys.stderr or nowhere.open("w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def reporting(tool: str, work: Callable[[], int]) -> int:
    """Do the work; turn exceptions into a message on stderr and an exit code."""
    try:
        return work()
    except SdykitError as error:
        message = f"error: {error}"
    except BrokenPipeError:
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


def _internal(error: Exception) -> str:
    """Describe a bug of ours in one line."""
    import traceback

    frame = traceback.extract_tb(error.__traceback__)[-1]
    text = f"{type(error).__name__}: {error}"
    return f"internal error, please report it: {text} (at {frame.filename}:{frame.lineno})"
