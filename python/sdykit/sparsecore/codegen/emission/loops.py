"""Loops, conditions and joins in LLVM IR: blocks and phis."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sdykit.sparsecore.codegen.emission.emitter import Emitter
from sdykit.sparsecore.codegen.emission.values import Lowered

Body = Callable[[str, list[Lowered]], Sequence[Lowered]]
"""From the induction variable and the carried values to those of the next iteration."""


class Phis:
    """The phis at the head of a loop; they are completed at its end, by `close`.

    Args:
        emitter: the emitter, at the head of the loop, a block without instructions so far.
        before: the label of the block that the loop is entered from.
        initial: the carried values on entry.
    """

    def __init__(self, emitter: Emitter, before: str, initial: Sequence[Lowered]) -> None:
        self._emitter = emitter
        self._before = before
        self._initial = list(initial)
        self._line = emitter.reserve()
        self.lowered = [
            each.with_parts([emitter.register() for _ in each.parts]) for each in initial
        ]

    def close(self, latch: str, back: Sequence[Lowered]) -> None:
        """Write the phis: the carried values `back` come from the block `latch`."""
        lines = []
        for phi, first, next_ in zip(self.lowered, self._initial, back, strict=True):
            for (type_, name), (_, a), (_, b) in zip(
                phi.parts, first.parts, next_.parts, strict=True
            ):
                lines.append(f"{name} = phi {type_} [ {a}, %{self._before} ], [ {b}, %{latch} ]")
        self._emitter.fill(self._line, lines)


def counted_loop(
    e: Emitter,
    bounds: tuple[str, str, str],
    initial: Sequence[Lowered],
    body: Body,
    *,
    unsigned: bool = False,
) -> list[Lowered]:
    """Emit a loop over an `i64`.

    Args:
        e: the emitter; afterwards it is in the first block after the loop.
        bounds: lower bound, upper bound (exclusive) and step (positive).
        initial: the carried values on entry.
        body: a function that emits the body and returns the carried values of the next iteration.
        unsigned: whether bounds and counter are unsigned.

    Returns:
        The carried values after the last iteration.
    """
    lower, upper, step = bounds
    head, inside, after = e.labels("head", "body", "done")
    before, counter, loops = e.label, e.register(), e.loop_count
    e.jump(head)
    e.start(head)
    line = e.reserve()
    phis = Phis(e, before, initial)
    sign, wrap = ("ult", "nuw") if unsigned else ("slt", "nsw")
    e.branch(e.set(f"icmp {sign} i64 {counter}, {upper}"), inside, after)
    e.start(inside)
    back = body(counter, phis.lowered)
    next_counter = _hidden(e, e.set(f"add {wrap} i64 {counter}, {step}"))
    e.fill(line, [f"{counter} = phi i64 [ {lower}, %{before} ], [ {next_counter}, %{e.label} ]"])
    phis.close(e.label, back)
    e.jump_back(head, loops)
    e.start(after)
    return phis.lowered


def _hidden(e: Emitter, counter: str) -> str:
    """Hide from LLVM's code generator how a loop counts; the optimizer sees through it.

    The code generator would search for cheaper addresses in each loop ("loop strength reduction").
    That took a quarter of its time, and what it found ran no faster: addresses are cheap on x86.
    """
    types = ["i64", "i64"]
    return e.call("llvm.expect.i64", "i64", [f"i64 {counter}", "i64 0"], types)


def choice(
    e: Emitter,
    condition: str,
    then: Callable[[], Sequence[Lowered]],
    otherwise: Callable[[], Sequence[Lowered]],
) -> list[Lowered]:
    """Emit two alternatives.

    Args:
        e: the emitter; afterwards it is in the block where the alternatives join.
        condition: the `i1` that selects the alternative.
        then: a function that emits the alternative for true and returns its values.
        otherwise: a function that emits the alternative for false and returns its values.

    Returns:
        The values of the alternative that ran.
    """
    if_true, if_false, after = e.labels("then", "else", "end")
    e.branch(condition, if_true, if_false)
    sides = []
    for label, emit in ((if_true, then), (if_false, otherwise)):
        e.start(label)
        sides.append((list(emit()), e.label))
        e.jump(after)
    e.start(after)
    (first, first_label), (second, second_label) = sides
    joined = []
    for a, b in zip(first, second, strict=True):
        texts = [
            e.set(f"phi {type_} [ {x}, %{first_label} ], [ {y}, %{second_label} ]")
            for (type_, x), (_, y) in zip(a.parts, b.parts, strict=True)
        ]
        joined.append(a.with_parts(texts))
    return joined
