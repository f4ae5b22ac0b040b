"""MPMD programs for tests of their picture, and helpers that read them."""

from __future__ import annotations

from typing import cast

from sdykit.core import Diagnostic, capture, run_pipeline
from sdykit.errors import PassFailure
from sdykit.mlir import ModuleOp, ir, make_context
from sdykit.viz.mpmd_view import read_programs
from sdykit.viz.mpmd_view.model import Program
from support import TESTS

INPUTS = TESTS / "inputs" / "mpmd"
REAL = ("mlp", "offloaded_mlp", "transformer", "decoder")
EXPORT = "mpmd-export-pipeline"

ODD = """\
!m1 = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
!host = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, memory_kind="pinned_host">
!cpu = !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>>
!index = !mpmd.mesh_tensor<"m1", tensor<ui32>>
!odd = !mpmd.mesh_tensor<"<img src=x onerror=fail()>", tensor<4x8xf32>>
#topology = #mpmd.topology<<"m1/cpu" : <["x"=2]>>, <"<img src=x onerror=fail()>" : <["<i>"=4]>>, <"m1" : <["x"=2]>>>
module @odd {
  func.func private @part(%a: !m1) -> !m1 attributes {topology = #topology} {
    return %a : !m1
  }
  func.func public @main(%p: !host {mhlo.layout_mode = "auto"}, %q: !cpu {tf.aliasing_output = 1 : i32}, %plain: tensor<4x8xf32>) -> (!m1 {mhlo.layout_mode = "{1,0}"}, !cpu) attributes {topology = #topology} {
    %0 = mpmd.transfer %p : (!host) -> !m1
    %1 = mpmd.transfer {note = "</script><script>fail()</script>"} %q : (!cpu) -> !m1
    %2:2 = mpmd.for (%0, %1) {iterations = 12 : ui32} (%a: !m1, %b: !m1, %index: !index) {
      %9 = mpmd.fragment<mesh="m1", origin=["<b>loop</b>", "g"(1)], stage=3> (%a, %b) {remat, call_counter = 7 : ui32, arg_attrs = [{jax.buffer_donor = true, mhlo.layout_mode = "auto"}, {tf.aliasing_output = 0 : i32, my.mark = "x&y"}], res_attrs = [{mhlo.layout_mode = "{0,1}", mhlo.memory_kind = "pinned_host"}], reserved_hbm_bytes = 3000000000 : i64} (%c: tensor<4x8xf32>, %d: tensor<4x8xf32>) {
        %10 = stablehlo.add %c, %d : tensor<4x8xf32>
        mpmd.return %10 : tensor<4x8xf32>
      } : (!m1, !m1) -> !m1
      mpmd.return %9, %b : !m1, !m1
    } : !m1, !m1
    %3 = mpmd.call @part(%2#0) : (!m1) -> !m1
    %4 = mpmd.unassign %3 : (!m1) -> tensor<4x8xf32>
    %5 = stablehlo.add %4, %plain : tensor<4x8xf32>
    %6 = mpmd.broadcast %5 : tensor<4x8xf32>
    %7 = mpmd.reduce<add> %5, %6 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %8 = mpmd.assign {origin = "why"} %7 : (tensor<4x8xf32>) -> !odd
    %11 = mpmd.fragment<mesh="<img src=x onerror=fail()>", origin=[]> (%8) {mpmd.inferred_by = ["infer_mesh", "uniquify"]} (%c: tensor<4x8xf32>) {
      mpmd.return %c : tensor<4x8xf32>
    } : (!odd) -> !odd
    %12 = mpmd.transfer %11 : (!odd) -> !cpu
    return %3, %12 : !m1, !cpu
  }
}
"""
"""All ops of the dialect at the level of a program, all marks, and names that are HTML."""


def real(name: str) -> str:
    """Return the text of a program from JAX."""
    return (INPUTS / f"{name}.mlir").read_text()


def parsed(text: str, pipeline: str | None = None) -> ir.Module:
    """Parse a module, and run passes on it."""
    context = make_context()
    with context, capture(context, lambda _: None):
        module = ir.Module.parse(text, context)
        if pipeline is not None:
            run_pipeline(module, pipeline)
    return module


def exported(text: str) -> str:
    """Return the text of a program after the export pipeline."""
    return str(parsed(text, EXPORT))


def programs_of(text: str, pipeline: str | None = None) -> list[Program]:
    """Read the programs of a module."""
    module = parsed(text, pipeline)
    with module.context:
        return read_programs(cast(ModuleOp, module.operation.opview))


def failure(text: str) -> str:
    """Return the diagnostics of a module that cannot be read."""
    module = parsed(text)
    found: list[Diagnostic] = []
    with module.context, capture(module.context, found.append):
        try:
            read_programs(cast(ModuleOp, module.operation.opview))
        except PassFailure:
            return "\n".join(map(str, found))
    raise AssertionError("it could be read")
