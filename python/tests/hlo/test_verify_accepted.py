"""Programs that the verifier accepts, and does not change."""

from __future__ import annotations

import pytest

from sdykit import hlo
from sdykit.hlo.verify import verify
from support.hlo.verifying import GOOD, UPDATE, S, edited, errors

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
def test_legal_programs_have_no_errors(text: str):
    assert errors(text) == []


def test_verifying_leaves_the_program_unchanged():
    module = hlo.read(GOOD)
    before = hlo.to_text(module)
    verify(module)
    assert hlo.to_text(module) == before
