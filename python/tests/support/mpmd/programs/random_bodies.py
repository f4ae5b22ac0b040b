"""Random bodies: some ops, then results for what nobody uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from support.generators.choices import Choices
from support.mpmd.programs import effects, placements
from support.mpmd.programs import elementwise_ops as elementwise
from support.mpmd.programs import region_ops as nested
from support.mpmd.programs import shape_ops as shapes
from support.mpmd.programs.bodies import Body, BodyBuilder, Slot
from support.mpmd.programs.callees import Callees
from support.mpmd.programs.features import Features
from support.mpmd.programs.types import Tensor

_Op = Callable[[BodyBuilder, Choices], None]

_ALWAYS: dict[_Op, float] = {
    elementwise.unary: 3,
    elementwise.binary: 4,
    elementwise.with_constant: 2,
}
_ELEMENTS: dict[_Op, float] = {
    elementwise.compare: 0.7,
    elementwise.select: 1,
    elementwise.convert: 1,
}
_SHAPES: dict[_Op, float] = {
    shapes.reshape: 0.6,
    shapes.broadcast: 0.6,
    shapes.transpose: 0.8,
    shapes.dot: 1,
    shapes.slice_: 0.6,
    shapes.reduce: 0.8,
    shapes.update_slice: 0.8,
}


@dataclass(frozen=True)
class BodyWish:
    """The arguments and results of a body to draw; a token is the last argument or result."""

    tensors: tuple[Tensor, ...]
    start: Tensor | None = None
    """What it computes from if it takes nothing."""
    takes_token: bool = False
    returns_token: bool = False


def _weights(features: Features) -> dict[_Op, float]:
    weights = dict(_ALWAYS)
    weights |= _ELEMENTS if features.elements else {}
    weights |= _SHAPES if features.shapes else {}
    weights |= {nested.while_: 0.6} if features.loops else {}
    weights |= {nested.barrier: 0.6} if features.barriers else {}
    weights |= {effects.identity_call: 0.5} if features.custom_calls else {}
    weights |= {effects.function_call: 0.4} if features.calls else {}
    return weights


def random_body(features: Features, choices: Choices, callees: Callees, wish: BodyWish) -> Body:
    """Draw a body."""
    body = BodyBuilder(features, choices, callees)
    arguments = [body.argument(tensor) for tensor in wish.tensors]
    token = body.argument(None) if wish.takes_token else None
    if not arguments:
        assert wish.start is not None
        nested.start(body, wish.start)
    weights = _weights(features)
    for _ in range(choices.pick((0, 1, 1, 2, 2, 3, 5)) if features.large else 1):
        choices.pick_weighted(weights)(body, choices)
    if features.oracle or not body.lines or choices.chance(0.5):
        _use_arguments(body, choices, arguments)
    sinks = [slot for slot in body.unused() if slot.tensor]
    if sinks and choices.chance(0.2):
        placements.place(body, choices, choices.pick(sinks))
    tokens: list[Slot] = []
    if wish.takes_token or wish.returns_token:
        tokens = [effects.thread_token(body, choices, _any_value(body, choices), token)]
    results = _results(body, choices)
    taken = [*arguments, *([token] if token else [])]
    return body.finish(taken, [*results, *(tokens if wish.returns_token else [])])


def reshard_body(tensor: Tensor) -> Body:
    """Return the body that returns its argument."""
    slot = Slot("%a0", tensor)
    return Body((slot,), (), (slot,))


def _use_arguments(body: BodyBuilder, choices: Choices, arguments: Sequence[Slot]) -> None:
    for slot in arguments:
        if slot.name not in body.used:
            elementwise.unary_on(body, choices, slot)


def _any_value(body: BodyBuilder, choices: Choices) -> Slot:
    """Pick a value that is not placed: what uses a placed one may not be traced through."""
    return choices.pick([slot for slot in body.slots if slot.tensor and not slot.placed])


def _results(body: BodyBuilder, choices: Choices) -> list[Slot]:
    """Choose the results: all that has no use, perhaps others too.

    Where clean-up passes may have work: any values, in any number, but never arguments alone,
    since only inferred fragments may do nothing.
    """
    computed = [slot for slot in body.slots if slot.tensor and slot.maker != "argument"]
    unused = [slot for slot in computed if slot.name not in body.used]
    if not body.features.large:
        return unused
    if not body.features.oracle and computed and choices.chance(0.5):
        found = [slot for slot in body.slots if slot.tensor]
        more = [choices.pick(found) for _ in range(choices.pick((0, 0, 1, 2)))]
        return choices.shuffled([choices.pick(computed), *more])
    used = [slot for slot in computed if slot.name in body.used]
    return choices.shuffled([*unused, *choices.some(used, choices.pick((0, 0, 0, 1)))])
