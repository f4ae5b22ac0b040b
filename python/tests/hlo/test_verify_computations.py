"""The verifier on wrapped computations: their callers, threads and contents."""

from __future__ import annotations

import pytest

from support.hlo.verifying import S, edited, errors

REFUSED = {
    "other computation at the done": (
        edited("async-done(%t)", "async-done(%t), calls=%w"),
        [
            "21:8: error: The async-done expects its wrapped async computation to be "
            "identical to its operand's wrapped async computation (w vs v), thread name "
            "(host vs host).",
            "20:3: note: the chain starts with %t",
        ],
    ),
    "other thread at the update": (
        edited("async-update(%s)", 'async-update(%s), async_execution_thread="host"'),
        [
            "18:3: error: The async-update expects its wrapped async computation to be "
            "identical to its operand's wrapped async computation (w vs w), thread name "
            "(host vs main).",
            "17:3: note: the chain starts with %s",
        ],
    ),
    "other thread at the computation": (
        edited(', async_execution_thread="host"', ', async_execution_thread="sparsecore"'),
        [
            "20:3: error: async-start expects same async thread name as wrapped "
            "computation's thread name (sparsecore vs host).",
            "9:1: note: computation v is here",
        ],
    ),
    "thread at the computation only": (
        edited(', async_execution_thread="host"', ""),
        [
            "20:3: error: async-start expects same async thread name as wrapped "
            "computation's thread name (main vs host).",
            "9:1: note: computation v is here",
        ],
    ),
    "more than parameters and root": (
        edited("  ROOT %n", "  %m = f32[8] negate(%p)\n  %k = s32[] constant(1)\n  ROOT %n"),
        [
            "22:3: error: Asynchronous computation v expected to contain only the root "
            "and parameter instructions.",
            "11:3: note: %m is neither, but a negate",
            "12:3: note: %k is neither, but a constant",
        ],
    ),
    "group is only mentioned": (
        edited(
            "  ROOT %n",
            "  %m = f32[8] negate(%p)\n  ROOT %n",
            "calls=%v",
            'calls=%v, frontend_attributes={a="{_collectives_group="}',
        ),
        [
            "21:3: error: Asynchronous computation v expected to contain only the root "
            "and parameter instructions.",
            "11:3: note: %m is neither, but a negate",
        ],
    ),
    "two chains share a computation": (
        edited(
            "calls=%w",
            "calls=%v",
            "(%x, %i)",
            "(%y)",
            S,
            "((f32[8]), f32[8], u32[])",
            "  %s =",
            "  %y = f32[8] negate(%z)\n  %s =",
            "%x = f32[4,2] parameter(0)",
            "%z = f32[8] parameter(0)",
            "(x: f32[4,2]",
            "(z: f32[8]",
            ', async_execution_thread="host"',
            "",
            ', execution_thread="host"',
            "",
        ),
        [
            "21:3: error: Computation v is called by more than one async op.",
            "18:3: note: %s calls it",
        ],
    ),
    "a call calls the computation as well": (
        edited("%t =", "%extra = f32[8] call(%d), to_apply=%v\n  %t ="),
        [
            "21:3: error: Async computations should have a unique caller: v has others",
            "20:3: note: call %extra calls it",
        ],
    ),
    "wraps the entry": (
        edited("ENTRY %e", "%e", "%v (p", "ENTRY %v (p"),
        [
            "20:3: error: async-start cannot wrap the entry computation v",
        ],
    ),
}


@pytest.mark.parametrize(("text", "expected"), REFUSED.values(), ids=list(REFUSED))
def test_invalid_wrapped_computations_are_errors(text: str, expected: list[str]):
    assert errors(text) == expected


@pytest.mark.parametrize(
    ("opcode", "own"),
    [
        ("copy", "copy-start and copy-done"),
        ("all-reduce", "all-reduce-start and all-reduce-done"),
        ("all-gather", "all-gather-start and all-gather-done"),
        ("collective-permute", "collective-permute-start and collective-permute-done"),
        ("send", "send and send-done"),
        ("recv", "recv and recv-done"),
    ],
)
def test_wrapping_an_operation_with_opcodes_of_its_own_is_an_error(opcode: str, own: str):
    assert errors(edited("negate(%p)", f"{opcode}(%p)")) == [
        f"20:3: error: async-start cannot wrap {opcode}, which has opcodes of its own",
        f"11:8: note: use {own} instead",
    ]
