"""Ops of bodies with regions or several results: loops and barriers."""

from __future__ import annotations

from collections.abc import Sequence

from support.generators.choices import Choices
from support.mpmd.programs.bodies import KINDS, BodyBuilder, Slot, tensor_of
from support.mpmd.programs.elementwise_ops import LITERALS
from support.mpmd.programs.types import Tensor

_INDEX = Tensor((), "i32")


def while_(body: BodyBuilder, choices: Choices) -> None:
    """Repeat an op a few times."""
    if not (slot := body.pick(*KINDS)):
        return
    kind = tensor_of(slot).kind
    op = {"flag": "not", "float": choices.pick(("sine", "tanh"))}.get(kind, "negate")
    if body.fresh(f"while {op} {slot.name}"):
        loop(body, choices, slot, f"{op} %x : {slot.type}")


def loop(
    body: BodyBuilder, choices: Choices, slot: Slot, step: str, *, placed: bool = False
) -> Slot:
    """Repeat a step, which is an op on `%x`."""
    first, last, by = (body.constant(str(n), _INDEX) for n in (0, choices.between(2, 4), 1))
    name = f"%v{len(body.slots)}"
    body.lines += [
        f"{name}:2 = stablehlo.while(%i = {first}, %x = {slot.name}) : {_INDEX.text}, {slot.type}",
        "cond {",
        f"  %p = stablehlo.compare LT, %i, {last} : ({_INDEX.text}, {_INDEX.text}) -> tensor<i1>",
        "  stablehlo.return %p : tensor<i1>",
        "} do {",
        f"  %j = stablehlo.add %i, {by} : {_INDEX.text}",
        f"  %y = stablehlo.{step}",
        f"  stablehlo.return %j, %y : {_INDEX.text}, {slot.type}",
        "}",
    ]
    body.used.add(slot.name)
    made = Slot(f"{name}#1", slot.tensor, "while", placed)
    body.slots.append(made)
    return made


def barrier(body: BodyBuilder, choices: Choices) -> None:
    """Tie one or two values together."""
    if not (slot := body.pick(*KINDS)):
        return
    other = choices.pick([s for s in body.slots if s.tensor])
    slots = [slot] if other == slot else [slot, other]
    if body.fresh(f"tie {' '.join(slot.name for slot in slots)}"):
        tie(body, slots)


def tie(body: BodyBuilder, slots: Sequence[Slot]) -> list[Slot]:
    """Write an optimization barrier."""
    name = f"%v{len(body.slots)}"
    many = f":{len(slots)}" if len(slots) > 1 else ""
    names = ", ".join(slot.name for slot in slots)
    types = ", ".join(slot.type for slot in slots)
    body.lines.append(f"{name}{many} = stablehlo.optimization_barrier {names} : {types}")
    body.used.update(slot.name for slot in slots)
    made = [
        Slot(f"{name}#{at}" if many else name, slot.tensor, "optimization_barrier", slot.placed)
        for at, slot in enumerate(slots)
    ]
    body.slots += made
    return made


def start(body: BodyBuilder, tensor: Tensor) -> None:
    """Write a constant, and a barrier on it that keeps it from being moved."""
    if tensor.kind not in LITERALS:
        tensor = tensor.of("f32")
    name = body.constant(LITERALS[tensor.kind][0], tensor)
    tie(body, [Slot(name, tensor, "constant")])
