"""`scf` inside a phase."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core.sparsecore.names import OR_FIRST
from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.loops import Phis, choice, counted_loop
from sdykit.sparsecore.codegen.emission.types import Type
from sdykit.sparsecore.codegen.emission.values import Lowered, Value
from sdykit.sparsecore.codegen.translation.located_errors import error_of
from sdykit.sparsecore.codegen.translation.op_attributes import flag, segments
from sdykit.sparsecore.codegen.translation.translator import Handler, Translator, only_block

_ALLOCATIONS = {"memref.alloc", "memref.alloca"}


def _for(t: Translator, op: ir.Operation) -> None:
    lower, upper, step, *initial = op.operands
    block = only_block(op, op.regions[0])
    unsigned = flag(op, "unsignedCmp")
    _check_carried(op, initial)
    counter_type = t.value(lower).type
    wide = [_widened(t, t.value(bound), unsigned) for bound in (lower, upper, step)]

    def body(counter: str, carried: list[Lowered]) -> Sequence[Lowered]:
        t.set_all(block.arguments, [_narrowed(t, counter, counter_type), *carried])
        return t.operands(t.block(block))

    start = [t[value] for value in initial]
    bounds = (wide[0], wide[1], wide[2])
    t.set_all(op.results, counted_loop(t.emitter, bounds, start, body, unsigned=unsigned))


def _widened(t: Translator, value: Value, unsigned: bool) -> str:
    """Extend a bound to 64 bits: the last addition to a narrow counter could overflow."""
    if value.type.element.bits == 64:
        return value.text
    extension = "zext" if unsigned else "sext"
    return t.emitter.set(f"{extension} {value.operand} to i64")


def _narrowed(t: Translator, counter: str, type_: Type) -> Value:
    if type_.element.bits == 64:
        return Value(type_, counter)
    return Value(type_, t.emitter.set(f"trunc i64 {counter} to {type_.llvm}"))


def _if(t: Translator, op: ir.Operation) -> None:
    def side(region: ir.Region) -> Sequence[Lowered]:
        if not list(region):
            return ()
        return t.operands(t.block(only_block(op, region)))

    then, otherwise = op.regions
    condition = t.value(op.operands[0]).text
    if OR_FIRST in op.attributes:
        is_first = t.emitter.set(f"icmp eq i64 {t.iteration}, %begin")
        condition = t.emitter.set(f"or i1 {condition}, {is_first}")
    joined = choice(t.emitter, condition, lambda: side(then), lambda: side(otherwise))
    t.set_all(op.results, joined)


def _while(t: Translator, op: ir.Operation) -> None:
    e = t.emitter
    before, after = (only_block(op, region) for region in op.regions)
    _check_carried(op, op.operands)
    head, inside, done = e.labels("while", "do", "done")
    start, entered_from, loops = t.operands(op), e.label, e.loop_count
    e.jump(head)
    e.start(head)
    phis = Phis(e, entered_from, start)
    t.set_all(before.arguments, phis.lowered)
    condition, *forwarded = t.operands(t.block(before))
    assert isinstance(condition, Value)
    e.branch(condition.text, inside, done)
    e.start(inside)
    t.set_all(after.arguments, forwarded)
    back = t.operands(t.block(after))
    phis.close(e.label, back)
    e.jump_back(head, loops)
    e.start(done)
    t.set_all(op.results, forwarded)


def _check_carried(op: ir.Operation, initial: Sequence[ir.Value]) -> None:
    """Check that a loop does not need two buffers of one allocation at the same time.

    Raises:
        CodegenError: the loop carries a memref and allocates one.
    """
    if not any(isinstance(value.type, ir.MemRefType) for value in initial):
        return
    found: list[str] = []

    def visit(inner: ir.Operation) -> ir.WalkResult:
        if inner.name in _ALLOCATIONS:
            found.append(inner.name)
        return ir.WalkResult.ADVANCE

    op.walk(visit)
    if found:
        raise error_of(
            op,
            f"it carries a memref from one iteration to the next, and has '{found[0]}' in its "
            "body; allocate before the loop",
        )


def _parallel(t: Translator, op: ir.Operation) -> None:
    lower, upper, step, initial = segments(op)
    block = only_block(op, op.regions[0])
    _check_carried(op, initial)
    counters: list[Lowered] = []
    index = [t.value(value) for value in (*lower, *upper, *step)]
    rank = len(lower)

    def nest(depth: int, carried: list[Lowered]) -> list[Lowered]:
        if depth == rank:
            t.set_all(block.arguments, counters)
            return _reduce(t, t.block(block), carried)
        bounds = (index[depth].text, index[rank + depth].text, index[2 * rank + depth].text)

        def body(counter: str, inner: list[Lowered]) -> Sequence[Lowered]:
            counters.append(Value(index[depth].type, counter))
            inner_result = nest(depth + 1, inner)
            counters.pop()
            return inner_result

        return counted_loop(t.emitter, bounds, carried, body)

    t.set_all(op.results, nest(0, [t[value] for value in initial]))


def _reduce(t: Translator, op: ir.Operation, carried: list[Lowered]) -> list[Lowered]:
    """Return the carried values, combined with the operands of `scf.reduce`."""
    folded = []
    for region, lowered, value in zip(op.regions, carried, t.operands(op), strict=True):
        block = only_block(op, region)
        t.set_all(block.arguments, [lowered, value])
        (result,) = t.operands(t.block(block))
        folded.append(result)
    return folded


def _execute_region(t: Translator, op: ir.Operation) -> None:
    lowered = t.operands(t.block(only_block(op, op.regions[0])))
    t.set_all(op.results, lowered)


OPS: dict[str, Handler] = {
    "scf.execute_region": _execute_region,
    "scf.for": _for,
    "scf.if": _if,
    "scf.parallel": _parallel,
    "scf.while": _while,
}
