"""A question that a child process answers: what ends the process there is an exception here."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import sdykit


class ChildEnded(Exception):
    """A child process ended without an answer; the text is what it wrote to its standard error."""


def ask(module: str, request: Any, environment: Mapping[str, str] | None = None) -> Any:
    """Return the answer of a module, run as a program that calls `answer`, to a request.

    Args:
        module: the name of the module.
        request: what is asked; it is pickled, as the answer is.
        environment: variables of the child besides those of this process.

    Raises:
        ChildEnded: the process ended without an answer.
    """
    variables = {**os.environ, "PYTHONPATH": _python_path(), **(environment or {})}
    done = subprocess.run(
        [sys.executable, "-m", module],
        input=pickle.dumps(request),
        capture_output=True,
        env=variables,
        check=False,
    )
    if done.returncode:
        raise ChildEnded(done.stderr.decode(errors="replace"))
    return pickle.loads(done.stdout)


def answer(function: Callable[[Any], Any]) -> None:
    """Answer the one request on stdin: the side of the child."""
    # Only the answer goes to the parent's pipe: C++ code writes logs to the standard output.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    request = pickle.loads(sys.stdin.buffer.read())
    with answers:
        answers.write(pickle.dumps(function(request)))


def _python_path() -> str:
    """Return a search path that finds this package first, wherever it was imported from."""
    own = str(Path(sdykit.__file__).parents[1])
    return os.pathsep.join([own, *filter(None, [os.environ.get("PYTHONPATH")])])
