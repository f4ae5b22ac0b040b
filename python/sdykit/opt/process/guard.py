"""Turns a crash of MLIR into a message.

Corrupt bytecode, text nested a hundred thousand levels deep, or a pass that uses an op
after erasing it end in an abort or a segmentation fault inside C++. The work is therefore
done in a child process, and its parent reports such an end and returns exit code 1.
The fork happens before MLIR is imported and costs about a millisecond.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import sys
from collections.abc import Callable

Status = Callable[[str], None]
Work = Callable[[Status], int]

_NOTE_SIZE = 1024
OWNER = os.getpid()
"""The id of the process that the user started, in its child process too."""
INTERRUPTED = 130
IN_CPP = "in C++"
"""The end of the status while a C++ pass runs."""
_FORWARDED = ("SIGTERM", "SIGHUP")
_CORRUPT = "the input may be corrupt or too deeply nested"
_BAD_PASS = "a pass may use an op that it has erased; --verify-each may tell which pass"
_BAD_CPP_PASS = (
    "the pass is C++ inside jaxlib; 'sdykit reduce' finds what part of the input it needs"
)
_MEMORY = "the system may have run out of memory"


def guarded(work: Work, tool: str, after_crash: Callable[[], None] = lambda: None) -> int:
    """Do the work in a child process, or here where there is no `fork`; return its exit code.

    Args:
        work: the work; it is called with a function that receives descriptions of its steps.
        tool: the name of the program, for messages.
        after_crash: a function to call after the message about a crash.
    """
    if not hasattr(os, "fork"):
        return work(lambda _: None)
    sys.stdout.flush()
    sys.stderr.flush()
    note = mmap.mmap(-1, _NOTE_SIZE)
    alive, held = os.pipe()
    try:
        child = os.fork()
    except OSError:  # The system has no process left: work without the guard.
        return work(lambda _: None)
    if child == 0:
        os.close(held)
        _prepare_child(alive)
        _run_child(work, note)
    os.close(alive)
    return _await(child, note, tool, after_crash)


def _run_child(work: Work, note: mmap.mmap) -> None:
    """Do the work and leave without unwinding: there is nothing to clean up."""
    code = 1
    try:
        code = work(lambda text: _write(note, text))
        sys.stdout.flush()
    except BrokenPipeError:
        code = 1
    finally:
        os._exit(code)


def _prepare_child(alive: int) -> None:
    import fcntl
    import resource

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C works within C++ too.
    # The kernel sends SIGIO, which ends the process, when the parent dies and with it the
    # other end of the pipe.
    with contextlib.suppress(OSError):
        fcntl.fcntl(alive, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(alive, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    # MLIR's parser is recursive: let it recurse as far as the system permits.
    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_STACK)
        resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))


def _write(note: mmap.mmap, text: str) -> None:
    data = text.encode(errors="replace")[: _NOTE_SIZE - 1]
    note[: len(data) + 1] = data + b"\0"


def _await(child: int, note: mmap.mmap, tool: str, after_crash: Callable[[], None]) -> int:
    received: list[int] = []

    def forward(number: int, _: object) -> None:
        received.append(number)
        os.kill(child, number)

    numbers = [getattr(signal, name) for name in _FORWARDED]
    before = {number: signal.signal(number, forward) for number in numbers}
    # The child gets it too, and we report.
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)
    _, status = os.waitpid(child, 0)
    for number, handler in before.items():
        signal.signal(number, handler)
    code = os.waitstatus_to_exitcode(status)
    if received:
        # Die by the same signal, so that a shell sees it.
        signal.signal(received[0], signal.SIG_DFL)
        os.kill(os.getpid(), received[0])
    if code >= 0:
        return code
    if -code == signal.SIGINT:
        sys.stderr.write(f"{tool}: interrupted\n")
        return INTERRUPTED
    doing = note[:].partition(b"\0")[0].decode(errors="replace") or "starting"
    sys.stderr.write(f"{tool}: error: {_crash_text(-code, doing)}\n")
    after_crash()
    return 1


def _crash_text(number: int, doing: str) -> str:
    reason = _BAD_PASS if doing.startswith("running") else _CORRUPT
    if doing.endswith(IN_CPP):
        reason = _BAD_CPP_PASS
    if number == signal.SIGKILL:
        reason = _MEMORY
    return f"crashed while {doing} ({signal.Signals(number).name}); {reason}"
