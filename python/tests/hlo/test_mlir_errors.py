"""Instructions, ops, attributes and types without a form in the other language are errors."""

from __future__ import annotations

import pytest

from sdykit import hlo
from sdykit.hlo.from_mlir import from_mlir
from sdykit.hlo.to_mlir import to_mlir
from sdykit.mlir import ir, make_context

BODY = """\
HloModule m
ENTRY %main {{
  %p = f32[2,3] parameter(0)
  {line}
}}
"""
LINES = {
    "%x = f32[2,3] domain(%p)": "opcode domain has no form in MLIR",
    "%x = f32[2,3] exponential(%p), result_accuracy={mode=highest}": (
        "attribute result_accuracy of exponential has no form in MLIR"
    ),
    "%x = f32[6] reshape(%p), inferred_dimension=0": "attribute inferred_dimension of reshape",
    "%x = f32[3,2]{0,1} bitcast(%p)": "depends on the layout of f32[3,2]{0,1}",
    "%x = f32[<=4] negate(%p)": "shape f32[<=4] has no type in MLIR",
    '%x = opaque[] custom-call(%p), custom_call_target="f"': "shape opaque[] has no type",
    '%x = f32[2,3] custom-call(%p), custom_call_target="f", operand_layout_constraints={f32[3,2]}': (
        "operand_layout_constraints={f32[3,2]} does not fit the operands"
    ),
    '%x = f32[2]{0:T(8)} custom-call(), custom_call_target="f", operand_layout_constraints={}': (
        "the layout of f32[2]{0:T(8)} has no form in MLIR"
    ),
    '%x = ((), f32[2]) custom-call(), custom_call_target="f", operand_layout_constraints={}': (
        "the layout of () has no form in MLIR"
    ),
    "%x = f32[20] constant({...})": "the literal is elided",
    "%x = f32[3] constant({1,2})": "the literal does not fit f32[3]",
    "%x = u8[] constant(300)": "is not understood by MLIR",
    "%x = f16[] constant(1e6)": "1e6 is too large for f16",
    "%x = f8e4m3fn[] constant(465)": "465 is too large for f8e4m3fn",
    "%x = f8e4m3fn[] constant(inf)": "f8e4m3fn has no infinity",
    "%x = (f32[]) constant((1))": "constant is invalid: expected the shape of an array, found (f32[])",
    '%x = f32[2,3] abs(%p), metadata={op_name="a"}, unheard_of=1': "attribute unheard_of of abs",
    "%x = f32[2,3] transpose(%p), dimensions={1,0}": "transpose is invalid in MLIR",
    "%x = f32[2,3] add(%p)": "add is invalid: number of operands: expected 2, found 1",
    "%x = f32[2,3] concatenate(), dimensions={0}": (
        "concatenate is invalid: number of operands: expected at least 1, found 0"
    ),
    "%x = f32[2,3] tuple(%p)": "tuple is invalid: expected shape (f32[2,3]), found f32[2,3]",
    "%x = f32[2,3] concatenate(%p), dimensions={0,1}": (
        "attribute dimensions: expected one number in braces, found {0,1}"
    ),
    "%x = f32[2,3] slice(%p), slice=1": (
        "attribute slice: expected slices such as {[0:4:2]}, found 1"
    ),
    "%x = f32[2,3] pad(%p, %p), padding=1": (
        "attribute padding: expected padding such as 1_2x0_0_1, found 1"
    ),
    '%x = f32[2,3] custom-call(%p), custom_call_target="f", custom_call_has_side_effect=1': (
        "attribute custom_call_has_side_effect: expected true or false, found 1"
    ),
    '%x = f32[2,3] custom-call(%p), custom_call_target="f", api_version=NEW': (
        "attribute api_version: expected one of API_VERSION_ORIGINAL, "
    ),
    "%x = pred[] constant(2)": "expected true, false, 1 or 0 in a literal of pred, found 2",
    "%x = f32[] constant(true)": "expected a number in a literal of f32, found true",
    "%x = f32[] constant(nan(0x800000))": "the payload of nan(0x800000) is 0 or has more than 23",
    "%x = s32[2] iota(), iota_dimension=0_0": "iota has no form in MLIR: attribute iota_dimension: expected an integer, found 0_0",
    "%x = f32[2,3] broadcast(%p), dimensions=0": "broadcast has no form in MLIR: attribute dimensions: expected numbers in braces, found 0",
}


@pytest.mark.parametrize("line", LINES)
def test_an_instruction_without_a_form_in_mlir_is_an_error_at_its_place(line: str):
    module = hlo.read(BODY.format(line=line), "in.hlo")
    with pytest.raises(hlo.HloError) as caught:
        to_mlir(module, make_context())
    assert LINES[line] in str(caught.value)
    assert str(caught.value).startswith("in.hlo:4:3: error: ")


def test_control_predecessors_have_no_form_in_mlir():
    line = "%x = f32[2,3] abs(%p), control-predecessors={%p}"
    module = hlo.read(BODY.format(line=line), "in.hlo")
    with pytest.raises(hlo.HloError, match=r"in\.hlo:4:3: error: control-predecessors of abs"):
        to_mlir(module, make_context())


def test_invalid_chains_are_refused():
    line = "%x = f32[2,3] async-done(%p)"
    module = hlo.read(BODY.format(line=line), "in.hlo")
    with pytest.raises(hlo.HloError, match=r"in\.hlo:4:3: error: .*async-done"):
        to_mlir(module, make_context())


def test_an_unknown_attribute_of_the_header_has_no_form_in_mlir():
    text = BODY.format(line="%x = f32[2,3] abs(%p)").replace("HloModule m", "HloModule m, new=1")
    with pytest.raises(hlo.HloError, match="attribute new of the module has no form in MLIR"):
        to_mlir(hlo.read(text, "in.hlo"), make_context())


T = "tensor<4xf32>"
OPS = {
    f"%0 = stablehlo.exponential %a {{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>}} : {T}": (
        "attribute result_accuracy would be lost"
    ),
    f"%0 = stablehlo.abs %a {{mine.note = 1}} : {T}": "attribute mine.note would be lost",
    f"%0 = chlo.asin %a : {T} -> {T}": "op chlo.asin has no form in HLO",
    f'%0 = "mhlo.bitcast"(%a) {{result_layout = dense<[0, 1]> : tensor<2xindex>}} : ({T}) -> {T}': (
        "it depends on result_layout"
    ),
    f"%0 = stablehlo.custom_call @f(%a) {{mhlo.backend_config = 1 : i32}} : ({T}) -> {T}": (
        "mhlo.backend_config is not a dictionary, or not the only configuration"
    ),
    f"%0 = stablehlo.custom_call @f(%a) {{called_computations = [@g]}} : ({T}) -> {T}": (
        "there is no function @g; expected one of the module's"
    ),
}


@pytest.mark.parametrize("op", OPS)
def test_an_op_without_a_form_in_hlo_is_an_error_at_its_place(op: str):
    text = f"func.func @main(%a: {T}) -> {T} {{\n  {op}\n  return %a : {T}\n}}\n"
    module = ir.Module.parse(text, make_context())
    with pytest.raises(hlo.HloError) as caught:
        from_mlir(module)
    assert OPS[op] in str(caught.value)
    assert str(caught.value).startswith("-:2:")


MODULES = {
    "func.func @f() { return }": "a program needs a function @main",
    "sdy.mesh @m = <[]> func.func @main() { return }": "op sdy.mesh has no form in HLO",
    "func.func private @f() func.func @main() { return }": "function @f has no body",
    "func.func @main() { call @main() : () -> () return }": "computation %main calls itself",
    "module attributes {mhlo.is_dynamic = true} { func.func @main() { return } }": (
        "attribute mhlo.is_dynamic of the module has no form in HLO"
    ),
    "func.func @main(%a: tensor<?xf32>) { return }": "type tensor<?xf32> has no shape in HLO",
    'func.func @main(%a: tensor<f32> {tf.b = "c"}) { return }': "attribute tf.b of an argument",
    "func.func @main() attributes {noinline} { return }": "attribute noinline of function @main",
}


@pytest.mark.parametrize("text", MODULES)
def test_a_module_without_a_form_in_hlo_is_refused(text: str):
    module = ir.Module.parse(text, make_context())
    with pytest.raises(hlo.HloError) as caught:
        from_mlir(module)
    assert MODULES[text] in str(caught.value)
