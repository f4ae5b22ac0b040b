"""Loops, conditions and joins in LLVM IR: blocks and phis."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sdykit.sparsecore.codegen.emission.emitter import Emitter
from sdykit.sparsecore.codegen.emission.values import Held

Body = Callable[[str, list[Held]], Sequence[Held]]
"""From the induction variable and what the loop carries to what the next round gets."""


class Phis:
    """The phis at the head of a loop; what comes back to them is known at its end only.

    Args:
        emitter: at the head, a block without instructions so far.
        before: the block that the loop is entered from.
        initial: what it is entered with.
    """

    def __init__(self, emitter: Emitter, before: str, initial: Sequence[Held]) -> None:
        self._emitter = emitter
        self._before = before
        self._initial = list(initial)
        self._place = emitter.place()
        self.held = [each.with_parts([emitter.register() for _ in each.parts]) for each in initial]

    def close(self, latch: str, back: Sequence[Held]) -> None:
        """Write the phis: `back` comes from the block `latch`."""
        lines = []
        for held, first, again in zip(self.held, self._initial, back, strict=True):
            for (type_, name), (_, a), (_, b) in zip(
                held.parts, first.parts, again.parts, strict=True
            ):
                lines.append(f"{name} = phi {type_} [ {a}, %{self._before} ], [ {b}, %{latch} ]")
        self._emitter.fill(self._place, lines)


def counted_loop(
    e: Emitter,
    bounds: tuple[str, str, str],
    initial: Sequence[Held],
    body: Body,
    *,
    unsigned: bool = False,
) -> list[Held]:
    """Emit a loop over an `i64`.

    Args:
        e: where to; it is in the first block after the loop then.
        bounds: lower bound, upper bound (excluded) and step (positive).
        initial: what the loop carries, on entry.
        body: emits one round.
        unsigned: compare and count without signs.

    Returns:
        What the loop carries at its end.
    """
    lower, upper, step = bounds
    head, inside, after = e.labels("head", "body", "done")
    before, counter, loops = e.label, e.register(), e.loop_count
    e.jump(head)
    e.start(head)
    place = e.place()
    phis = Phis(e, before, initial)
    sign, wrap = ("ult", "nuw") if unsigned else ("slt", "nsw")
    e.branch(e.set(f"icmp {sign} i64 {counter}, {upper}"), inside, after)
    e.start(inside)
    back = body(counter, phis.held)
    following = _hidden(e, e.set(f"add {wrap} i64 {counter}, {step}"))
    e.fill(place, [f"{counter} = phi i64 [ {lower}, %{before} ], [ {following}, %{e.label} ]"])
    phis.close(e.label, back)
    e.jump_back(head, loops)
    e.start(after)
    return phis.held


def _hidden(e: Emitter, counter: str) -> str:
    """Hide from LLVM's code generator how a loop counts; the optimizer looks through it.

    It would search for cheaper addresses in each loop ("loop strength reduction"). That took a
    quarter of its time, and found none that ran faster: those of x86 are cheap as they are.
    """
    types = ["i64", "i64"]
    return e.call("llvm.expect.i64", "i64", [f"i64 {counter}", "i64 0"], types)


def choice(
    e: Emitter,
    condition: str,
    then: Callable[[], Sequence[Held]],
    otherwise: Callable[[], Sequence[Held]],
) -> list[Held]:
    """Emit two alternatives; gives what either of them gives."""
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
