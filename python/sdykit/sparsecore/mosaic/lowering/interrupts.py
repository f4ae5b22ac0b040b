"""Loops that may take long check whether the user has interrupted the run."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.kernel import walk
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.reports import Interrupted

_FEW = 1 << 20
"""Steps of a loop that is too short to be interrupted: it takes a few milliseconds."""
_STEPS_OF_TRANSFER = 64
"""Steps that a transfer counts for."""
_TRANSFERS = ("tpu.enqueue_dma", "tpu.enqueue_indirect_dma")
_LOOPS = ("scf.for", "scf.while")


def check_interrupts(e: Emitter, loop: ir.Operation) -> None:
    """Add the check whether the user has interrupted the run to a loop that may take long.

    It comes first in an iteration; in a loop of few ops only one iteration in `_FEW` has it.
    """
    steps = _steps(loop)
    if steps is not None and steps <= _FEW:
        return

    def look() -> tuple[()]:
        found = e.call("sc_is_interrupted", [], has_result=True)
        assert found is not None
        goes_on = e.b.compare("eq", found, e.b.constant("0", "i64"))
        e.fail_unless(goes_on, Interrupted.kind, e.agent, e.kernel.places.of(loop))
        return ()

    has_more = any(view.operation.name in (*_LOOPS, *_TRANSFERS) for view in walk(loop))
    if loop.name == "scf.while" or has_more:
        look()
        return
    b, counter = e.b, e.value(loop.regions[0].blocks[0].arguments[0])
    low = b.integers("arith.andi", counter, b.constant(str(_FEW - 1), counter.type))
    is_turn = b.compare("ult", low, e.value(loop.operands[2]))
    b.choose(is_turn, look, tuple)


def _steps(op: ir.Operation) -> int | None:
    """Return about how many steps an op takes; None if it is not known."""
    if op.name == "scf.while":
        return None
    total = _STEPS_OF_TRANSFER if op.name in _TRANSFERS else 0
    for region in op.regions:
        for view in region.blocks[0].operations if len(region.blocks) else ():
            steps = _steps(view.operation)
            if steps is None:
                return None
            total += steps
    if op.name != "scf.for":
        return total
    bounds = [_constant(operand) for operand in list(op.operands)[:3]]
    lower, upper, step = bounds
    if lower is None or upper is None or not step:
        return None
    return len(range(lower, upper, step)) * max(total, 1)


def _constant(value: ir.Value) -> int | None:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return None
    return ir.IntegerAttr(owner.attributes["value"]).value
