"""The analysis of buffers on single programs."""

from __future__ import annotations

from textwrap import dedent

import pytest

from sdykit import hlo
from sdykit.hlo.aliasing import AsyncAliasing, Role, analyse

CHAIN = """\
HloModule m, is_scheduled=true

%w (p: f32[64]) -> f32[32] {
  %p = f32[64] parameter(0)
  ROOT %c = f32[32] custom-call(%p), custom_call_target="f"
}, execution_thread="sparsecore"

ENTRY %main (x: f32[64]) -> f32[32] {
  %x = f32[64] parameter(0)
  %y = f32[64] negate(%x)
  %start = ((f32[64]), f32[32], s32[]) async-start(%y), calls=%w, async_execution_thread="sparsecore"
  %other = f32[64] negate(%x)
  %update = ((f32[64]), f32[32], s32[]) async-update(%start)
  %done = f32[32] async-done(%update)
  %late = f32[64] negate(%other)
  ROOT %result = f32[32] negate(%done)
}
"""


def rows(text: str) -> list[str]:
    """Return `first..last: slots` for each buffer, with `*` if it is part of the result."""
    return [
        f"{each.first}..{each.last}{'*' if each.escapes else ''}: {' '.join(map(str, each.slots))}"
        for each in analyse(hlo.read(text)).buffers
    ]


def test_a_chain_has_its_instructions_thread_and_three_kinds_of_buffers():
    found = analyse(hlo.read(CHAIN))
    (chain,) = found.chains
    assert found.scheduled
    assert (chain.start.name, chain.done.name) == ("start", "done")
    assert [op.name for op in chain.updates] == ["update"]
    assert (chain.first, chain.last) == (2, 5)
    assert (chain.wrapped.name, chain.thread) == ("w", "sparsecore")
    roles = [[(use.role, use.index) for use in buffer.uses] for buffer in found.buffers]
    assert roles == [[(Role.OPERAND, (0, 0))], [(Role.OUTPUT, (1,))], [(Role.CONTEXT, (2,))]]
    assert [buffer.shape for buffer in found.buffers] == ["f32[64]", "f32[32]", "s32[]"]


def test_operand_lives_until_done_and_output_from_start():
    assert rows(CHAIN) == [
        "1..5: %y %start{0,0} %update{0,0}",
        "2..7: %start{1} %update{1} %done",
        "2..5: %start{2} %update{2}",
    ]


def test_the_table_lists_chains_and_buffers():
    assert (
        str(analyse(hlo.read(CHAIN)))
        == """\
computation %main: 8 instructions, scheduled
  chain %start -> %update -> %done: custom-call, calls %w, thread "sparsecore", lives 2..5
  buffer  from      to         shape    role                 same buffer
  0       1 %y      5 %done    f32[64]  operand %start{0,0}  %y %start{0,0} %update{0,0}
  1       2 %start  7 %result  f32[32]  output %start{1}     %start{1} %update{1} %done
  2       2 %start  5 %done    s32[]    context %start{2}    %start{2} %update{2}"""
    )


def test_the_example_in_the_docstring_is_what_is_printed():
    text = """\
HloModule m

%wrapped {
  %p = f32[64] parameter(0)
  ROOT %c = f32[32] custom-call(%p), custom_call_target="f"
}

ENTRY %main {
  %x = f32[64] parameter(0)
  %start = ((f32[64]), f32[32], s32[]) async-start(%x), calls=%wrapped, async_execution_thread="sparsecore"
  ROOT %done = f32[32] async-done(%start)
}
"""
    example = dedent((AsyncAliasing.__doc__ or "").split("```")[1].strip("\n"))
    assert f"{analyse(hlo.read(text))}\n" == example


def test_a_program_without_chains_has_no_buffers():
    found = analyse(hlo.read("HloModule m\n\nENTRY %e {\n  ROOT %x = f32[] parameter(0)\n}\n"))
    assert (found.chains, found.buffers, str(found), found.scheduled) == ((), (), "", False)


def test_a_buffer_in_the_result_lives_to_the_end():
    text = """\
HloModule m

%w {
  %p = f32[4] parameter(0)
  ROOT %n = f32[4] negate(%p)
}

ENTRY %main {
  %x = f32[4] parameter(0)
  %s = ((f32[4]), f32[4]) async-start(%x), calls=%w
  ROOT %d = f32[4] async-done(%s)
  %y = f32[4] negate(%x)
  %z = f32[4] negate(%y)
}
"""
    assert rows(text) == ["0..3: %x %s{0,0}", "1..4*: %s{1} %d"]


NESTED = """\
HloModule m

%w {
  %p = (f32[4], (s32[], f32[2])) parameter(0)
  %q = f32[4] parameter(1)
  ROOT %c = ((f32[4], f32[8]), s32[]) custom-call(%p, %q), custom_call_target="f"ALIASING
}

ENTRY %main {
  %x = f32[4] parameter(0)
  %i = s32[] parameter(1)
  %t = (f32[4], (s32[], f32[2])) custom-call(%x), custom_call_target="t"
  %s = (((f32[4], (s32[], f32[2])), f32[4]), ((f32[4], f32[8]), s32[])) async-start(%t, %x), calls=%w
  %inner = (s32[], f32[2]) get-tuple-element(%t), index=1
  %d = ((f32[4], f32[8]), s32[]) async-done(%s)
  %f = f32[2] get-tuple-element(%inner), index=1
  %o = (f32[4], f32[8]) get-tuple-element(%d), index=0
  %o1 = f32[8] get-tuple-element(%o), index=1
  ROOT %r = f32[8] negate(%o1)
}
"""


def test_arrays_in_nested_tuples_are_buffers_of_their_own():
    assert rows(NESTED.replace("ALIASING", "")) == [
        "0..5: %x %s{0,1}",
        "2..5: %t{0} %s{0,0,0}",
        "2..5: %t{1,0} %s{0,0,1,0} %inner{0}",
        "2..6: %t{1,1} %s{0,0,1,1} %inner{1} %f",
        "3..7: %s{1,0,0} %d{0,0} %o{0}",
        "3..9: %s{1,0,1} %d{0,1} %o{1} %o1",
        "3..5: %s{1,1} %d{1}",
    ]


def test_aliased_outputs_share_buffers_with_operands():
    aliasing = ", output_to_operand_aliasing={{0,0}: (1, {}), {1}: (0, {1,0})}"
    assert rows(NESTED.replace("ALIASING", aliasing)) == [
        "0..7: %x %s{0,1} %s{1,0,0} %d{0,0} %o{0}",
        "2..5: %t{0} %s{0,0,0}",
        "2..5: %t{1,0} %s{0,0,1,0} %s{1,1} %inner{0} %d{1}",
        "2..6: %t{1,1} %s{0,0,1,1} %inner{1} %f",
        "3..9: %s{1,0,1} %d{0,1} %o{1} %o1",
    ]


def test_an_alias_on_the_start_counts_from_its_whole_shape():
    text = CHAIN.replace("f32[32]", "f32[64]").replace(
        "calls=%w", "calls=%w, output_to_operand_aliasing={{1}: (0, {})}"
    )
    assert rows(text) == [
        "1..7: %y %start{0,0} %start{1} %update{0,0} %update{1} %done",
        "2..5: %start{2} %update{2}",
    ]


def test_a_repeated_operand_and_two_chains_share_a_buffer():
    text = """\
HloModule m

%w {
  %p = f32[4] parameter(0)
  %q = f32[4] parameter(1)
  ROOT %n = f32[4] add(%p, %q)
}

%v {
  %p = f32[4] parameter(0)
  ROOT %n = f32[4] negate(%p)
}

ENTRY %main {
  %x = f32[4] parameter(0)
  %s = ((f32[4], f32[4]), f32[4]) async-start(%x, %x), calls=%w
  %t = ((f32[4]), f32[4]) async-start(%x), calls=%v
  %d = f32[4] async-done(%s)
  ROOT %e = f32[4] async-done(%t)
}
"""
    found = analyse(hlo.read(text))
    assert [str(use) for use in found.buffers[0].uses] == [
        "operand %s{0,0}",
        "operand %s{0,1}",
        "operand %t{0,0}",
    ]
    assert rows(text) == [
        "0..4: %x %s{0,0} %s{0,1} %t{0,0}",
        "1..3: %s{1} %d",
        "2..4*: %t{1} %e",
    ]


def test_a_copy_has_a_new_buffer_and_a_while_has_not():
    text = """\
HloModule m

%w {
  %p = f32[4] parameter(0)
  ROOT %n = f32[4] negate(%p)
}

%body {
  ROOT %b = (f32[4]) parameter(0)
}

%condition {
  %b = (f32[4]) parameter(0)
  ROOT %c = pred[] constant(false)
}

ENTRY %main {
  %x = f32[4] parameter(0)
  %t = (f32[4]) tuple(%x)
  %l = (f32[4]) while(%t), condition=%condition, body=%body
  %g = f32[4] get-tuple-element(%l), index=0
  %s = ((f32[4]), f32[4]) async-start(%g), calls=%w
  %d = f32[4] async-done(%s)
  ROOT %c = f32[4] copy(%d)
}
"""
    assert rows(text) == ["0..5: %x %t{0} %l{0} %g %s{0,0}", "4..6: %s{1} %d"]


def test_a_bare_first_element_is_the_operand():
    module = hlo.read(CHAIN)
    for name in ("start", "update"):
        module.entry.by_name[name].shape = "(f32[64], f32[32], s32[])"
    slots = [" ".join(map(str, buffer.slots)) for buffer in analyse(module).buffers]
    assert slots[0] == "%y %start{0} %update{0}"


def test_an_invalid_module_is_refused():
    with pytest.raises(hlo.HloError) as error:
        analyse(hlo.read(CHAIN.replace("async-done(%update)", "f(%update)")))
    assert str(error.value) == (
        "<string>:13:3: error: The consumer of a async-update instruction needs to be one of "
        "(async-update, async-done), found f"
    )


def test_an_element_that_does_not_exist_shares_nothing_else():
    text = CHAIN.replace("negate(%x)\n  %start", "get-tuple-element(%x), index=7\n  %start")
    text = text.replace("%other = f32[64] negate(%x)", "%other = (f32[64]) tuple()")
    assert rows(text)[0] == "0..5: %x{7} %y %start{0,0} %update{0,0}"
