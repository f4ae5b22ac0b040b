"""Run the partitioner in a child process: an abort there becomes an exception here."""

from __future__ import annotations

import re
from dataclasses import replace

from sdykit.bridge.child_process import ChildEnded, answer, ask
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
    try:
        succeeded, partitioned = ask(__name__, (text, request))
    except ChildEnded as error:
        reason = _reason_in(str(error))
        hint = next((hint for part, hint in _HINTS.items() if part in reason), "")
        raise PartitionError(f"jaxlib's partitioner aborted: {reason}{hint}") from None
    if not succeeded:
        raise PartitionError(f"jaxlib's partitioner rejects the program: {partitioned}")
    return partitioned


def _reason_in(output: str) -> str:
    """Return the reason in the output of an aborted process."""
    _, found, reason = output.rpartition("LLVM ERROR: ")
    if found:
        return reason.strip().splitlines()[0]
    lines = [line for line in output.splitlines() if line.strip()]
    checks = [line for line in lines if "Check failed" in line]
    return (checks or lines or ["it wrote no message"])[-1].strip()


def _answer(question: tuple[str, Request]) -> tuple[bool, str]:
    """Return whether the module could be partitioned, and its text or the errors."""
    text, request = question
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


if __name__ == "__main__":
    answer(_answer)
