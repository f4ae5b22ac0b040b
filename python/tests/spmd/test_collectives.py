"""Collectives of sdy, executed as they stand: right ones, and ones that a wrong pass has left out."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit import spmd
from sdykit.core.diagnostics import capture
from sdykit.mlir import ir, make_context

MESH = 'sdy.mesh @mesh = <["a"=2, "b"=4]>\n'
X = np.arange(128, dtype=np.float32).reshape(8, 16)


def function(before: str, op: str, after: str) -> str:
    """Return a module whose function has one op on an argument; shardings in and out are given."""
    type_ = "tensor<8x16xf32>"
    return (
        f"{MESH}func.func @main(%x: {type_} {{sdy.sharding = #sdy.sharding<@mesh, {before}>}})"
        f" -> ({type_} {{sdy.sharding = #sdy.sharding<@mesh, {after}>}}) {{\n"
        f"  %0 = {op} out_sharding=<@mesh, {after}> : {type_}\n  return %0 : {type_}\n}}"
    )


@pytest.mark.parametrize(
    ("before", "op", "after"),
    [
        ('[{"a", "b"}, {}]', 'sdy.all_gather [{"b"}, {}] %x', '[{"a"}, {}]'),
        ('[{"a"}, {"b"}]', 'sdy.all_gather [{"a"}, {"b"}] %x', "[{}, {}]"),
        ("[{}, {}]", 'sdy.all_slice [{"b", "a"}, {}] %x', '[{"b", "a"}, {}]'),
        ('[{"a"}, {}]', 'sdy.all_slice [{}, {"b":(2)2}] %x', '[{"a"}, {"b":(2)2}]'),
        ('[{"b"}, {}]', 'sdy.all_to_all [{"b"}: 0->1] %x', '[{}, {"b"}]'),
        ('[{"a", "b"}, {}]', 'sdy.all_to_all [{"b"}: 0->1] %x', '[{"a"}, {"b"}]'),
        ('[{"a", "b"}, {}]', "sdy.collective_permute %x", '[{"b", "a"}, {}]'),
        ('[{"b":(1)2}, {}]', "sdy.collective_permute %x", '[{"a"}, {}]'),
        ('[{"a"}, {}]', 'sdy.replicated_to_unreduced {"b"} %x', '[{"a"}, {}], unreduced={"b"}'),
        (
            '[{"a", "b"}, {}]',
            'sdy.sharded_to_unreduced [{"b"}, {}] %x',
            '[{"a"}, {}], unreduced={"b"}',
        ),
    ],
)
def test_a_collective_changes_no_value(before: str, op: str, after: str) -> None:
    program = spmd.partition(function(before, op, after), collectives="explicit")
    assert not program.notes
    (found,) = spmd.run_partitioned(program, [X])
    np.testing.assert_array_equal(found, X)


@pytest.mark.parametrize(
    ("op", "after"),
    [
        ('sdy.all_reduce {"b"} %x', '[{"a"}, {}]'),
        ('sdy.reduce_scatter [{}, {"b"}] %x', '[{"a"}, {"b"}]'),
    ],
)
def test_an_unreduced_tensor_is_summed(op: str, after: str) -> None:
    text = function('[{"a"}, {}], unreduced={"b"}', op, after)
    (found,) = spmd.run(text, [X], collectives="explicit")
    np.testing.assert_array_equal(found, X)


def test_devices_in_another_order() -> None:
    meshes = (
        'sdy.mesh @mesh = <["a"=8]>\n'
        'sdy.mesh @other = <["a"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>\n'
    )
    text = (
        meshes
        + """
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
    -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}, {}]>}) {
  %0 = sdy.collective_permute %x out_sharding=<@other, [{"a"}, {}]> : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}"""
    )
    program = spmd.partition(text, collectives="explicit")
    assert "collective_permute" in program.text
    np.testing.assert_array_equal(spmd.run_partitioned(program, [X])[0], X)


MATMUL = (
    MESH
    + """
func.func @main(%x: tensor<8x16xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"a"}}, {{"b"}}]>}},
                %w: tensor<16x4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"b"}}, {{}}]>}})
    -> (tensor<8x4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"a"}}, {{}}]>}}) {{
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"a"}}, {{}}]>]>}}
      : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  {sum}
  %2 = stablehlo.tanh %1 {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"a"}}, {{}}]>]>}}
      : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}}"""
)
SUM = '%1 = sdy.all_reduce {"b"} %0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<8x4xf32>'
WITHOUT = '%1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : tensor<8x4xf32>'


@pytest.mark.parametrize("collectives", ["explicit", "implicit"])
def test_a_sum_that_is_there_is_done_once(collectives: spmd.Collectives) -> None:
    found = spmd.check(MATMUL.format(sum=SUM), collectives=collectives, bisect=True)
    assert found.is_equal
    assert str(found) == "8 devices compute the same result as one device"


@pytest.mark.parametrize("collectives", ["explicit", "implicit"])
def test_a_sum_may_be_over_unreduced_axes_too(collectives: spmd.Collectives) -> None:
    """Along `b` the product leaves summands; along `a`, its operand was unreduced."""
    text = (
        MESH
        + """
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}], unreduced={"a"}>},
                %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>}
      : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = sdy.all_reduce {"a", "b"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}"""
    )
    w = np.linspace(-1, 1, 64, dtype=np.float32).reshape(16, 4)
    (found,) = spmd.run(text, [X, w], collectives=collectives)
    np.testing.assert_allclose(found, X @ w, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("collectives", ["explicit", "implicit"])
def test_a_sum_that_is_scattered_is_done_once(collectives: spmd.Collectives) -> None:
    scatter = '%1 = sdy.reduce_scatter [{}, {"b"}] %0 out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<8x4xf32>'
    text = MATMUL.format(sum=scatter)
    w = np.linspace(-1, 1, 64, dtype=np.float32).reshape(16, 4) / 1000
    (found,) = spmd.run(text, [X, w], collectives=collectives)
    np.testing.assert_allclose(found, np.tanh(X @ w), rtol=1e-4, atol=1e-5)


def test_a_sum_that_is_missing_is_found() -> None:
    text = MATMUL.format(sum=WITHOUT)
    found = spmd.check(text, collectives="explicit", bisect=True)
    assert not found.is_equal
    assert found.first is not None
    assert found.first.op.startswith("%1 = stablehlo.negate")
    assert str(found.first.place) == "-:9:8"
    assert "the first op that differs: result: devices 0 and 1 should hold the same part" in str(
        found
    )
    (note,) = found.notes
    assert str(note) == (
        "-:9:8: remark: 'stablehlo.negate' op uses operand #0, of which each device along \"b\" has"
        " a summand only: no sdy.all_reduce comes before"
    )
    with pytest.raises(
        spmd.SpmdError, match="devices 0 and 1 should hold the same part, but device 1 has"
    ):
        spmd.run(text, spmd.random_inputs(spmd.partition(text)), collectives="explicit")


def test_what_is_missing_is_moved_if_collectives_are_implicit() -> None:
    text = MATMUL.format(sum=WITHOUT)
    assert spmd.check(text, collectives="implicit", bisect=True).is_equal


def test_a_run_tells_what_it_gathers() -> None:
    text = (
        MESH
        + """
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<4x16xf32> {
  %0 = stablehlo.slice %x [2:6, 0:16] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>}
      : (tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = stablehlo.slice %x [1:5, 0:16] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>}
      : (tensor<8x16xf32>) -> tensor<4x16xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}"""
    )
    found = []
    context = make_context()
    with capture(context, found.append):
        (result,) = spmd.run(ir.Module.parse(text, context), [X], collectives="implicit")
    np.testing.assert_array_equal(result, X[2:6] + X[1:5])
    assert [str(each) for each in found] == [
        "-:4:8: remark: 'stablehlo.slice' op is run on whole tensors where its dimensions are divided so"
        " that devices would have to exchange elements: they are gathered, which costs more than a"
        " partitioner's exchange"
    ]
