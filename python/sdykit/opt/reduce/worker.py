"""A process that makes a candidate and tests it; a crash or a hang ends only this process."""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from sdykit.opt.reduce.failures import Behaviour, ended

Candidate = tuple[bytes, tuple[int, int, int]]
"""The text of a module, and its size."""
_CHUNK = 1 << 16
_POLL = 0.1
"""The seconds between two checks whether to stop: raising in a signal handler is not safe."""


class Worker:
    """A process that does some work.

    Args:
        work: a generator function that yields the candidate and then its behaviour, or nothing if
            there is no candidate. `finish` raises the exceptions of it.
    """

    def __init__(self, work: Callable[[], Iterator[Candidate | Behaviour]]) -> None:
        self._end, end = os.pipe()
        sys.stderr.flush()
        self._process = os.fork()
        if self._process == 0:
            _run(work, end)
        os.close(end)
        with contextlib.suppress(OSError):  # It has done so itself, or ended.
            os.setpgid(self._process, self._process)

    def finish(
        self, deadline: float, stopped: Callable[[], bool]
    ) -> tuple[Candidate | None, Behaviour | None]:
        """Wait for the process.

        Args:
            deadline: the time, by `time.monotonic`, after which the process is killed.
            stopped: a function that returns whether the user has stopped the search.

        Returns:
            The candidate, if there is one, and its behaviour, if the test ended in time.

        Raises:
            KeyboardInterrupt: the user has stopped the search.
        """
        try:
            messages = list(_messages(self._read(deadline, stopped)))
        except KeyboardInterrupt:
            self.end()
            raise
        status = self._wait()
        for message in messages:
            if isinstance(message, Exception):
                raise message
        candidate = messages[0] if messages else None
        if len(messages) > 1:
            return candidate, messages[1]
        # The process was killed at the deadline.
        return candidate, None if status in (0, -signal.SIGKILL) else ended(status)

    def _read(self, deadline: float, stopped: Callable[[], bool]) -> bytes:
        """Read until the process ends, or kill it at the deadline."""
        data = b""
        while time.monotonic() < deadline:
            if stopped():
                raise KeyboardInterrupt
            if select.select([self._end], [], [], _POLL)[0]:
                more = os.read(self._end, _CHUNK)
                if not more:
                    return data
                data += more
        self._kill()
        return data

    def end(self) -> None:
        """Kill the process and all that it has started, and ignore its answer."""
        self._kill()
        self._wait()

    def _kill(self) -> None:
        with contextlib.suppress(OSError):
            os.killpg(self._process, signal.SIGKILL)

    def _wait(self) -> int:
        os.close(self._end)
        return os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])


def _run(work: Callable[[], Iterator[Any]], end: int) -> None:
    """Do the work and exit without unwinding; the output of C++ and passes is discarded."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.setpgid(0, 0)  # Ctrl-C is for the parent, which ends this process then.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        with os.fdopen(end, "wb") as answers:
            try:
                for message in work():
                    pickle.dump(message, answers)
                    answers.flush()
            except Exception as error:
                pickle.dump(error, answers)
    finally:
        os._exit(0)


def _messages(data: bytes) -> Iterator[Any]:
    """Yield the messages that have arrived completely."""
    import io

    stream = io.BytesIO(data)
    with contextlib.suppress(EOFError, pickle.UnpicklingError):
        while True:
            yield pickle.load(stream)
