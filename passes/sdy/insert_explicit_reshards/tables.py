"""The shardings of all tensors of a function by number, read at once."""

from __future__ import annotations

from sdykit.passes.sdy._propagation.manual import boundary_of
from sdykit.passes.sdy._propagation.numbered import NONE, NumberedShardings
from sdykit.passes.sdy._propagation.program import Program
from sdykit.passes.sdy._propagation.slots import Slots
from sdykit.passes.sdy._value_shardings import MANUAL_COMPUTATION
from sdykit.passes.sdy.insert_explicit_reshards.values import BARRIER, Tensors


class Tables:
    """The shardings that the ops of a function see, as they are now.

    A value stands for what has taken over its uses: to read that again from the op would take longer.
    """

    def __init__(self, program: Program, shardings: NumberedShardings) -> None:
        self._program = program
        slots = Slots(program, shardings)
        self._seen = [slots.state[slot] for slot in slots.of]
        self._enter_bodies(shardings)
        self._after_barriers = {
            user
            for node in program.named(BARRIER)
            for value in program.results[node]
            for user in program.users[value]
        }

    def _enter_bodies(self, shardings: NumberedShardings) -> None:
        """Take the manual axes from the shardings of the arguments of manual computations."""
        program, seen = self._program, self._seen
        for node in program.named(MANUAL_COMPUTATION):
            for number, value in enumerate(program.bodies[node][0][0].arguments):
                outer = seen[value]
                boundary = boundary_of(program.ops[node], number, shardings, is_argument=True)
                if outer != NONE and boundary is not None:
                    seen[value] = shardings.number(boundary.to_inner(shardings.of(outer)))

    def tensors(self, node: int) -> Tensors:
        """Return the tensors of an op that no barrier is before."""
        program, seen = self._program, self._seen
        operands, types = program.operands[node], program.types
        values = operands + program.results[node]
        numbers = tuple([seen[value] for value in values])
        return Tensors(len(operands), numbers, numbers, tuple([types[value] for value in values]))

    def of(self, value: int) -> int:
        """Return the number of the sharding that users of a value see."""
        return self._seen[value]

    def is_after_barrier(self, node: int) -> bool:
        """Return whether an operand of an op is the result of a barrier."""
        return node in self._after_barriers

    def set_results(self, node: int, seen: tuple[int, ...]) -> None:
        """Set the numbers of the shardings that users of the results of an op see."""
        for value, number in zip(self._program.results[node], seen, strict=True):
            self._seen[value] = number
