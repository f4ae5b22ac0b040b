"""Asynchronous chains in MLIR: their form, and that of jaxlib's importer."""

from __future__ import annotations

import re

import pytest

from sdykit import hlo
from sdykit.core import run_pipeline
from sdykit.hlo.from_mlir import from_mlir
from sdykit.hlo.to_mlir import to_mlir
from sdykit.mlir import ir, make_context
from support.hlo.mlir_comparison import imported, round_trip, same_program

CHAIN = """\
HloModule chain, is_scheduled=true

%wrapped (p: f32[64], q: s32[]) -> {output} {{
  %p = f32[64] parameter(0)
  %q = s32[] parameter(1)
  ROOT %op = {output} custom-call(%p, %q), custom_call_target="foo"
}}, execution_thread="sparsecore"

ENTRY %main (a: f32[64], n: s32[]) -> {output} {{
  %a = f32[64] parameter(0)
  %n = s32[] parameter(1)
  %start = ((f32[64], s32[]), {output}, s32[], u32[2]) async-start(%a, %n), async_execution_thread="sparsecore", calls=%wrapped
  %first = ((f32[64], s32[]), {output}, s32[], u32[2]) async-update(%start)
  %second = ((f32[64], s32[]), {output}, s32[], u32[2]) async-update(%first)
  ROOT %done = {output} async-done(%second)
}}
"""
OUTPUTS = ["f32[32]", "(f32[32], s32[])", "(f32[32])", "()", "((f32[32]))", "((), f32[2], (()))"]


@pytest.mark.parametrize("output", OUTPUTS)
def test_chains_with_any_output_survive_the_round_trip(output: str):
    found = round_trip(CHAIN.format(output=output))
    assert [op.opcode for op in found.entry][2:] == [
        *("async-start", "async-update", "async-update", "async-done")
    ]


def test_a_chain_is_written_as_mhlo_ops():
    text = str(to_mlir(hlo.read(CHAIN.format(output="f32[32]")), make_context()))
    bundle = (
        "!mhlo.async_bundle<tuple<tensor<64xf32>, tensor<i32>>, tensor<32xf32>, "
        "tensor<i32>, tensor<2xui32>>"
    )
    names = '{called_computation = @wrapped, execution_thread = "sparsecore"}'
    assert 'attributes {execution_thread = "sparsecore"}' in text
    assert f'"mhlo.async_start"(%arg0, %arg1) <{names}>' in text
    assert f'%1 = "mhlo.async_update"(%0) {names} : ({bundle}) -> {bundle}' in text
    assert f'%3 = "mhlo.async_done"(%2) {names} : ({bundle}) -> tensor<32xf32>' in text


@pytest.mark.parametrize("output", ["f32[32]", "(f32[32], s32[])", "()"])
def test_a_wrapped_function_has_one_operation_and_a_return(output: str):
    """Passes over MLIR require a single operation whose results are returned."""
    module = to_mlir(hlo.read(CHAIN.format(output=output)), make_context())
    with module.context:
        run_pipeline(module, "async-verify")
    wrapped = module.body.operations[0].regions[0].blocks[0]
    assert [op.operation.name for op in wrapped] == ["stablehlo.custom_call", "func.return"]


def test_phases_that_share_a_location_get_names_of_their_own():
    """`-async-wrap` puts the location of the operation on all phases."""
    module = to_mlir(hlo.read(CHAIN.format(output="f32[32]")), make_context())
    text = str(module.operation.get_asm(enable_debug_info=True))
    text = re.sub(r"loc\(#loc\d+\)(?=\n    %|\n    return)", 'loc("row")', text)
    found = from_mlir(ir.Module.parse(text, make_context()))
    names = [op.name for op in found.entry]
    assert names[2:] == ["row", "row-update", "row-update.1", "row-done"]


def without_notes(text: str) -> str:
    """Return a module without the attributes that only one of the importers writes."""
    text = text.replace(' {backend_config = ""}', "")
    text = re.sub(r' \{xla_shape = "[^"]*"\}|, xla_shape = "[^"]*"', "", text)
    return re.sub(r"module @(\w+) attributes \{.*\}", r"module @\1", text)


def test_a_chain_with_one_output_is_written_as_by_jaxlib():
    text = CHAIN.format(output="f32[32]")
    ours = str(to_mlir(hlo.read(text), make_context()))
    assert without_notes(ours) == without_notes(imported(text))


def test_a_chain_written_by_jaxlib_is_read():
    text = CHAIN.format(output="f32[32]")
    found = from_mlir(ir.Module.parse(imported(text), make_context()))
    wanted = hlo.read(text)
    del wanted.attributes["is_scheduled"]  # jaxlib drops it.
    same_program(found, wanted)


def test_results_used_one_by_one_become_elements_of_tuples():
    context = make_context()
    module = ir.Module.parse(
        """
        func.func private @w() -> (tensor<i32>, tensor<i32>)
            attributes {execution_thread = "host"} {
          %0:2 = stablehlo.custom_call @f() : () -> (tensor<2xf32>, tensor<i32>)
          return %0#1, %0#1 : tensor<i32>, tensor<i32>
        }
        func.func @main() -> (tensor<i32>, tuple<tensor<i32>, tensor<i32>>) {
          %0 = "mhlo.async_start"() {called_computation = @w, execution_thread = "host"}
              : () -> !mhlo.async_bundle<tuple<>, tuple<tensor<i32>, tensor<i32>>>
          %1:2 = "mhlo.async_done"(%0)
              : (!mhlo.async_bundle<tuple<>, tuple<tensor<i32>, tensor<i32>>>)
              -> (tensor<i32>, tensor<i32>)
          %2 = stablehlo.tuple %1#1, %1#0 {hlo.implied} : tuple<tensor<i32>, tensor<i32>>
          return %1#0, %2 : tensor<i32>, tuple<tensor<i32>, tensor<i32>>
        }
        """,
        context,
    )
    wanted = """HloModule module

%w () -> (s32[], s32[]) {
  %custom-call = (f32[2], s32[]) custom-call(), custom_call_target="f"
  %get-tuple-element = s32[] get-tuple-element(%custom-call), index=1
  ROOT %tuple = (s32[], s32[]) tuple(%get-tuple-element, %get-tuple-element)
}, execution_thread="host"

ENTRY %main () -> (s32[], (s32[], s32[])) {
  %async-start = ((), (s32[], s32[])) async-start(), async_execution_thread="host", calls=%w
  %async-done = (s32[], s32[]) async-done(%async-start)
  %get-tuple-element = s32[] get-tuple-element(%async-done), index=1
  %get-tuple-element.1 = s32[] get-tuple-element(%async-done), index=0
  %tuple = (s32[], s32[]) tuple(%get-tuple-element, %get-tuple-element.1)
  ROOT %tuple.1 = (s32[], (s32[], s32[])) tuple(%get-tuple-element.1, %tuple)
}
"""
    assert hlo.to_text(from_mlir(module), syntax_sugar=False).strip() == wanted.strip()
