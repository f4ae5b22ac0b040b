"""The verifier on the shapes along a chain."""

from __future__ import annotations

import pytest

from support.hlo.verifying import HEAD, S, edited, errors

REFUSED = {
    "start shape is an array": (
        edited(f"%s = {S}", "%s = f32[8]"),
        [
            "17:3: error: The async-start expects the async shape to be a tuple of at "
            "least two elements, found f32[8].",
        ],
    ),
    "start shape is a one-tuple": (
        edited(f"%s = {S}", "%s = (f32[8])"),
        [
            "17:3: error: The async-start expects the async shape to be a tuple of at "
            "least two elements, found (f32[8]).",
        ],
    ),
    "parameters": (
        edited(f"%s = {S}", "%s = ((f32[4,3], s32[]), f32[8], u32[])"),
        [
            "17:3: error: The async-start expects the async shape at index {0} to match "
            "async computation parameter shape ((f32[4,3], s32[]) vs (f32[4,2], s32[])).",
            "3:1: note: computation w is here",
        ],
    ),
    "too few parameters": (
        edited(f"%s = {S}", "%s = ((f32[4,2]), f32[8], u32[])"),
        [
            "17:3: error: The async-start expects the async shape at index {0} to match "
            "async computation parameter shape ((f32[4,2]) vs (f32[4,2], s32[])).",
            "3:1: note: computation w is here",
        ],
    ),
    "root": (
        edited(f"%s = {S}", "%s = ((f32[4,2], s32[]), f32[9], u32[])"),
        [
            "17:3: error: The async-start expects the async shape at index {1} to match "
            "the async computation root shape (f32[9] vs f32[8]).",
            "6:8: note: the root of w is here",
        ],
    ),
    "parameters and root": (
        edited(f"%s = {S}", "%s = ((f32[4,2]), f32[9], u32[])"),
        [
            "17:3: error: The async-start expects the async shape at index {0} to match "
            "async computation parameter shape ((f32[4,2]) vs (f32[4,2], s32[])).",
            "3:1: note: computation w is here",
            "17:3: error: The async-start expects the async shape at index {1} to match "
            "the async computation root shape (f32[9] vs f32[8]).",
            "6:8: note: the root of w is here",
        ],
    ),
    "too many operands": (
        edited("async-start(%x, %i)", "async-start(%x, %i, %i)"),
        [
            "17:3: error: The async-start expects 2 operands, as many as the async shape "
            "has at index {0} ((f32[4,2], s32[])), found 3",
        ],
    ),
    "too few operands": (
        edited("async-start(%x, %i)", "async-start(%x)"),
        [
            "17:3: error: The async-start expects 2 operands, as many as the async shape "
            "has at index {0} ((f32[4,2], s32[])), found 1",
        ],
    ),
    "operand": (
        edited("async-start(%x, %i)", "async-start(%x, %x)"),
        [
            "17:3: error: The async-start expects the shape of operand 1 to match the "
            "async shape at index {0} (f32[4,2] vs s32[]).",
            "15:3: note: %x is here",
        ],
    ),
    "both operands": (
        edited("async-start(%x, %i)", "async-start(%i, %x)"),
        [
            "17:3: error: The async-start expects the shape of operand 0 to match the "
            "async shape at index {0} (s32[] vs f32[4,2]).",
            "16:3: note: %i is here",
            "17:3: error: The async-start expects the shape of operand 1 to match the "
            "async shape at index {0} (f32[4,2] vs s32[]).",
            "15:3: note: %x is here",
        ],
    ),
    "update shape": (
        edited(f"%u = {S}", "%u = ((f32[4,2], s32[]), f32[8], s32[])"),
        [
            "18:3: error: The async-update expects the shape of operand and output to "
            "match (((f32[4,2], s32[]), f32[8], u32[]) vs ((f32[4,2], s32[]), f32[8], "
            "s32[])).",
            "17:3: note: %s is here",
        ],
    ),
    "done shape": (
        edited(
            "%d = f32[8]",
            "%d = f32[8,1]",
            "async-start(%d)",
            "async-start(%dd)",
            "%t =",
            "%dd = f32[8] bitcast(%d)\n  %t =",
        ),
        [
            "19:3: error: The async-done expects the shape of output to match the async "
            "shape at index {1} (f32[8,1] vs f32[8]).",
            "18:3: note: %u is here",
        ],
    ),
    "done shape takes a context": (
        edited("ROOT %r = f32[8]", "ROOT %r = (f32[8], f32[8])", HEAD, "ENTRY %e"),
        [
            "21:8: error: The async-done expects the shape of output to match the async "
            "shape at index {1} ((f32[8], f32[8]) vs f32[8]).",
            "20:3: note: %t is here",
        ],
    ),
}


@pytest.mark.parametrize(("text", "expected"), REFUSED.values(), ids=list(REFUSED))
def test_shapes_that_do_not_match_are_errors(text: str, expected: list[str]):
    assert errors(text) == expected


def test_layouts_are_compared_only_on_request():
    text = edited("%x = f32[4,2]", "%x = f32[4,2]{0,1}", "%d = f32[8]", "%d = f32[8]{0}")
    assert errors(text) == []
    assert errors(text, layout_sensitive=True) == [
        "17:3: error: The async-start expects the shape of operand 0 to match the async shape at "
        "index {0} (f32[4,2]{0,1} vs f32[4,2]).",
        "15:3: note: %x is here",
    ]
