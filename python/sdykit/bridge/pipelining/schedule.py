"""The asynchronous HLO of a program: the work of SparseCores as chains beside that of the TensorCore."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from sdykit import hlo
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.ffi import TARGET
from sdykit.bridge.pipelining.halves import KINDS
from sdykit.passes.async_hlo.schedule import SchedulePass
from sdykit.passes.async_hlo.verify import VerifyPass
from sdykit.passes.async_hlo.wrap import WrapPass

THREAD: Final = "sparsecore"
"""The execution thread of SparseCores."""

_QUOTE = r'(?:\\22|\\?")'
_KIND = re.compile(rf"{_QUOTE}kind{_QUOTE}:{_QUOTE}(\w+){_QUOTE}")


def asynchronous_hlo(program: Any) -> str:
    """Return the text of a program in which lookups and updates are asynchronous chains.

    They are on the thread `sparsecore`, start as early and end as late as they can
    (`async-schedule`), and `async-verify` has checked them; `hlo-opt` reads the text. Nothing is executed.
    For the schedule, which knows no costs, what lookups and updates need comes first.

    Args:
        program: a `jax.stages.Compiled`, or the text of its HLO: of this library, or of
            jax-tpu-embedding on CPU devices.

    Raises:
        BridgeError: the program has no lookups or updates.
        HloError: the text is not HLO.
    """
    text = program if isinstance(program, str) else program.as_text()
    module = hlo.read(text, "program.hlo")
    programs = [op for computation in module for op in computation if _kind(op) in KINDS]
    if not programs:
        raise BridgeError(
            f"asynchronous_hlo: module {module.name!r} has no lookups or updates; expected custom "
            f"calls of {TARGET!r}, as a compiled program for CPU devices has them"
        )
    for computation in {each.parent: None for each in programs}:
        if computation is not None:
            _put_first(computation, [each for each in programs if each.parent is computation])
    names = tuple(f"%{each.name}" for each in programs)
    WrapPass(ops=names, execution_thread=THREAD).run_hlo(module)
    SchedulePass().run_hlo(module)
    VerifyPass().run_hlo(module)
    return hlo.to_text(module)


def _kind(op: hlo.Instruction) -> str | None:
    """Return the kind of the tile program that an instruction runs; None if it runs none."""
    if op.attributes.get("custom_call_target") != f'"{TARGET}"':
        return None
    found = _KIND.search(op.attributes.get("backend_config") or "")
    return found[1] if found else None


def _put_first(computation: hlo.Computation, ops: Iterable[hlo.Instruction]) -> None:
    """Move instructions, and all that they depend on, to the begin of a computation."""
    needed: set[hlo.Instruction] = set()
    waiting = list(ops)
    while waiting:
        op = waiting.pop()
        if op not in needed:
            needed.add(op)
            waiting += [*op.operands, *op.control_predecessors]

    def rank(op: hlo.Instruction) -> int:
        if op.opcode == "parameter":
            return 0
        return 1 if op in needed else 2

    computation.instructions.sort(key=rank)
