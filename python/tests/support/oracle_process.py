"""The oracle in a process of its own, which a C++ pass may crash.

The child runs while the parent runs our passes: with two cores a comparison takes about
as long as the slower side.
"""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

import sdykit
from sdykit.mlir import ir
from support import TESTS
from support.oracle import Outcome, oracle

_HERE = Path(__file__)
_LENGTH = 8

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class ServedProcess(Generic[Question, Answer]):
    """A child that calls a function on a module, with one question after the other.

    The function must be importable from the tests' directory; it is called as
    `serve(text, question)`, and what it prints does not reach the parent's terminal.
    """

    def __init__(self, serve: Callable[[str, Question], Answer]) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._serve = f"{serve.__module__}:{serve.__qualname__}"
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115

    def ask(self, text: str, questions: Sequence[Question]) -> None:
        """Send questions about a module; `answers` waits for the answers."""
        self._text = text
        self._questions = list(questions)
        self._send(self._questions)

    def answers(self) -> list[Answer | None]:
        """Return the answer to each question, None where the C++ code crashed."""
        found: list[Answer | None] = []
        while len(found) < len(self._questions):
            answer = self._receive()
            found.append(answer)
            rest = self._questions[len(found) :]
            if answer is None and rest:
                self._send(rest)
        return found

    def last_words(self) -> str:
        """Return what the child that crashed last wrote to stderr."""
        self._stderr.seek(0)
        return self._stderr.read().decode(errors="replace")

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            self._child = None

    def _send(self, questions: Sequence[Question]) -> None:
        if self._child is None:
            self._stderr.seek(0)
            self._stderr.truncate()
            self._child = _start(self._serve, self._stderr)
        assert self._child.stdin is not None
        _write(self._child.stdin, (self._text, list(questions)))

    def _receive(self) -> Answer | None:
        assert self._child is not None
        assert self._child.stdout is not None
        try:
            answer = _read(self._child.stdout)
        except EOFError:
            self.close()
            return None
        if isinstance(answer, str):
            raise ValueError(f"the module cannot be parsed: {answer}\n{self._text}")
        return answer


class OracleProcess(ServedProcess[str, Outcome]):
    """A child that runs pipelines of C++ `sdy` passes on a module."""

    def __init__(self) -> None:
        super().__init__(oracle)


def _start(serve: str, stderr: Any) -> subprocess.Popen[bytes]:
    roots = [str(TESTS), str(Path(sdykit.__file__).parents[1])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(roots)}
    return subprocess.Popen(
        [sys.executable, str(_HERE), serve],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
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


def _serve(module: str, name: str) -> None:
    """Answer questions until the parent closes the pipe."""
    # Only answers go to the parent's pipe: C++ code writes logs to the standard output.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve = getattr(importlib.import_module(module), name)
    while True:
        try:
            text, questions = _read(sys.stdin.buffer)
        except EOFError:
            return
        for question in questions:
            try:
                answer = serve(text, question)
            except ir.MLIRError as error:
                answer = str(error)
            _write(answers, answer)


if __name__ == "__main__":
    _serve(*sys.argv[1].split(":"))
