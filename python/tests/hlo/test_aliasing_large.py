"""The analysis of buffers: large programs take time and space in proportion."""

from __future__ import annotations

import pytest

from sdykit import hlo
from sdykit.hlo.aliasing import analyse


@pytest.mark.timeout(60)
def test_many_chains_on_one_buffer():
    """The table has one long row, and others are not padded to its length."""
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
def test_a_chain_with_many_results():
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


def test_what_is_wrapped_may_be_nested_deeply():
    group = 'frontend_attributes={_collectives_group=""}'
    parts, called = ["%sine {\n%y = f32[4] parameter(0)\nROOT %z = f32[4] sine(%y)\n}\n"], "sine"
    for number in range(1000):
        start = f"%s = ((f32[4]), f32[4]) async-start(%x), calls=%{called}, {group}"
        body = f"%x = f32[4] parameter(0)\n{start}\nROOT %d = f32[4] async-done(%s)"
        parts.append(f"%c{number} {{\n{body}\n}}\n")
        called = f"c{number}"
    assert len(analyse(hlo.read("".join(parts))).buffers) == 2000
