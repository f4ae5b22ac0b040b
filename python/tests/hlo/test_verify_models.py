"""The verifier on several errors, on sugar, and on models that text cannot express."""

from __future__ import annotations

import pytest

from sdykit import hlo
from sdykit.hlo.verify import VerificationError, check, verify
from support.hlo.verifying import GOOD, edited, errors


def test_errors_are_reported_in_the_order_of_the_text():
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


def faults(module: hlo.Module) -> list[str]:
    """Return the messages of the errors."""
    return [error.message for error in verify(module)]


def test_a_cycle_of_operands_is_an_error():
    module = hlo.read(GOOD)
    s, u = module.entry.by_name["s"], module.entry.by_name["u"]
    second = module.entry.add("u2", u.shape, "async-update", [u], before=module.entry.by_name["d"])
    u.operands = (second,)
    assert "operand %u2 of %u is defined after it, not before" in faults(module)
    s.operands = (s, s)
    assert "operand %s of %s is defined after it, not before" in faults(module)


def test_a_done_before_its_start_is_an_error():
    module = hlo.read(GOOD)
    ops = list(module.entry)
    module.entry.set_order([*ops[:2], ops[4], *ops[2:4], *ops[5:]])
    (error,) = verify(module)
    assert str(error) == ("<string>:19:3: error: operand %u of %d is defined after it, not before")
    assert [str(each) for each in error.notes] == ["<string>:18:3: note: %u is here"]


def test_an_operand_of_another_computation_is_an_error():
    module = hlo.read(GOOD)
    outside = module.computation("v").root
    module.entry.by_name["t"].operands = (outside,)
    assert faults(module) == [
        "operand %n of %t is not of computation %e",
    ]


def test_a_computation_that_calls_itself_is_an_error():
    module = hlo.read(GOOD)
    root = module.computation("v").root
    root.opcode = "call"
    root.attributes["to_apply"] = "%u2"
    module.rename_computation(module.computation("w"), "u2")
    assert faults(module)[0] == "Async computations should have a unique caller: u2 has others"
    root.attributes["to_apply"] = "%v"
    assert "computation v calls itself through %n" in faults(module)


def test_a_start_must_call_one_computation_of_the_module():
    module = hlo.read(GOOD)
    del module.entry.by_name["s"].attributes["calls"]
    module.entry.by_name["t"].attributes["calls"] = "{%v, %w}"
    assert faults(module) == [
        "Async start instruction should have 1 called computation but sees 0",
        "Async start instruction should have 1 called computation but sees 2",
    ]
    module.entry.by_name["s"].attributes["calls"] = "%nowhere"
    assert "async-start calls %nowhere, which is not a computation of the module" in faults(module)


def test_check_raises_all_errors():
    text = edited("negate(%p)", "copy(%p)", "(%x, %i)", "(%x)")
    with pytest.raises(VerificationError) as caught:
        check(hlo.read(text))
    assert list(caught.value.errors) == verify(hlo.read(text))
    assert caught.value.message == caught.value.errors[0].message
    assert str(caught.value.location) == "<string>:17:3"
    assert [line.partition(": error:")[0] for line in str(caught.value).split("\n")] == [
        "<string>:17:3",
        "<string>:20:3",
    ]
    check(hlo.read(GOOD))


def test_errors_of_a_module_without_source_have_no_place():
    module = hlo.read(GOOD)
    module.source = None
    module.entry.by_name["d"].shape = "f32[9]"
    (error, other) = verify(module)
    assert (error.location, other.location) == (None, None)
    assert str(error).startswith("<unknown>: error: The async-done expects the shape of output")
