"""Ops of bodies other than computations: calls, custom calls, and ops ordered by tokens."""

from __future__ import annotations

from support.generators.choices import Choices
from support.mpmd.programs.bodies import KINDS, BodyBuilder, Slot, tensor_of
from support.mpmd.programs.region_ops import tie
from support.mpmd.programs.types import TOKEN

_IDENTITIES = ("Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape")


def identity_call(body: BodyBuilder, choices: Choices) -> None:
    """Write a custom call of the partitioner, or one with an unknown target."""
    if not (slot := body.pick(*KINDS)):
        return
    if choices.chance(0.5):
        partition(body, choices, slot)
        return
    words = " {has_side_effect = true}" if choices.chance(0.5) else ""
    text = f"custom_call @unknown({slot.name}){words} : ({slot.type}) -> {slot.type}"
    body.write(text, tensor_of(slot), [slot], "custom_call")


def partition(body: BodyBuilder, choices: Choices, slot: Slot) -> Slot | None:
    """Write a custom call of the partitioner; for a single device it does nothing."""
    text = f"custom_call @{choices.pick(_IDENTITIES)}({slot.name}) : ({slot.type}) -> {slot.type}"
    return body.write(text, tensor_of(slot), [slot], "custom_call", placed=slot.placed)


def function_call(body: BodyBuilder, choices: Choices) -> None:
    """Call a function."""
    if slot := body.pick(*KINDS):
        call(body, slot, placed=False)


def call(body: BodyBuilder, slot: Slot, *, placed: bool) -> Slot | None:
    """Call a function, which may place its result on the host."""
    tensor = tensor_of(slot)
    callee = body.functions.get(tensor, placed=placed)
    if callee is None or not body.fresh(f"call {callee.name} {slot.name}"):
        return None
    body.callees.append(callee)
    made = Slot(f"%v{len(body.slots)}", tensor, "call", placed)
    body.lines.append(
        f"{made.name} = func.call @{callee.name}({slot.name}) : ({slot.type}) -> {slot.type}"
        f"{callee.location}"
    )
    body.used.add(slot.name)
    body.slots.append(made)
    return made


def thread_token(body: BodyBuilder, choices: Choices, slot: Slot, token: Slot | None) -> Slot:
    """Order a value after a token, a new one if there is none; return the token after both."""
    if token is None:
        token = Slot(f"%k{len(body.slots)}", None)
        body.lines.append(f"{token.name} = stablehlo.create_token : {TOKEN}")
    if not (body.features.custom_calls and choices.chance(0.5)):
        return tie(body, [slot, token])[1]
    name = f"%v{len(body.slots)}"
    types = f"({slot.type}, {TOKEN})"
    body.lines.append(
        f"{name}:2 = stablehlo.custom_call @effect({slot.name}, {token.name})"
        f" {{has_side_effect = true}} : {types} -> {types}"
    )
    body.used.update((slot.name, token.name))
    made = [Slot(f"{name}#0", slot.tensor, "custom_call"), Slot(f"{name}#1", None)]
    body.slots += made
    return made[1]
