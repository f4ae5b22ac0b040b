"""Ops with regions: loops, conditions, and memory for a while."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sdykit.sparsecore.mosaic.reference.spins import repeating
from sdykit.sparsecore.mosaic.reference.subcore import Subcore
from sdykit.sparsecore.mosaic.reference.tables import Table
from sdykit.sparsecore.mosaic.reports import End, Interrupted

if TYPE_CHECKING:
    from sdykit.sparsecore.mosaic.reference.translation import Translation

OPS: Table[Callable[[Translation, Any], None]] = Table("Regions")

_SEMAPHORES = ("tpu.sem_alloc",)


@OPS("tpu.region")
def region(to: Translation, op: Any) -> None:
    """Its body, once; its results are the operands of `tpu.yield`.

    At the end the semaphores that it made must be 0.
    """
    body = op.regions[0].blocks[0]
    last = to.block(body)
    to.assign(op.results, last.operands)
    made = [each for each in body.operations if each.operation.name in _SEMAPHORES]
    for each in made:
        to.line(to.call(_check_zero, "me", to.name(each.results[0])))


def _checks_interrupts(place: int) -> Callable[[Subcore], None]:
    """Return what ends the run if the user has interrupted it."""

    def run(me: Subcore) -> None:
        if me.machine.is_interrupted():
            me.machine.fail(Interrupted(agent=me.number, place=place))

    return run


@OPS("scf.for")
def for_(to: Translation, op: Any) -> None:
    """Its body for each number from the lower to below the upper bound, with carried values.

    With `sc.parallel_access` (`parallel_loop`) iterations run in order, too; it is an error if they
    depend on each other through memory.
    """
    lower, upper, step, *inits = op.operands
    body = op.regions[0].blocks[0]
    variable, *carried = body.arguments
    is_parallel = "sc.parallel_access" in op.attributes
    place = to.place
    to.assign(carried, inits)
    if is_parallel:
        to.line(to.call(lambda me: me.machine.checks.loop_begin(me.number, place), "me"))
    to.line(f"for {to.name(variable)} in range({to.list([lower, upper, step])}):")
    to.depth += 1
    if is_parallel:
        to.line(to.call(lambda me: me.machine.checks.loop_next(me.number), "me"))
    to.line(to.call(_checks_interrupts(place), "me"))
    last = to.block(body)
    to.assign(carried, last.operands)
    to.depth -= 1
    if is_parallel:
        to.line(to.call(lambda me: me.machine.checks.loop_end(me.number), "me"))
    to.assign(op.results, carried)


@OPS("scf.while")
def while_(to: Translation, op: Any) -> None:
    """Its first region, and while `scf.condition` is true its second one and the first again."""
    before, after = (each.blocks[0] for each in op.regions)
    start, again, end = repeating(op, to.sites, to.place)
    if start is not None:
        to.line(to.call(start, "me"))
    to.assign(before.arguments, op.operands)
    to.line("while True:")
    to.depth += 1
    condition, *carried = to.block(before).operands
    to.assign(op.results, carried)
    to.line(f"if not {to.name(condition)}: break")
    to.line(to.call(_checks_interrupts(to.place), "me"))
    if again is not None:
        to.line(f"yield from {to.call(again, 'me')}")
    to.assign(after.arguments, carried)
    last = to.block(after)
    to.assign(before.arguments, last.operands)
    to.depth -= 1
    if end is not None:
        to.line(to.call(end, "me"))


@OPS("scf.if")
def if_(to: Translation, op: Any) -> None:
    """Its first region if the condition is true, else its second one, if it has one."""
    words = (f"if {to.name(op.operands[0])}:", "else:")
    for word, each in zip(words, op.regions, strict=True):
        if not len(each.blocks):
            continue
        to.line(word)
        to.depth += 1
        to.line("pass")
        last = to.block(each.blocks[0])
        to.assign(op.results, last.operands)
        to.depth -= 1


@OPS("scf.index_switch")
def index_switch(to: Translation, op: Any) -> None:
    """The region of the case that the operand is, else the first one."""
    default, *cases = op.regions
    for word, case, each in zip(("if", *["elif"] * len(cases)), op.cases, cases, strict=False):
        _case(to, f"{word} {to.name(op.operands[0])} == {case}:", op, each)
    _case(to, "else:" if cases else "if True:", op, default)


def _case(to: Translation, word: str, op: Any, region_: Any) -> None:
    to.line(word)
    to.depth += 1
    to.line("pass")
    last = to.block(region_.blocks[0])
    to.assign(op.results, last.operands)
    to.depth -= 1


def _check_zero(me: Subcore, memref: Any) -> None:
    """End the run if a semaphore of a region has counts left."""
    me.machine.check_zero(memref.buffer.semaphores, End.REGION)
