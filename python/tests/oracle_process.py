"""The oracle in a process of its own, so that a C++ pass that crashes ends only that.

The child runs while the parent runs our passes: with two cores a comparison takes about
as long as the slower side.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import sdykit
from oracle import Outcome, oracle
from sdykit.mlir import ir

_HERE = Path(__file__)
_LENGTH = 8


class OracleProcess:
    """A child that answers one question at a time: a module, and pipelines to run on it."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, text: str, pipelines: Sequence[str]) -> None:
        """Start to run each pipeline on the module; `answers` waits for the outcomes."""
        self._text = text
        self._pipelines = list(pipelines)
        self._send(self._pipelines)

    def answers(self) -> list[Outcome | None]:
        """Give the outcome of each pipeline; None where the C++ pass crashed."""
        found: list[Outcome | None] = []
        while len(found) < len(self._pipelines):
            outcome = self._receive()
            found.append(outcome)
            rest = self._pipelines[len(found) :]
            if outcome is None and rest:
                self._send(rest)
        return found

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            self._child = None

    def _send(self, pipelines: Sequence[str]) -> None:
        if self._child is None:
            self._child = _start()
        assert self._child.stdin is not None
        _write(self._child.stdin, (self._text, list(pipelines)))

    def _receive(self) -> Outcome | None:
        assert self._child is not None
        assert self._child.stdout is not None
        try:
            outcome = _read(self._child.stdout)
        except EOFError:
            self.close()
            return None
        if isinstance(outcome, str):
            raise ValueError(f"the module cannot be parsed: {outcome}\n{self._text}")
        return outcome


def _start() -> subprocess.Popen[bytes]:
    roots = [str(_HERE.parent), str(Path(sdykit.__file__).parents[1])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(roots)}
    return subprocess.Popen(
        [sys.executable, str(_HERE)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )


def _write(stream: BinaryIO | Any, message: object) -> None:
    data = pickle.dumps(message)
    stream.write(len(data).to_bytes(_LENGTH, "little") + data)
    stream.flush()


def _read(stream: BinaryIO | Any) -> Any:
    """Read a message.

    Raises:
        EOFError: the other side has ended.
    """
    head = stream.read(_LENGTH)
    data = stream.read(int.from_bytes(head, "little")) if len(head) == _LENGTH else b""
    if not data:
        raise EOFError
    return pickle.loads(data)


def _serve() -> None:
    """Answer questions until the parent closes the pipe."""
    while True:
        try:
            text, pipelines = _read(sys.stdin.buffer)
        except EOFError:
            return
        for pipeline in pipelines:
            try:
                answer: Outcome | str = oracle(text, pipeline)
            except ir.MLIRError as error:
                answer = str(error)
            _write(sys.stdout.buffer, answer)


if __name__ == "__main__":
    _serve()
