"""What is read off a program in HLO: groups in all their forms, combined collectives, loops."""

from __future__ import annotations

import pytest

from sdykit.explain.costs.compiled import collectives_in
from sdykit.explain.costs.model import CompiledCollective
from sdykit.hlo import read

ADD = """HloModule m

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}
"""


def found(body: str, before: str = "") -> list[CompiledCollective]:
    """Return the collectives of a program whose entry has one parameter, of type f32[8,4]."""
    text = f"{ADD}{before}\nENTRY %main (p: f32[8,4]) -> f32[8,4] {{\n  %p = f32[8,4] parameter(0)\n{body}}}\n"
    return list(collectives_in(read(text, "m.hlo"), 8))


@pytest.mark.parametrize(
    ("groups", "devices"),
    [
        ("{{0,1},{2,3},{4,5},{6,7}}", 2),
        ("{}", 8),
        ("[2,4]<=[8]", 4),
        ("[4,2]<=[2,4]T(1,0)", 2),
        ("mesh['axis_0'=4,'axis_1'=2] {'axis_0'}", 4),
        ("mesh['axis_0'=4,'axis_1'=2] {'axis_1','axis_0'}", 8),
        ("mesh['axis_0'=4,'axis_1'=2] {'axis_0':(2)2}", 2),
    ],
)
def test_groups(groups: str, devices: int) -> None:
    (each,) = found(
        f"  ROOT %r = f32[8,4] all-reduce(%p), replica_groups={groups}, to_apply=%add\n"
    )
    assert (each.kind, each.devices, each.operand_bytes) == ("all_reduce", devices, 128)
    assert each.bytes == 2 * 128 * (devices - 1) / devices


def test_combined_collectives_are_told_apart() -> None:
    name = "(sdykit.12:jit(f)/sdykit.3/sdykit.44)"
    both = found(
        "  %q = bf16[2] constant({1, 2})\n"
        f'  %t = (f32[8,4], bf16[2]) all-reduce(%p, %q), to_apply=%add, metadata={{op_name="{name}"}}\n'
        "  ROOT %r = f32[8,4] get-tuple-element(%t), index=0\n"
    )
    assert [(each.line, each.operand_bytes) for each in both] == [(12, 128), (44, 4)]


def test_parts_of_one_array_are_one() -> None:
    (each,) = found(
        "  %q = f32[4,4] slice(%p), slice={[0:4], [0:4]}\n"
        "  %t = (f32[4,4], f32[4,4]) all-to-all(%q, %q), replica_groups={{0,1}}, "
        'metadata={op_name="sdykit.7"}\n'
        "  ROOT %r = f32[8,4] copy(%p)\n"
    )
    assert (each.kind, each.line, each.operand_bytes, each.bytes) == ("all_to_all", 7, 128, 64)


LOOP = """
%body (p: (s32[], f32[8,4])) -> (s32[], f32[8,4]) {
  %p = (s32[], f32[8,4]) parameter(0)
  %i = s32[] get-tuple-element(%p), index=0
  %v = f32[8,4] get-tuple-element(%p), index=1
  %w = f32[8,4] collective-permute(%v), source_target_pairs={{0,1},{1,0}}
  ROOT %t = (s32[], f32[8,4]) tuple(%i, %w)
}

%cond (p: (s32[], f32[8,4])) -> pred[] {
  %p = (s32[], f32[8,4]) parameter(0)
  ROOT %c = pred[] constant(true)
}
"""


@pytest.mark.parametrize(
    ("config", "runs"),
    [
        (', backend_config={"known_trip_count":{"n":"5"}}', (5, False)),
        (', backend_config={"other":1}', (1, True)),
        ("", (1, True)),
    ],
)
def test_loops(config: str, runs: tuple[int, bool]) -> None:
    (each,) = found(
        "  %z = s32[] constant(0)\n"
        "  %t = (s32[], f32[8,4]) tuple(%z, %p)\n"
        f"  %l = (s32[], f32[8,4]) while(%t), condition=%cond, body=%body{config}\n"
        "  ROOT %r = f32[8,4] get-tuple-element(%l), index=1\n",
        LOOP,
    )
    assert (each.kind, each.line, each.bytes) == ("collective_permute", None, 128)
    assert (each.runs, each.is_in_unknown_loop) == runs
