"""The verifier on the users and the operands of a chain's instructions."""

from __future__ import annotations

import pytest

from support.hlo.verifying import DONE, HEAD, UPDATE, S, edited, errors

REFUSED = {
    "start with two users": (
        edited(UPDATE, f"{UPDATE}\n  %d2 = f32[8] async-done(%s)"),
        [
            "17:3: error: The async-start instruction requires one consumer, found 2",
            "18:3: note: a consumer is %u",
            "19:3: note: a consumer is %d2",
        ],
    ),
    "update with two users": (
        edited(DONE, f"{DONE}\n  %d2 = f32[8] async-done(%u)"),
        [
            "18:3: error: The async-update instruction requires one consumer, found 2",
            "19:3: note: a consumer is %d",
            "20:3: note: a consumer is %d2",
        ],
    ),
    "two updates of one start": (
        edited(DONE, f"{UPDATE.replace('%u', '%u2')}\n  {DONE}".replace("(%u)", "(%u2)")),
        [
            "17:3: error: The async-start instruction requires one consumer, found 2",
            "18:3: note: a consumer is %u",
            "19:3: note: a consumer is %u2",
            "18:3: error: The async-update instruction requires one consumer, found 0",
        ],
    ),
    "dead start": (
        edited(UPDATE, "", "async-done(%u)", 'custom-call(), custom_call_target="g"'),
        [
            "17:3: error: The async-start instruction requires one consumer, found 0",
        ],
    ),
    "root is an update": (
        edited(
            DONE, "%d = f32[8] parameter(2)", "%u =", "ROOT %u =", "ROOT %r", "%r", HEAD, "ENTRY %e"
        ),
        [
            "18:8: error: The async-update instruction requires one consumer, found 0",
            "14:7: note: it is the root, but an asynchronous value must not leave its computation",
        ],
    ),
    "root is a start with a done": (
        edited("%t =", "ROOT %t =", "ROOT %r", "%r", HEAD, "ENTRY %e"),
        [
            "20:8: error: The async-start instruction is the root of computation %e, and "
            "has the consumer %r; an asynchronous value must not leave its computation",
        ],
    ),
    "leaves through a tuple": (
        edited(
            DONE,
            f"%tuple = ({S}) tuple(%u)\n  %g = {S} get-tuple-element(%tuple), index=0\n"
            "  %d = f32[8] async-done(%g)",
        ),
        [
            "18:3: error: The consumer of a async-update instruction needs to be one of "
            "(async-update, async-done), found tuple",
            "19:3: note: the consumer is %tuple",
            "21:3: error: async-done expects operand to be async-start or async-update, "
            "found get-tuple-element.",
            "20:3: note: %g is here",
        ],
    ),
    "output taken without done": (
        edited("async-done(%u)", "get-tuple-element(%u), index=1"),
        [
            "18:3: error: The consumer of a async-update instruction needs to be one of "
            "(async-update, async-done), found get-tuple-element",
            "19:3: note: the consumer is %d",
        ],
    ),
    "leaves through a while": (
        edited(
            "%v (p",
            f"%b {{\n  ROOT %b.0 = {S} parameter(0)\n}}\n\n"
            f"%k {{\n  %k.0 = {S} parameter(0)\n  ROOT %k.1 = pred[] constant(false)\n}}\n\n%v (p",
            DONE,
            f"%l = {S} while(%u), condition=%k, body=%b\n  %d = f32[8] async-done(%l)",
        ),
        [
            "27:3: error: The consumer of a async-update instruction needs to be one of "
            "(async-update, async-done), found while",
            "28:3: note: the consumer is %l",
            "29:3: error: async-done expects operand to be async-start or async-update, "
            "found while.",
            "28:3: note: %l is here",
        ],
    ),
    "done of a parameter": (
        edited("async-done(%t)", "async-done(%i)"),
        [
            "20:3: error: The async-start instruction requires one consumer, found 0",
            "21:8: error: async-done expects operand to be async-start or async-update, "
            "found parameter.",
            "16:3: note: %i is here",
        ],
    ),
    "done of a done": (
        edited(
            "async-done(%t)",
            "async-done(%d)",
            '%t = ((f32[8]), f32[8]) async-start(%d), calls=%v, async_execution_thread="host"',
            "%t = f32[8] negate(%d)",
        ),
        [
            "21:8: error: async-done expects operand to be async-start or async-update, "
            "found async-done.",
            "19:3: note: %d is here",
        ],
    ),
    "done with two operands": (
        edited("async-done(%u)", "async-done(%u, %i)"),
        [
            "19:3: error: Async done requires one singular operand, found 2",
        ],
    ),
    "update without operand": (
        edited("async-update(%s)", "async-update()"),
        [
            "17:3: error: The async-start instruction requires one consumer, found 0",
            "18:3: error: Async update requires one singular operand, found 0",
        ],
    ),
    "first-class start with two dones": (
        edited(
            "  %s =",
            "  %a = (f32[4,2], f32[4,2], u32[]) copy-start(%x)\n"
            "  %b = f32[4,2] copy-done(%a)\n  %c = f32[4,2] copy-done(%a)\n  %s =",
        ),
        [
            "17:3: error: The copy-start instruction requires one consumer, found 2",
            "18:3: note: a consumer is %b",
            "19:3: note: a consumer is %c",
        ],
    ),
}


@pytest.mark.parametrize(("text", "expected"), REFUSED.values(), ids=list(REFUSED))
def test_invalid_users_and_operands_are_errors(text: str, expected: list[str]):
    assert errors(text) == expected
