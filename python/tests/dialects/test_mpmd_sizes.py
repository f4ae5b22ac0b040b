"""The sizes of mesh tensors are those that C++ counts when it reserves memory for fragments."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from sdykit.dialects import mpmd
from support.mpmd.oracle import MpmdOracle

# While `f1` runs, %x and %z live beside it, and are all that does.
PROGRAM = """
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func public @main(%x: !mesh_tensor, %z: !mesh_tensor, %y: !f32s)
    -> (!f32s, !mesh_tensor, !mesh_tensor)
    attributes {topology = #mpmd.topology<<"m1" : <["x"=2, "y"=4]>>>} {
  %0 = mpmd.fragment<mesh="m1", origin=["f1"], stage=0> (%y) (%a: tensor<4xf32>) {
    %1 = stablehlo.add %a, %a : tensor<4xf32>
    mpmd.return %1 : tensor<4xf32>
  } : (!f32s) -> !f32s
  %2:3 = mpmd.fragment<mesh="m1", origin=["f2"], stage=1> (%x, %z, %0)
      (%a: !tensor, %b: !tensor, %c: tensor<4xf32>) {
    %d = stablehlo.tanh %c : tensor<4xf32>
    %e = stablehlo.custom_call @f(%a) : (!tensor) -> !tensor
    %f = stablehlo.custom_call @g(%b) : (!tensor) -> !tensor
    mpmd.return %d, %e, %f : tensor<4xf32>, !tensor, !tensor
  } : (!mesh_tensor, !mesh_tensor, !f32s) -> (!f32s, !mesh_tensor, !mesh_tensor)
  return %2#0, %2#1, %2#2 : !f32s, !mesh_tensor, !mesh_tensor
}"""


@pytest.fixture(scope="module")
def partition() -> Iterator[MpmdOracle]:
    with MpmdOracle() as oracle:
        yield oracle


@pytest.mark.parametrize(
    "mesh_tensor",
    [
        '<"m1", tensor<f32>>',
        '<"m1", tensor<8xi1>>',
        '<"m1", tensor<9xi1>>',
        '<"m1", tensor<3xi2>>',
        '<"m1", tensor<3xi4>>',
        '<"m1", tensor<3xui4>>',
        '<"m1", tensor<3xf4E2M1FN>>',
        '<"m1", tensor<3xf6E3M2FN>>',
        '<"m1", tensor<3xf8E4M3B11FNUZ>>',
        '<"m1", tensor<3xbf16>>',
        '<"m1", tensor<0x8xf64>>',
        '<"m1", tensor<8x12xf32>, sharding=<@mesh, [{"x"}, {"y"}]>>',
        '<"m1", tensor<8x12xf32>, sharding=<@mesh, [{}, {"x", ?}], replicated={"y"}>>',
        '<"m1", tensor<8x12xf32>, sharding=<@mesh, [{"y":(1)2}, {"y":(2)2}]>>',
        '<"m1", tensor<6xi4>, sharding=<@mesh, [{"x"}]>>',
        '<"m1", tensor<8xf32>, sharding=<@mesh, [{"x"}]>, memory_kind="pinned_host">',
    ],
)
def test_size_in_bytes_is_what_shardy_reserves(mesh_tensor: str, partition: MpmdOracle) -> None:
    view = mpmd.MeshTensorType.parse(f"!mpmd.mesh_tensor{mesh_tensor}")
    aliases = f"""
!mesh_tensor = {view}
!tensor = {view.ranked_tensor_type}
!f32s = !mpmd.mesh_tensor<"m1", tensor<4xf32>>
"""
    result = partition(aliases + PROGRAM)
    assert result.text is not None, result.errors
    reserved = re.search(r"reserved_hbm_bytes = (\d+)", result.text)
    assert reserved is not None
    topology = re.search(r"#mpmd\.topology<.*?>>>", PROGRAM)
    assert topology is not None
    mesh = mpmd.TopologyAttr.parse(topology[0]).mesh("m1")
    bits = 2 * view.size_in_bits(mesh)
    assert -(-bits // 8) == int(reserved[1])
