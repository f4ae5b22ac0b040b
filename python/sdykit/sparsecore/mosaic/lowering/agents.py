"""Which subcore the ids of an op name."""

from __future__ import annotations

from typing import Any

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.kernel import Function
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.numbers import Number, plus, times
from sdykit.sparsecore.mosaic.reports import NOBODY, OtherDevice, UnknownAgent
from sdykit.sparsecore.mosaic.types import memref_of

OWN = -1
"""In place of the number of an agent: the subcore itself."""


def find_agent(e: Emitter, op: ir.Operation, memref: ir.Value) -> Number:
    """Return the number of the agent whose memref an op with ids means; `OWN` without ids."""
    opview: Any = op.opview
    if opview.device_id is not None and not _is_own_device(opview.device_id):
        _check_device(e, op, e.number(opview.device_id))
    ids = (opview.core_id, opview.subcore_id)
    is_of_own_kind = memref_of(memref.type).core in (None, e.function.core)
    if all(each is None for each in ids) and is_of_own_kind:
        return OWN
    core, subcore = (None if each is None else e.number(each) for each in ids)
    return agent_of(e, op, memref, core, subcore)


def _is_own_device(device: ir.Value) -> bool:
    """Return whether an id is certainly that of the device that the kernel runs on."""
    return not isinstance(device.owner, ir.Block) and device.owner.name == "tpu.device_id"


def _check_device(e: Emitter, op: ir.Operation, device: Number) -> None:
    """Add the check that an id names the device that the kernel runs on."""
    own = e.b.at(0) if e.device is None else e.b.to_index(e.b.load(e.device, 0))
    holds = e.b.compare("eq", e.b.at(device), own)
    e.fail_unless(holds, OtherDevice.kind, e.agent, e.kernel.places.of(op), device)


def agent_of(
    e: Emitter, op: ir.Operation, memref: ir.Value, core: Number | None, subcore: Number | None
) -> Number:
    """Return the number of an agent, and add the check that there is one.

    Args:
        e: the emitter that ops are added with.
        op: the op of the kernel.
        memref: the memref, whose type says whether it is a vector or a scalar subcore.
        core: the core; None is the subcore's own.
        subcore: the vector subcore; None is the own one.
    """
    function = _owner(e, op, memref)
    own = [e.number(each) for each in e.function.indices]
    core = own[0] if core is None else core
    if function.core == "vector" and subcore is None:
        if len(own) < 2:
            raise e.not_lowered(op, "to vector subcores without the id of one")
        subcore = own[1]
    first, bounds = function.agents[0].number, function.bounds
    if function.core == "scalar":
        _check(e, op, function, (core, NOBODY))
        return plus(e.b, core, first)
    assert subcore is not None
    _check(e, op, function, (core, subcore))
    return plus(e.b, plus(e.b, times(e.b, core, bounds[1]), subcore), first)


def _owner(e: Emitter, op: ir.Operation, memref: ir.Value) -> Function:
    """Return the function whose agents have a memref."""
    kind = memref_of(memref.type).core or e.function.core
    found = [each for each in e.kernel.functions if each.core == kind]
    if not found:
        raise e.not_lowered(op, f"to {kind} subcores, which the kernel does not have")
    return next((each for each in found if each is e.function), found[0])


def _check(e: Emitter, op: ir.Operation, function: Function, ids: tuple[Number, Number]) -> None:
    """Add the check that ids name an agent of a function."""
    b, bounds = e.b, (*function.bounds, 1)
    is_scalar = function.core == "scalar"
    checked = list(zip(ids, bounds, strict=False))[: len(function.bounds)]
    unknown = [
        each for each in checked if not (isinstance(each[0], int) and each[0] in range(each[1]))
    ]
    if not unknown:
        return
    holds = None
    for number, bound in unknown:
        is_below = b.compare("ult", number, bound)
        holds = is_below if holds is None else b.bits("arith.andi", holds, is_below)
    assert holds is not None
    numbers = (e.agent, e.kernel.places.of(op), int(is_scalar), *ids)
    subcores = 1 if is_scalar else bounds[1]
    e.fail_unless(holds, UnknownAgent.kind, *numbers, bounds[0], subcores)
