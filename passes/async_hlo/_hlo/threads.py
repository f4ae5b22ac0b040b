"""Keep computations on the threads of the instructions that run them."""

from __future__ import annotations

from sdykit import hlo
from sdykit.hlo import async_ops
from sdykit.hlo.attributes import quoted

_ON_CALLERS_THREAD = frozenset({"call", "conditional", "fusion", "while"})
"""Opcodes whose computations XLA requires to be on the thread of the instruction."""


class Threads:
    """Moves computations to other threads, together with the instructions that run them."""

    def __init__(self, module: hlo.Module) -> None:
        self._module = module
        self._moved: dict[hlo.Computation, str] = {}
        self._following: list[hlo.Instruction] = []

    def follow(self, op: hlo.Instruction) -> None:
        """Move the computations that `op` runs to the thread that `op` is on in the end."""
        self._following.append(op)

    def move(self, op: hlo.Instruction, thread: str) -> None:
        """Move the computations that `op` runs, and those that these run, to a thread."""
        pending = self._run_by(op)
        while pending:
            computation = pending.pop()
            if self._moved.get(computation) == thread:
                continue
            self._moved[computation] = thread
            for each in computation:
                pending += self._run_by(each)

    def finish(self) -> None:
        """Set the threads of computations, after all other changes.

        Raises:
            HloError: a computation would have to be on two threads.
        """
        callers = self._module.callers() if self._following else {}
        for op in self._following:
            # An instruction unwrapped inside a chain that was unwrapped later is erased again.
            if op.parent in callers:
                self.move(op, self._moved.get(op.parent) or _thread_around(op, callers))
        for computation, thread in self._moved.items():
            if thread == hlo.MAIN_THREAD:
                computation.attributes.pop("execution_thread", None)
            else:
                computation.attributes["execution_thread"] = quoted(thread)
        callers = self._module.callers() if self._moved else {}
        for computation, thread in self._moved.items():
            for op in callers[computation]:
                other = _thread_around(op, callers)
                if op.opcode in _ON_CALLERS_THREAD and other != thread:
                    raise hlo.HloError(
                        op.location,
                        f"The {op.opcode} instruction %{op.name} runs computation "
                        f"%{computation.name} on thread {other}, but it is also run on thread "
                        f"{thread}; each needs a computation of its own",
                    )

    def _run_by(self, op: hlo.Instruction) -> list[hlo.Computation]:
        if op.opcode not in _ON_CALLERS_THREAD:
            return []
        return [self._module.computation(name) for _, name in op.called_names()]


def _thread_around(
    op: hlo.Instruction, callers: dict[hlo.Computation, list[hlo.Instruction]]
) -> str:
    """Return the thread of the computation of `op`: its own, or that of the start calling it."""
    computation = op.parent
    assert computation is not None
    starts = [each for each in callers[computation] if each.opcode == async_ops.START]
    if "execution_thread" in computation.attributes or not starts:
        return computation.execution_thread
    return async_ops.thread_of(starts[0])
