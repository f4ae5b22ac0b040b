"""Every rule of the verifier: programs that keep it, and the error for those that do not."""

from __future__ import annotations

import pytest

from sdykit import hlo
from sdykit.core import Severity
from sdykit.hlo.verify import verify

GOOD = """\
HloModule m

%w (p: f32[4,2], q: s32[]) -> f32[8] {
  %p = f32[4,2] parameter(0)
  %q = s32[] parameter(1)
  ROOT %c = f32[8] custom-call(%p, %q), custom_call_target="f"
}

%v (p: f32[8]) -> f32[8] {
  %p = f32[8] parameter(0)
  ROOT %n = f32[8] negate(%p)
}, execution_thread="host"

ENTRY %e (x: f32[4,2], i: s32[]) -> f32[8] {
  %x = f32[4,2] parameter(0)
  %i = s32[] parameter(1)
  %s = ((f32[4,2], s32[]), f32[8], u32[]) async-start(%x, %i), calls=%w
  %u = ((f32[4,2], s32[]), f32[8], u32[]) async-update(%s)
  %d = f32[8] async-done(%u)
  %t = ((f32[8]), f32[8]) async-start(%d), calls=%v, async_execution_thread="host"
  ROOT %r = f32[8] async-done(%t)
}
"""
S = "((f32[4,2], s32[]), f32[8], u32[])"
START = f"%s = {S} async-start(%x, %i), calls=%w"
UPDATE = f"%u = {S} async-update(%s)"
HEAD = "ENTRY %e (x: f32[4,2], i: s32[]) -> f32[8]"
DONE = "%d = f32[8] async-done(%u)"


def errors(text: str, **options: bool) -> list[str]:
    """Give the verifier's errors and notes as `line:col: ...`."""
    found = verify(hlo.read(text), **options)
    assert all(error.severity is Severity.ERROR for error in found)
    lines = [str(line) for error in found for line in (error, *error.notes)]
    return [line.removeprefix("<string>:") for line in lines]


def edited(*edits: str, text: str = GOOD) -> str:
    """Give GOOD with every first of two edits replaced by the second."""
    for old, new in zip(edits[::2], edits[1::2], strict=True):
        assert text.count(old) >= 1, f"not in the program: {old}"
        text = text.replace(old, new)
    return text


ACCEPTED = {
    "good": GOOD,
    "no updates": edited(f"  {UPDATE}\n", "", "(%u)", "(%s)"),
    "bare first element": edited("((f32[8]), f32[8])", "(f32[8], f32[8])"),
    "no context": edited(S, "((f32[4,2], s32[]), f32[8])"),
    "get-tuple-elements": """\
HloModule m

%w {
  %p = (f32[4], f32[4]) parameter(0)
  %g = f32[4] get-tuple-element(%p), index=0
  %h = f32[4] get-tuple-element(%p), index=1
  ROOT %n = f32[4] add(%g, %h)
}

ENTRY %e {
  %x = (f32[4], f32[4]) parameter(0)
  %s = (((f32[4], f32[4])), f32[4]) async-start(%x), calls=%w
  ROOT %d = f32[4] async-done(%s)
}
""",
    "a parameter is the root": edited(
        "  ROOT %n = f32[8] negate(%p)\n", "", "%p = f32[8]", "ROOT %p = f32[8]"
    ),
    "group of collectives": edited(
        "  ROOT %n",
        "  %m = f32[8] negate(%p)\n  ROOT %n",
        "calls=%v",
        'calls=%v, frontend_attributes={_collectives_group=""}',
    ),
    "wrapped computation without thread": edited(', execution_thread="host"', ""),
    "layouts that differ": edited("%x = f32[4,2]", "%x = f32[4,2]{0,1}"),
    "aliasing": edited(
        "negate(%p)",
        'custom-call(%p), custom_call_target="f", output_to_operand_aliasing={{}: (0, {})}',
    ),
    "aliasing of a start counts from its shape": edited(
        "calls=%v", "calls=%v, output_to_operand_aliasing={{1}: (0, {})}"
    ),
    "first-class pair": """\
HloModule m

ENTRY %e {
  %x = f32[4] parameter(0)
  %s = (f32[4], f32[4], u32[]) copy-start(%x)
  ROOT %d = f32[4] copy-done(%s)
}
""",
    "chain within what a wrapped call calls": edited(
        "%v (p",
        """\
%deep (p: f32[8]) -> f32[8] {
  %p = f32[8] parameter(0)
  ROOT %n = f32[8] negate(%p)
}

%inner (p: f32[8]) -> f32[8] {
  %p = f32[8] parameter(0)
  %k = ((f32[8]), f32[8]) async-start(%p), calls=%deep
  ROOT %l = f32[8] async-done(%k)
}

%v (p""",
        "ROOT %n = f32[8] negate(%p)\n}, ",
        "ROOT %n = f32[8] call(%p), to_apply=%inner\n}, ",
    ),
}


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=list(ACCEPTED))
def test_accepted(text: str):
    assert errors(text) == []


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
    "output aliasing without such an operand": (
        edited('target="f"', 'target="f", output_to_operand_aliasing={{}: (2, {})}'),
        [
            "6:8: error: Invalid aliasing operand index. %c has 2 operands, found 2",
        ],
    ),
    "output aliasing without such an operand index": (
        edited('target="f"', 'target="f", output_to_operand_aliasing={{}: (0, {0})}'),
        [
            "6:8: error: Invalid aliasing operand shape index. %p of shape f32[4,2] has "
            "nothing at {0}",
            "4:3: note: %p is here",
        ],
    ),
    "output aliasing without such an output": (
        edited('target="f"', 'target="f", output_to_operand_aliasing={{0}: (0, {})}'),
        [
            "6:8: error: Invalid aliasing output shape index. %c of shape f32[8] has "
            "nothing at {0}",
        ],
    ),
    "output aliasing of other shapes": (
        edited('target="f"', 'target="f", output_to_operand_aliasing={{}: (0, {}), {1}: (3, {})}'),
        [
            "6:8: error: Different aliasing shapes: f32[4,2] vs f32[8]",
            "4:3: note: operand 0, %p, is here",
            "6:8: error: Invalid aliasing operand index. %c has 2 operands, found 3",
        ],
    ),
    "output aliasing that is none": (
        edited('target="f"', 'target="f", output_to_operand_aliasing={0}'),
        [
            "6:8: error: output_to_operand_aliasing expects {{output index}: (operand, "
            "{operand index}), ...}, found {0}",
        ],
    ),
    "output aliasing of a start counts from its shape": (
        edited("calls=%v", "calls=%v, output_to_operand_aliasing={{}: (0, {})}"),
        [
            "20:3: error: Different aliasing shapes: f32[8] vs ((f32[8]), f32[8])",
            "19:3: note: operand 0, %d, is here",
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
def test_refused(text: str, expected: list[str]):
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
def test_wrapping_what_has_opcodes_of_its_own(opcode: str, own: str):
    assert errors(edited("negate(%p)", f"{opcode}(%p)")) == [
        f"20:3: error: async-start cannot wrap {opcode}, which has opcodes of its own",
        f"11:8: note: use {own} instead",
    ]


def test_layouts_that_differ():
    text = edited("%x = f32[4,2]", "%x = f32[4,2]{0,1}", "%d = f32[8]", "%d = f32[8]{0}")
    assert errors(text) == []
    assert errors(text, layout_sensitive=True) == [
        "17:3: error: The async-start expects the shape of operand 0 to match the async shape at "
        "index {0} (f32[4,2]{0,1} vs f32[4,2]).",
        "15:3: note: %x is here",
    ]


def test_all_errors_of_a_module_in_the_order_of_the_text():
    text = edited("negate(%p)", "copy(%p)", "(%x, %i)", "(%x)", "async-done(%t)", "negate(%d)")
    found = [line for line in errors(text) if "note" not in line]
    assert [line.partition(" error: ")[0] for line in found] == ["17:3:", "20:3:", "20:3:"]
    assert "expects 2 operands" in found[0]


def test_sugar_is_verified_the_same():
    text = """\
HloModule m

ENTRY %e {
  %x = f32[4] parameter(0)
  %s = ((f32[4]), f32[4]) negate-start(%x)
  %u = ((f32[4]), f32[4]) negate-update(%s)
  %d = f32[4] negate-done(%u)
  ROOT %r = f32[4] negate-done(%u)
}
"""
    assert errors(text)[0] == (
        "6:3: error: The async-update instruction requires one consumer, found 2"
    )


# --- what text cannot say ---


def faults(module: hlo.Module) -> list[str]:
    """Give the messages of the errors."""
    return [error.message for error in verify(module)]


def test_cycle():
    module = hlo.read(GOOD)
    s, u = module.entry.by_name["s"], module.entry.by_name["u"]
    second = module.entry.add("u2", u.shape, "async-update", [u], before=module.entry.by_name["d"])
    u.operands = (second,)
    assert "operand %u2 of %u is defined after it, not before" in faults(module)
    s.operands = (s, s)
    assert "operand %s of %s is defined after it, not before" in faults(module)


def test_done_in_front_of_its_start():
    module = hlo.read(GOOD)
    ops = list(module.entry)
    module.entry.set_order([*ops[:2], ops[4], *ops[2:4], *ops[5:]])
    (error,) = verify(module)
    assert str(error) == ("<string>:19:3: error: operand %u of %d is defined after it, not before")
    assert [str(each) for each in error.notes] == ["<string>:18:3: note: %u is here"]


def test_operand_of_another_computation():
    module = hlo.read(GOOD)
    outside = module.computation("v").root
    module.entry.by_name["t"].operands = (outside,)
    assert faults(module) == [
        "operand %n of %t is not of computation %e",
    ]


def test_computation_that_calls_itself():
    module = hlo.read(GOOD)
    root = module.computation("v").root
    root.opcode = "call"
    root.attributes["to_apply"] = "%u2"
    module.rename_computation(module.computation("w"), "u2")
    assert faults(module)[0] == "Async computations should have a unique caller: u2 has others"
    root.attributes["to_apply"] = "%v"
    assert "computation v calls itself through %n" in faults(module)


def test_start_without_computation():
    module = hlo.read(GOOD)
    del module.entry.by_name["s"].attributes["calls"]
    module.entry.by_name["t"].attributes["calls"] = "{%v, %w}"
    assert faults(module) == [
        "Async start instruction should have 1 called computation but sees 0",
        "Async start instruction should have 1 called computation but sees 2",
    ]
    module.entry.by_name["s"].attributes["calls"] = "%nowhere"
    assert "async-start calls %nowhere, which is no computation of the module" in faults(module)


def test_module_without_source():
    module = hlo.read(GOOD)
    module.source = None
    module.entry.by_name["d"].shape = "f32[9]"
    (error, other) = verify(module)
    assert (error.location, other.location) == (None, None)
    assert str(error).startswith("<unknown>: error: The async-done expects the shape of output")


def test_verifying_changes_nothing():
    module = hlo.read(GOOD)
    before = hlo.to_text(module)
    verify(module)
    assert hlo.to_text(module) == before
