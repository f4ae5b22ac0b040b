"""Ops of bodies that change shapes, or reduce or overwrite parts of tensors."""

from __future__ import annotations

import math

from support.generators.choices import Choices
from support.mpmd.programs.bodies import KINDS, BodyBuilder, Slot, tensor_of
from support.mpmd.programs.types import Tensor


def reshape(body: BodyBuilder, choices: Choices) -> None:
    if not (slot := body.pick(*KINDS, rank=1, maker="reshape")):
        return
    tensor = tensor_of(slot)
    flat = math.prod(tensor.shape)
    shapes = {(*tensor.shape, 1), (1, *tensor.shape), (flat,), tensor.shape[::-1]} - {tensor.shape}
    shapes = sorted(shape for shape in shapes if len(shape) <= 3)
    wanted = Tensor(choices.pick(shapes), tensor.element)
    body.emit("reshape", wanted, [slot], f" : ({tensor.text}) -> {wanted.text}")


def broadcast(body: BodyBuilder, choices: Choices) -> None:
    slot = body.pick(*KINDS, maker="broadcast_in_dim")
    if slot is None or len(tensor_of(slot).shape) > 2:
        return
    tensor = tensor_of(slot)
    wanted = Tensor((choices.pick((2, 4)), *tensor.shape), tensor.element)
    dimensions = ", ".join(str(at + 1) for at in range(len(tensor.shape)))
    tail = f", dims = [{dimensions}] : ({tensor.text}) -> {wanted.text}"
    body.emit("broadcast_in_dim", wanted, [slot], tail)


def transpose(body: BodyBuilder, choices: Choices) -> None:
    slot = body.pick(*KINDS, rank=2, maker="transpose")
    # One that only moves dimensions of size 1 is a reshape, and folded into one.
    if slot is None or 1 in tensor_of(slot).shape:
        return
    tensor = tensor_of(slot)
    order = list(range(len(tensor.shape)))
    order = [*order[1:], order[0]] if choices.chance(0.5) else order[::-1]
    wanted = Tensor(tuple(tensor.shape[at] for at in order), tensor.element)
    tail = f", dims = [{', '.join(map(str, order))}] : ({tensor.text}) -> {wanted.text}"
    body.emit("transpose", wanted, [slot], tail)


def dot(body: BodyBuilder, _: Choices) -> None:
    if not (left := body.pick("float", rank=2)):
        return
    tensor, right = tensor_of(left), body.like(left)
    if len(tensor.shape) != 2:
        return
    wanted = Tensor((tensor.shape[0], tensor.shape[0]), tensor.element)
    tail = f", contracting_dims = [1] x [1] : ({tensor.text}, {tensor.text}) -> {wanted.text}"
    body.emit("dot_general", wanted, [left, right], tail)


def slice_(body: BodyBuilder, choices: Choices) -> None:
    slot = body.pick(*KINDS, rank=1, maker="slice")
    if slot is None or tensor_of(slot).shape[0] < 2:
        return
    tensor = tensor_of(slot)
    size = tensor.shape[0] // 2
    first = choices.between(0, size)
    wanted = Tensor((size, *tensor.shape[1:]), tensor.element)
    ranges = [f"{first}:{first + size}", *(f"0:{other}" for other in tensor.shape[1:])]
    tail = f" [{', '.join(ranges)}] : ({tensor.text}) -> {wanted.text}"
    body.emit("slice", wanted, [slot], tail)


def reduce(body: BodyBuilder, choices: Choices) -> None:
    slot = body.pick("float", "integer", rank=1)
    if slot is None:
        return
    tensor = tensor_of(slot)
    at = choices.between(0, len(tensor.shape) - 1)
    wanted = Tensor((*tensor.shape[:at], *tensor.shape[at + 1 :]), tensor.element)
    scalar = Tensor((), tensor.element)
    start = body.constant("0.0" if tensor.kind == "float" else "0", scalar)
    op = choices.pick(("add", "maximum"))
    body.write(
        f"reduce({slot.name} init: {start}) applies stablehlo.{op} across dimensions = [{at}]"
        f" : ({tensor.text}, {scalar.text}) -> {wanted.text}",
        wanted,
        [slot],
        "reduce",
    )


def update_slice(body: BodyBuilder, choices: Choices) -> None:
    """Overwrite a part of a tensor with another one."""
    slot = body.pick(*KINDS, rank=1)
    if slot is None:
        return
    tensor = tensor_of(slot)
    part = [s for s in body.slots if s.tensor and s != slot and _fits(s.tensor, tensor)]
    if not part:
        return
    update_with(body, slot, choices.pick(part), choices)


def _fits(part: Tensor, whole: Tensor) -> bool:
    same = part.element == whole.element and len(part.shape) == len(whole.shape)
    return same and all(p <= w for p, w in zip(part.shape, whole.shape, strict=True))


def update_with(body: BodyBuilder, slot: Slot, part: Slot, choices: Choices) -> Slot | None:
    index = Tensor((), "i32")
    drawn = [choices.between(0, 1) for _ in tensor_of(slot).shape]
    if part.tensor == slot.tensor:
        # It would be folded from the start on; it is moved there in any case.
        drawn[0] = 1
    starts = [body.constant(str(start), index) for start in drawn]
    types = ", ".join([slot.type, part.type, *[index.text] * len(drawn)])
    return body.write(
        f"dynamic_update_slice {slot.name}, {part.name}, {', '.join(starts)}"
        f" : ({types}) -> {slot.type}",
        tensor_of(slot),
        [slot, part],
        "dynamic_update_slice",
        placed=part.placed,
    )
