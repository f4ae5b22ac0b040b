"""The analysis of large programs takes linear time and space."""

from __future__ import annotations

import pytest

from sdykit import hlo
from sdykit.hlo.aliasing import analyse


@pytest.mark.timeout(60)
def test_time_and_table_are_linear_for_many_chains_on_one_buffer():
    """The table has one long row, to which others are not padded."""
    lines = "\n".join(
        f"%s{n} = ((f32[64]), f32[64]) sine-start(%x)\n%d{n} = f32[64] sine-done(%s{n})"
        for n in range(10_000)
    )
    text = f"ENTRY %e {{\n%x = f32[64] parameter(0)\n{lines}\n}}"
    found = analyse(hlo.read(text))
    assert len(found.buffers) == 10_001
    assert len(found.buffers[0].slots) == 10_001
    assert len(str(found)) < 300 * 10_000


@pytest.mark.timeout(60)
def test_time_is_linear_for_a_chain_with_many_results():
    shape = f"({', '.join(['f32[64]'] * 20_000)})"
    lines = "\n".join(f"%g{n} = f32[64] get-tuple-element(%d), index={n}" for n in range(20_000))
    text = f"""\
ENTRY %e {{
%s = ((), {shape}) custom-call-start(), custom_call_target="f"
%d = {shape} custom-call-done(%s)
{lines}
ROOT %t = {shape} tuple({", ".join(f"%g{n}" for n in range(20_000))})
}}"""
    found = analyse(hlo.read(text))
    slots = [" ".join(map(str, buffer.slots)) for buffer in found.buffers]
    assert slots == [f"%s{{1,{n}}} %d{{{n}}} %g{n} %t{{{n}}}" for n in range(20_000)]


def test_chains_may_be_nested_a_thousand_deep():
    group = 'frontend_attributes={_collectives_group=""}'
    parts, called = ["%sine {\n%y = f32[4] parameter(0)\nROOT %z = f32[4] sine(%y)\n}\n"], "sine"
    for number in range(1000):
        start = f"%s = ((f32[4]), f32[4]) async-start(%x), calls=%{called}, {group}"
        body = f"%x = f32[4] parameter(0)\n{start}\nROOT %d = f32[4] async-done(%s)"
        parts.append(f"%c{number} {{\n{body}\n}}\n")
        called = f"c{number}"
    assert len(analyse(hlo.read("".join(parts))).buffers) == 2000
