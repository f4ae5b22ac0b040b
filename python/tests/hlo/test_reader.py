"""Reading HLO text and printing it again."""

from __future__ import annotations

import pytest

from sdykit import hlo
from support.hlo.xla_process import reprinted

EVERYTHING = r"""HloModule everything, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }, entry_computation_layout={(f32[8,128]{1,0:T(8,128)}, f32[64]{0}, f32[], f32[], f32[], /*index=5*/f32[])->(f32[8,128]{1,0:T(8,128)}, f32[64]{0})}, replica_count=2, num_partitions=2, frontend_attributes={a="b",c={"d":1}}

FileNames
1 "/a \"b\"/c.py"

FunctionNames
1 "f.<locals>.g"

FileLocations
1 {file_name_id=1 function_name_id=1 line=4 end_line=4 column=32 end_column=39}

StackFrames
1 {file_location_id=1 parent_frame_id=1}


%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b), metadata={op_name="x\\y\"z(}{,//" stack_frame_id=1}
}, execution_thread="host"

%branch (t: (f32[64], s32[])) -> (f32[64], s32[]) {
  ROOT %t = (f32[64]{0:T(64)S(1)}, s32[]) parameter(0), sharding={{replicated}, {maximal device=1}}
}

ENTRY %main (p0: f32[8,128], p1: f32[64], p2: f32[], p3: f32[], p4: f32[], p5: f32[]) -> (f32[8,128], f32[64]) {
  %p0 = f32[8,128]{1,0:T(8,128)} parameter(0), sharding={devices=[2,1]<=[2]}
  %p1 = f32[64]{0} parameter(1), parameter_replication={true}
  %p2 = f32[] parameter(2), origin={{"z" {0}}}
  %p3 = f32[] parameter(3), frontend_attributes={x="y",z={"q":[1,{"r":2}]}}
  %p4 = f32[] parameter(4)
  %p5 = f32[] parameter(5)
  %index = s32[] constant(1)
  %complex = c64[2]{0} constant({(1, -2.5), (1, -inf)})
  %nested = s32[2,1,2]{2,1,0} constant({ { { 1, -2 } }, { { 3, 4 } } })
  %none = f32[0]{0} constant({})
  %half = bf16[2]{0} constant({0, 1.001e-05})
  %truth = pred[3]{0} constant({1, 0, 1})
  %bounded = f32[<=8,4]{1,0:T(8,128)(2,1)S(5)} custom-call(%p0), custom_call_target="pad", custom_call_has_side_effect=true, api_version=API_VERSION_TYPED_FFI, backend_config={a = 1 : i32, b = "x{"}
  %first = token[] after-all()
  %buffer = b(f32[64]{0}) custom-call(%p1), custom_call_target="pin"
  %all = f32[64]{0} all-reduce(%p1), channel_id=1, replica_groups=[1,2]<=[2], use_global_device_ids=true, to_apply=%add
  %other = f32[64]{0} all-reduce(%p1), replica_groups=mesh['a'=2] {'a'}, to_apply=%add
  %grouped = f32[64]{0} all-reduce(%all), replica_groups={{0,1}}, to_apply=%add, control-predecessors={%other, %buffer}, metadata={op_name="c" source_file="/a//b.py" source_line=3}
  %pair = (f32[64]{0:T(64)S(1)}, s32[]) tuple(%grouped, %index)
  %chosen = (f32[64]{0:T(64)S(1)}, s32[]) conditional(%index, %pair, %pair), branch_computations={%branch, %branch}
  %element = f32[64]{0} get-tuple-element(%chosen), index=0, statistics={visualizing_index=1,stat-1=33}
  %six = f32[6]{0} custom-call(%p2, %p3, %p4, %p5, %p2, /*index=5*/%p3), custom_call_target="six", operand_layout_constraints={f32[], f32[], f32[], f32[], f32[], f32[]}, backend_config="line\nbreak"
  %window = f32[8,128]{1,0:T(8,128)} reduce-window(%p0, %p2), window={size=3x3 pad=1_1x1_1}, to_apply=%add
  ROOT %out = (f32[8,128]{1,0:T(8,128)}, f32[64]{0}) tuple(%window, %element)
}

"""


def test_all_parts_of_a_program_are_read_and_printed():
    module = hlo.read(EVERYTHING)
    assert hlo.to_text(module) == EVERYTHING
    assert list(module.sections) == ["FileNames", "FunctionNames", "FileLocations", "StackFrames"]
    assert module.attributes["input_output_alias"] == "{ {0}: (0, {}, may-alias) }"
    grouped = module.entry.by_name["grouped"]
    assert list(grouped.attributes) == ["replica_groups", "to_apply", "metadata"]
    assert [op.name for op in grouped.control_predecessors] == ["other", "buffer"]
    assert [each.name for each in module.entry.by_name["chosen"].called()] == ["branch", "branch"]
    assert module.computation("add").execution_thread == "host"


def test_xla_prints_the_program_with_all_parts_the_same():
    assert reprinted([EVERYTHING]) == [EVERYTHING]


SPELLINGS = [
    # In XLA's short form, without ROOT and ENTRY, on one line, with spaces and comments.
    "HloModule m e { p = f32[] parameter(0) q = f32[] add(p, p) }",
    "HloModule m ENTRY e{%p= f32[]parameter(0)ROOT %q= f32[]add(p,p)}",
    "HloModule %m\r\nENTRY\te {\r\n p = f32[] parameter( 0 )\r\n q = f32[] add( p ,\r\n p )\r\n}\r\n",
    "// first\nHloModule m /* x { */ e { // } \n/**/p = f32[] parameter(0)\n q = f32[] /* \" */ add(p /*, q*/,p) }",
    "HloModule m\nENTRY e (x: f32[9]) -> f32[] { p = f32[] parameter(0)\nROOT q = f32[] add(f32[] p, f32[] p) }",
    "HloModule m\nENTRY e { p = f32[] parameter(0)\nROOT q = f32[] add(/*index=0*/p, /*index=1*/p) }",
]  # fmt: skip


@pytest.mark.parametrize("text", SPELLINGS)
def test_spellings_are_printed_as_they_were_read(text: str):
    module = hlo.read(text)
    assert (module.name, module.entry.name) == ("m", "e")
    assert [(op.name, op.shape, op.opcode) for op in module.entry] == [
        ("p", "f32[]", "parameter"),
        ("q", "f32[]", "add"),
    ]
    first, second = module.entry.instructions
    assert second.operands == (first, first)
    assert second.is_root
    assert module.entry.by_name["q"] is second
    again = hlo.to_text(module)
    assert hlo.to_text(hlo.read(again)) == again
    assert reprinted([again]) == reprinted([text])


def test_each_instruction_keeps_its_spelling():
    text = """HloModule m

%f (p: f32[2]) -> f32[2] {
  p = f32[2] parameter(0)
  ROOT %r = f32[2] add(f32[2] p, f32[2] p)
}

ENTRY e {
  %x = f32[2] parameter(0)
  y = f32[2] call(%x), to_apply=%f
  t = (f32[2], f32[2], f32[2], f32[2], f32[2], f32[2]) tuple(x, x, x, x, x, y)
  ROOT %z = f32[2] custom-call(%x, %x, %x, %x, %x, /*index=5*/%y), custom_call_target="c"
}

"""
    assert hlo.to_text(hlo.read(text)) == text


def test_computations_may_come_in_any_order():
    text = """HloModule m

ENTRY %e {
  %p = f32[] parameter(0)
  ROOT %c = f32[] call(%p), to_apply=%f
}

%f {
  ROOT %p = f32[] call(%q), to_apply=%g
  %q = f32[] parameter(0)
}

"""
    assert hlo.read(text.replace("%c = f32[] call(%p), to_apply=%f", "%c = f32[] abs(%p)")
                    .replace("ROOT %p = f32[] call(%q), to_apply=%g\n  %q", "ROOT %q")).entry.name == "e"  # fmt: skip
    with pytest.raises(hlo.HloSyntaxError, match="9:24: error: there is no instruction %q above"):
        hlo.read(text)
    module = hlo.read(text.replace("call(%q), to_apply=%g\n  %q = f32[] ", ""))
    assert [each.name for each in module] == ["e", "f"]
    assert module.entry.is_entry
    assert module.entry.root.called() == [module.computation("f")]


def test_a_header_may_be_missing():
    module = hlo.read("f { p = f32[] parameter(0) }\nENTRY e { p = f32[] parameter(0) }")
    assert module.name == "module_e"


@pytest.mark.parametrize(
    "value",
    [
        "b01f_01io->b01f",
        "0_0x1_1",
        "{1,0}",
        "{[0:3], [1:2:3]}",
        "[2,4]<=[4,2]T(1,0)",
        "[2,4] <= [4,2] T(1,0)",
        "mesh['a'=2,'b'=4] {'a'}",
        '"a \\"quoted\\" } , ( string\\\\"',
        '"two\nlines"',
        '{"json":[{"a":[1,2,{"b":"}"}]},[],{}]}',
        "{" * 500 + "}" * 500,
        "(" * 500 + "{[]}" + ")" * 500,
        "{\n  ROOT p = f32[] parameter(0), x={y=1}\n  }",
        "f32[2]{0:T(8,128)S(1)}",
        "-1.5e-05",
        "%name.1",
    ],
)
def test_values_of_attributes_may_be_any_balanced_text(value: str):
    text = f"""HloModule m, header={value}

ENTRY e {{
  p = f32[] parameter(0)
  ROOT q = f32[] anything(p), before=1, key-1.x_={value}, behind={{2}}
}}, footer={value}

"""
    module = hlo.read(text)
    assert module.entry.root.attributes == {"before": "1", "key-1.x_": value, "behind": "{2}"}
    assert module.attributes == {"header": value}
    assert module.entry.attributes == {"footer": value}
    assert hlo.to_text(module) == text


@pytest.mark.parametrize(
    "shape",
    [
        "f32[]",
        "f32[2,3]{1,0}",
        "f32[<=2,?]{1,0:T(8,128)(2,1)E(4)S(3)}",
        "f32[4]{0:D(C)#(u16)*(u32)P((f32[2]{0}, s32[]))}",
        "()",
        "(f32[2]{0:T(8)}, (s32[], ()), token[], opaque[])",
        "(s32[], s32[], s32[], s32[], s32[], /*index=5*/s32[])",
        "b(f32[2]{0})",
        "(" * 400 + ")" * 400,
    ],
)
def test_shapes_are_kept_as_written(shape: str):
    text = f"""HloModule m

ENTRY e {{
  p = {shape} parameter(0)
  ROOT q = {shape} anything({shape} p, {shape} p), k=1
}}

"""
    assert hlo.to_text(hlo.read(text)) == text


@pytest.mark.parametrize("literal", ["5", "{...}", "({1, 2}, 3)", "{ { (1, 2) } }", "", "token[]"])
def test_literals_are_kept_as_written(literal: str):
    text = f"HloModule m\n\nENTRY e {{\n  ROOT c = f32[] constant({literal}), k=1\n}}\n\n"
    module = hlo.read(text)
    assert module.entry.root.literal == literal
    assert hlo.to_text(module) == text


def test_instructions_and_computations_have_locations():
    module = hlo.read("HloModule m\n\nENTRY e {\n  ROOT p = f32[] parameter(0) }", "a/b.hlo")
    assert str(module.entry.root.location) == "a/b.hlo:4:8"
    assert str(module.entry.location) == "a/b.hlo:3:7"


def test_a_byte_order_mark_and_windows_line_ends_are_read():
    text = "HloModule m\n\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n\n"
    module = hlo.read("\ufeff" + text.replace("\n", "\r\n"))
    assert hlo.to_text(module) == text
    assert str(module.entry.root.location) == "<string>:4:8"
    with pytest.raises(hlo.HloSyntaxError) as caught:
        hlo.read("\ufeff?")
    assert str(caught.value) == "<string>:1:2: error: expected a computation, found '?'"
