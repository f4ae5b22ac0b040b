"""Manual computations: their collectives, and what a check compares in them."""

from __future__ import annotations

from collections.abc import Callable

import jax
import numpy as np
import pytest
from jax import lax
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P

from sdykit import spmd

MESH = AbstractMesh((2, 4), ("a", "b"))
X = np.random.default_rng(0).standard_normal((8, 12)).astype(np.float32)
PARTS = X.reshape(4, 2, 12)
"""The rows of each device along `b`."""

COLLECTIVES: dict[str, tuple[Callable[[jax.Array], jax.Array], np.ndarray]] = {
    "all_gather": (lambda x: lax.all_gather(x, "b", axis=1, tiled=True), np.hstack(list(PARTS))),
    "all_reduce": (lambda x: lax.psum(x, "b"), PARTS.sum(0)),
    "maximum": (lambda x: lax.pmax(x, "b"), PARTS.max(0)),
    "reduce_scatter": (
        lambda x: lax.psum_scatter(x, "b", scatter_dimension=1, tiled=True),
        np.vstack(np.hsplit(PARTS.sum(0), 4)),
    ),
    "all_to_all": (
        lambda x: lax.all_to_all(x, "b", 1, 0, tiled=True),
        np.vstack(np.hsplit(X, 4)),
    ),
    "collective_permute": (
        lambda x: lax.ppermute(x, "b", [(0, 1), (1, 2), (2, 3)]),
        np.vstack([np.zeros_like(PARTS[0]), *PARTS[:3]]),
    ),
    "partition_id": (
        lambda x: x + lax.axis_index("b").astype(x.dtype),
        X + np.repeat(np.arange(4, dtype=np.float32), 2)[:, None],
    ),
}


@pytest.mark.parametrize("axes", [{"b"}, {"a", "b"}], ids=["a is free", "all axes"])
@pytest.mark.parametrize("name", COLLECTIVES)
def test_collectives_of_stablehlo(name: str, axes: set[str]) -> None:
    part, expected = COLLECTIVES[name]
    is_whole = name in ("all_gather", "all_reduce", "maximum")

    def program(x: jax.Array) -> jax.Array:
        return jax.shard_map(
            part,
            mesh=MESH,
            in_specs=P("b"),
            out_specs=P() if is_whole else P("b"),
            axis_names=axes,
            check_vma=False,
        )(x)

    (found,) = spmd.run(program, [X], mesh=MESH, in_shardings=(P("b", "a"),))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


IN_ONE = """
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<8x12xf32>) -> tensor<8x12xf32> {{
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{{"a"}}, {{}}]>]
      out_shardings=[<@mesh, [{{"a"}}, {{}}]>] manual_axes={{"a"}} (%p: tensor<2x12xf32>) {{
    %1 = {op} : (tensor<2x12xf32>) -> tensor<2x12xf32>
    sdy.return %1 : tensor<2x12xf32>
  }} : (tensor<8x12xf32>) -> tensor<8x12xf32>
  return %0 : tensor<8x12xf32>
}}
"""
GROUP = "replica_groups = dense<[[2, 0, 1, 3]]> : tensor<1x4xi64>"


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("collective_broadcast", np.vstack([PARTS[2]] * 4)),
        ("cross-replica-sum", np.vstack([PARTS.sum(0)] * 4)),
    ],
)
def test_collectives_that_jax_does_not_make(op: str, expected: np.ndarray) -> None:
    text = IN_ONE.format(op=f'"stablehlo.{op}"(%p) <{{{GROUP}}}>')
    (found,) = spmd.run(text, [X], collectives="implicit")
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


MANUAL = """
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x16xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"a"}}, {{"b"}}]>}},
                %w: tensor<16x4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"b"}}, {{}}]>}})
    -> (tensor<8x4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"a"}}, {{}}]>}}) {{
  %0 = sdy.manual_computation(%x, %w)
      in_shardings=[<@mesh, [{{"a"}}, {{"b"}}]>, <@mesh, [{{"b"}}, {{}}]>]
      out_shardings=[<@mesh, [{{"a"}}, {{}}]>] manual_axes={{"a"}}
      (%p: tensor<4x16xf32>, %q: tensor<16x4xf32>) {{
    %1 = stablehlo.tanh %p {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{}}, {{"b"}}]>]>}}
        : tensor<4x16xf32>
    %2 = stablehlo.dot_general %1, %q, contracting_dims = [1] x [0]
        {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{}}, {{}}]>]>}}
        : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
    %3 = {op} : tensor<4x4xf32>
    sdy.return %3 : tensor<4x4xf32>
  }} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}}
"""
SUM = 'sdy.all_reduce {"b"} %2 out_sharding=<@mesh, [{}, {}]>'
WITHOUT = "stablehlo.abs %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}"


def test_a_check_tells_what_it_cannot_compare() -> None:
    found = spmd.check(MANUAL.format(op=SUM), collectives="explicit", bisect=True)
    assert found.is_equal
    assert str(found) == (
        "8 devices compute the same result as one device. Not checked: what 3 ops in manual computations"
        " do along manual axes, where both sides run the same program"
    )


def test_the_first_op_that_differs_is_in_a_manual_computation() -> None:
    found = spmd.check(MANUAL.format(op=WITHOUT), collectives="explicit", bisect=True)
    assert found.first is not None
    assert found.first.op.startswith("%3 = stablehlo.abs")
    assert str(found.first).startswith(
        "-:15:10: the first op that differs in devices [0, 1, 2, 3] of the manual computation at -:6:8:"
        " result: devices 0 and 1 should hold the same part, but device 1 has "
    )


NESTED = """
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"a"}}, {{"b"}}]>}})
    -> (tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"a"}}, {{"b"}}]>}}) {{
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{{"a"}}, {{"b"}}]>]
      out_shardings=[<@mesh, [{{"a"}}, {{"b"}}]>] manual_axes={{"a"}} (%p: tensor<4x8xf32>) {{
    %1 = sdy.manual_computation(%p) in_shardings=[<@mesh, [{{}}, {{"b"}}]>]
        out_shardings=[<@mesh, [{{}}, {{"b"}}]>] manual_axes={{"b"}} (%q: tensor<4x4xf32>) {{
      %2 = stablehlo.negate %q {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{}}, {{}}]>]>}}
          : tensor<4x4xf32>
      %3 = {op} : tensor<4x4xf32>
      sdy.return %3 : tensor<4x4xf32>
    }} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  }} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}}
"""


def test_a_manual_computation_in_another_one_is_compared() -> None:
    """Every device along `c` has the whole tensor: the sum over it is twice what it should be."""
    wrong = NESTED.format(op='sdy.all_reduce {"c"} %2 out_sharding=<@mesh, [{}, {}]>')
    x = np.ones((8, 8), np.float32)
    found = spmd.check(wrong, [x], collectives="explicit", bisect=True)
    assert found.first is not None
    assert found.first.op.startswith("%3 = sdy.all_reduce")
    assert found.first.text.startswith("-2.0 instead of -1.0 at [0, 0]")
    assert found.manual_ops == 3
