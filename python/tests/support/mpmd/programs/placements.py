"""Results of bodies in host memory: how they get there, and what keeps them there."""

from __future__ import annotations

from support.generators.choices import Choices
from support.mpmd.programs.bodies import BodyBuilder, Slot, tensor_of
from support.mpmd.programs.callees import annotation
from support.mpmd.programs.effects import call, partition
from support.mpmd.programs.elementwise_ops import UNARY
from support.mpmd.programs.region_ops import loop, tie
from support.mpmd.programs.shape_ops import update_with
from support.mpmd.programs.types import Tensor


def place(body: BodyBuilder, choices: Choices, slot: Slot) -> None:
    """Place a value on the host or the device, and pass it through what keeps its place.

    What comes out has no use yet: it becomes a result.
    """
    features = body.features
    made: Slot | None = slot
    if features.placements:
        made = _annotate(body, choices, slot)
    if made and features.host_compute and choices.chance(0.3 if features.placements else 1):
        made = _compute(body, choices, made)
    for _ in range(choices.pick((0, 0, 1, 1, 2))):
        if made is None or not made.placed:
            return
        made = _keep(body, choices, made)


def _annotate(body: BodyBuilder, choices: Choices, slot: Slot) -> Slot | None:
    tensor = tensor_of(slot)
    if body.features.calls and choices.chance(0.2):
        return call(body, slot, placed=True)
    where = choices.pick(("pinned_host", "pinned_host", "device"))
    on_host = where == "pinned_host"
    if body.features.loops and choices.chance(0.2):
        return loop(body, choices, slot, annotation("%x", slot.type, where), placed=on_host)
    text = annotation(slot.name, slot.type, where)
    return body.write(text, tensor, [slot], "custom_call", placed=on_host)


def _compute(body: BodyBuilder, choices: Choices, slot: Slot) -> Slot | None:
    """Compute on the host or the device, which decides where the result lives."""
    tensor = tensor_of(slot)
    ops = [op for op in UNARY[tensor.kind] if op != slot.maker]
    if not ops:
        return None
    op, where = choices.pick(ops), choices.pick(("host", "host", "dense"))
    words = f'{{mhlo.frontend_attributes = {{_xla_compute_type = "{where}"}}}}'
    text = f"{op} {slot.name} {words} : {slot.type}"
    return body.write(text, tensor, [slot], op, placed=where == "host")


def _keep(body: BodyBuilder, choices: Choices, slot: Slot) -> Slot | None:
    """Pass a placed value through an op that placement is traced through."""
    tensor = tensor_of(slot)
    ways = ["partition"] * body.features.custom_calls + ["tie"] * body.features.barriers
    ways += ["reshape", "update"] * body.features.shapes
    if not ways:
        return slot
    way = choices.pick(ways)
    if way == "partition":
        return partition(body, choices, slot)
    if way == "tie":
        return tie(body, [slot])[0]
    whole = next((s for s in body.slots if s.tensor == tensor and not s.placed), None)
    if way == "update" and whole is not None and tensor.shape:
        return update_with(body, whole, slot, choices)
    if slot.maker == "reshape" or len(tensor.shape) > 2:
        return slot
    wanted = Tensor((1, *tensor.shape), tensor.element)
    text = f"reshape {slot.name} : ({slot.type}) -> {wanted.text}"
    return body.write(text, wanted, [slot], "reshape", placed=slot.placed)
