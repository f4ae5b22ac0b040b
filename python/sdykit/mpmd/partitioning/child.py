"""Run the partitioner in a child process: an abort there becomes an exception here."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import sdykit
from sdykit.mlir import ir, make_context
from sdykit.mpmd.errors import PartitionError
from sdykit.mpmd.partitioning.partitioner import Request, apply, until_export

_HINTS = {
    "Failed to inline": "; the calls of one function marked by `call` must take arguments from the"
    " same meshes and kinds of memory: remove the mark, or mark a function for each place"
}
"""What to do about an abort, by a part of its message."""


def partition(text: str, request: Request) -> str:
    """Return the fragments and transfers of a module of named computations, with locations.

    Args:
        text: the module, with locations.
        request: the arguments of the partitioner; `phases` is set here.

    Raises:
        PartitionError: the partitioner fails or aborts; the message contains its own.
    """
    environment = {**os.environ, "PYTHONPATH": _python_path()}
    done = subprocess.run(
        [sys.executable, "-m", __name__],
        input=pickle.dumps((text, request)),
        capture_output=True,
        env=environment,
        check=False,
    )
    if done.returncode:
        reason = _reason_in(done.stderr.decode(errors="replace"))
        hint = next((hint for text, hint in _HINTS.items() if text in reason), "")
        raise PartitionError(f"jaxlib's partitioner aborted: {reason}{hint}")
    succeeded, answer = pickle.loads(done.stdout)
    if not succeeded:
        raise PartitionError(f"jaxlib's partitioner rejects the program: {answer}")
    return answer


def _python_path() -> str:
    """Return a search path that finds this package first, wherever it was imported from."""
    own = str(Path(sdykit.__file__).parents[1])
    return os.pathsep.join([own, *filter(None, [os.environ.get("PYTHONPATH")])])


def _reason_in(output: str) -> str:
    """Return the reason in the output of an aborted process."""
    _, found, reason = output.rpartition("LLVM ERROR: ")
    if found:
        return reason.strip().splitlines()[0]
    lines = [line for line in output.splitlines() if line.strip()]
    checks = [line for line in lines if "Check failed" in line]
    return (checks or lines or ["it wrote no message"])[-1].strip()


def _answer(text: str, request: Request) -> tuple[bool, str]:
    """Return whether the module could be partitioned, and its text or the errors."""
    module = ir.Module.parse(text, make_context())
    with module.context:
        try:
            module = apply(module, replace(request, phases=("IMPORT", "OPTIMIZE")))
            module = until_export(module, replace(request, phases=("PARTITION",)))
        except (RuntimeError, ValueError) as error:
            return False, _errors_in(str(error))
        return True, str(module.operation.get_asm(enable_debug_info=True))


def _errors_in(message: str) -> str:
    """Return the errors in a message of the partitioner, without notes, which print modules."""
    errors = [line for line in message.splitlines() if re.match(r"\S.*: error: ", line)]
    return "\n".join(dict.fromkeys(errors)) or message.strip()


def main() -> None:
    """Answer the one request on stdin."""
    # Only the answer goes to the parent's pipe: C++ code writes logs to the standard output.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    text, request = pickle.loads(sys.stdin.buffer.read())
    with answers:
        answers.write(pickle.dumps(_answer(text, request)))


if __name__ == "__main__":
    main()
