"""Phases of agents, which the runtime runs: what it has to know of them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from sdykit.core.sparsecore.names import APART, PASSED_SEMAPHORES, SEMAPHORES, STATUS, TOGETHER
from sdykit.mlir import ir
from sdykit.sparsecore.codegen.compiled import aligned
from sdykit.sparsecore.codegen.emission.emitter import ONCE, is_constant
from sdykit.sparsecore.codegen.entry.function import Entry
from sdykit.sparsecore.codegen.entry.llvm_functions import loads
from sdykit.sparsecore.codegen.runtime_functions import DEVICE_OFFSET, SHARED_OFFSET
from sdykit.sparsecore.codegen.translation.located_errors import error_at
from sdykit.sparsecore.codegen.translation.runtime_calls import PACKED
from sdykit.sparsecore.codegen.translation.translator import Translator

RUN_TOGETHER = "sc_run_together"
"""The function of the runtime that runs a phase of agents."""
RUN_APART = "sc_run_apart"
"""The function of the runtime that runs some of the agents of a phase that never wait for each other."""
DECLARATIONS = {
    RUN_TOGETHER: f"declare void @{RUN_TOGETHER}(ptr, ptr, ptr, ptr, ptr, ptr, ptr)",
    RUN_APART: f"declare void @{RUN_APART}(ptr, ptr, ptr, i64, i64, ptr, ptr, ptr, ptr)",
}
"""The declarations of these functions, by name."""
_PASSED = 4
"""The integers of an array of passed semaphores."""
MAX_STACK_BYTES = 256 << 20
"""The largest stack that an agent may need."""
_OWN_STACK_BYTES = 32 << 10
"""What the runtime and signal handlers need of a stack."""
_VECTOR = re.compile(r"<(\d+) x (?:i(\d+)|float|(double))>")


@dataclass(frozen=True, slots=True)
class Together:
    """A phase of agents.

    Attributes:
        op: the phase.
        cores: the number of the core of each agent.
        places: for each of an agent's semaphores, the number of the source line that made it.
        passed: semaphores that the caller passes, as the attribute has them.
        agent_bytes: the bytes from the header of an agent to that of the next.
        shared_bytes: the bytes that the agents of a core share.
        device_bytes: the bytes that all agents share.
        stack_bytes: the bytes of stack that an agent may need.
        is_apart: whether none of them ever waits for another.
    """

    op: ir.Operation
    cores: tuple[int, ...]
    places: tuple[int, ...]
    passed: tuple[int, ...]
    agent_bytes: int
    shared_bytes: int
    device_bytes: int
    stack_bytes: int
    is_apart: bool

    @property
    def outputs(self) -> frozenset[int]:
        """The arguments that the runtime writes counts of semaphores to."""
        return frozenset(number for number in self.passed[3::_PASSED] if number >= 0)

    @property
    def runner(self) -> str:
        """The function of the runtime that runs the phase."""
        return RUN_APART if self.is_apart else RUN_TOGETHER

    @property
    def scratch_bytes(self) -> int:
        """The bytes of all agents and cores, and of what all share."""
        of_cores = (max(self.cores) + 1) * self.shared_bytes
        return len(self.cores) * self.agent_bytes + of_cores + self.device_bytes

    def functions(self, number: int, entry: Entry, written: frozenset[int]) -> str:
        """Return the C function of the phase with a number, and what it tells the runtime.

        `written` has the numbers of the arguments that the phase may write to.

        Raises:
            CodegenError: the program has no status, or not the counts of semaphores that it is said to.
        """
        if entry.status is None:
            raise error_at(
                self.op.location,
                f"a phase of agents ends with a report if one fails; expected an argument with the "
                f"attribute '{STATUS}'",
            )
        self._check_passed(entry)
        name = f"phase_{number}"
        settings = "null" if entry.settings is None else f"%a{entry.settings}"
        some = "i64 %first, i64 %last, " if self.is_apart else ""
        arguments = (
            f"ptr @{name}.agent, ptr %buffers, ptr %dims, {some}ptr %scratch, ptr %a{entry.status}, "
            f"ptr {settings}, ptr @{name}.machine"
        )
        lines = [*loads(arguments), f"call void @{self.runner}({arguments})", "br label %end"]
        # Otherwise a phase is one iteration for those who divide it: a thread has all agents, or none.
        iterations = len(self.cores) if self.is_apart else 1
        is_empty = (
            "%is_empty = icmp eq i64 %first, %last\n  br i1 %is_empty, label %end, label %run"
        )
        calls = "\n".join(f"  {line}" for line in lines)
        text = f"  {is_empty}\nrun:\n{calls}\nend:\n  ret void"
        parameters = "ptr %buffers, ptr %dims, i64 %first, i64 %last, ptr %scratch"
        return (
            f"{self._constant(name, [int(k in written) for k in range(len(entry.arguments))])}\n"
            f"define void @{name}({parameters}) {ONCE} {{\nentry:\n{text}\n}}\n"
            f"define i64 @{name}_size(ptr %dims) {ONCE} {{\nentry:\n  ret i64 {iterations}\n}}"
        )

    def _check_passed(self, entry: Entry) -> None:
        """Check that each array of semaphores that is passed is an argument of as many counts."""
        for at in range(0, len(self.passed), _PASSED):
            _, count, *numbers = self.passed[at : at + _PASSED]
            for number in numbers:
                known = entry.arguments[number] if 0 <= number < len(entry.arguments) else None
                if number == -1 or (
                    known is not None and (known.dtype, known.shape) == ("i32", (count,))
                ):
                    continue
                found = "none" if known is None else f"of type {known.dtype}{list(known.shape)}"
                raise error_at(
                    self.op.location,
                    f"'{PASSED_SEMAPHORES}' has the counts of {count} semaphores in argument "
                    f"{number}, which is {found}; expected i32[{count}]",
                )

    def _constant(self, name: str, is_written: list[int]) -> str:
        """Return the definition of `Description` of native/machine/run.h."""
        sizes = (len(self.cores), self.agent_bytes, max(self.cores) + 1, self.shared_bytes)
        semaphores = (len(self.places), len(self.passed) // _PASSED)
        more = (self.device_bytes, *semaphores, self.stack_bytes, len(is_written))
        numbers = (*sizes, *more, *self.cores, *self.places, *is_written, *self.passed)
        values = ", ".join(f"i64 {number}" for number in numbers)
        return f"@{name}.machine = private constant [{len(numbers)} x i64] [{values}]"


def read_together(phase: ir.Operation, counts: list[str], t: Translator, text: str) -> Together:
    """Return what the runtime has to know of a phase of agents.

    Args:
        phase: the phase.
        counts: the number of iterations of each dimension, as LLVM operands.
        t: the translator of its body.
        text: the instructions of its body.

    Raises:
        CodegenError: the number of agents is not known, or the attributes are wrong.
    """
    cores = _integers(phase, TOGETHER)
    known = [int(count) for count in counts if is_constant(count)]
    agents = math.prod(known)
    if len(known) < len(counts) or agents != len(cores) or not cores:
        found = (
            f"{agents} iterations" if len(known) == len(counts) else "a number that is not constant"
        )
        raise error_at(
            phase.location,
            f"'{TOGETHER}' has the cores of {len(cores)} agents, and the phase has {found}; expected "
            "constant bounds, and a core for each iteration",
        )
    if min(cores) < 0 or max(cores) >= len(cores):
        raise error_at(
            phase.location,
            f"'{TOGETHER}' has cores from {min(cores)} to {max(cores)}; expected numbers from 0 on, "
            f"below the number of agents, {len(cores)}",
        )
    places = _integers(phase, SEMAPHORES) if SEMAPHORES in phase.attributes else ()
    passed = _passed(phase, len(places)) if PASSED_SEMAPHORES in phase.attributes else ()
    return Together(
        phase,
        cores,
        places,
        passed,
        aligned(t.scratch_bytes),
        aligned(t.shared_bytes[SHARED_OFFSET]),
        aligned(t.shared_bytes[DEVICE_OFFSET]),
        _stack_bytes(phase, t, text),
        APART in phase.attributes,
    )


def _passed(phase: ir.Operation, semaphores: int) -> tuple[int, ...]:
    """Return the attribute of passed semaphores; see its name."""
    numbers = _integers(phase, PASSED_SEMAPHORES)
    ends = [sum(numbers[at : at + 2]) for at in range(0, len(numbers), _PASSED)]
    if len(numbers) % _PASSED or max(ends, default=0) > semaphores:
        raise error_at(
            phase.location,
            f"'{PASSED_SEMAPHORES}' is {list(numbers)}; expected {_PASSED} integers for each array, "
            f"with semaphores below {semaphores}, the number in '{SEMAPHORES}'",
        )
    return numbers


def _integers(phase: ir.Operation, name: str) -> tuple[int, ...]:
    attribute = phase.attributes[name]
    try:
        return tuple(ir.DenseI64ArrayAttr(attribute))
    except ValueError:
        raise error_at(
            phase.location, f"attribute '{name}' is {attribute}; expected an array<i64: ...>"
        ) from None


def _stack_bytes(phase: ir.Operation, t: Translator, text: str) -> int:
    """Return a bound of the stack that a body needs: as if each value was kept there, twice.

    The twice is for values that LLVM takes apart by way of memory. Memory of a stack that is not used
    costs nothing.
    """
    registers = sum(map(_value_bytes, text.splitlines()))
    needed = _OWN_STACK_BYTES + 8 * t.packed + 2 * registers
    if needed > MAX_STACK_BYTES:
        raise error_at(
            phase.location,
            f"the values of an agent may take {needed} bytes of stack; expected at most "
            f"{MAX_STACK_BYTES}: use smaller vectors, or loops",
        )
    return needed


def _value_bytes(line: str) -> int:
    """Return the bytes of the largest vector in an instruction, at least those of a register."""
    found = [
        int(count) * (int(bits) if bits else 64 if double else 32) // 8
        for count, bits, double in _VECTOR.findall(line)
    ]
    return max(found, default=8)


def allocate_packed(t: Translator) -> list[str]:
    """Return the instruction that makes the array of integers for calls, if one is needed."""
    return [f"{PACKED} = alloca [{t.packed} x i64]"] if t.packed else []
