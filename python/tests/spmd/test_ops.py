"""Ops of every kind, with random shardings: the devices compute what one device does."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest

from sdykit import spmd
from sdykit.core.diagnostics import sent_to
from support.spmd.sharded_ops import inputs_of, kinds, sharded_ops

MODULES = int(os.environ.get("SDYKIT_RANDOM_SPMD", "2"))
OPS = 16


@pytest.mark.parametrize("collectives", ["implicit", "insert"])
@pytest.mark.parametrize("seed", range(MODULES))
def test_devices_compute_what_one_device_does(seed: int, collectives: spmd.Collectives) -> None:
    names = random.Random(seed).choices(kinds(), k=OPS)
    text = sharded_ops(seed, names)
    with sent_to(lambda _: None):  # Some ops have no rule, and are warned of.
        found = spmd.check(text, inputs_of(text, seed), collectives=collectives)
    assert found.is_equal, found


@pytest.mark.parametrize(("seed", "collectives"), [(105, "insert"), (212, "implicit")])
def test_indices_out_of_bounds(seed: int, collectives: spmd.Collectives) -> None:
    """XLA merges slices of slices, and slices with scatters, and forgets bounds; barriers keep it from that."""
    of, names = random.Random(seed), [each for each in kinds() if each != "fft"]
    text = sharded_ops(seed, [of.choice(names) for _ in range(20)])
    with sent_to(lambda _: None):
        found = spmd.check(text, inputs_of(text, seed), collectives=collectives)
    assert found.is_equal, found


EMPTY_INDICES = """
sdy.mesh @mesh = <["a"=8]>
func.func @main(%x: tensor<8x8xf32>, %i: tensor<1x12x0xi32>,
    %u: tensor<1x1x8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}, {}]>})
    -> tensor<8x8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<1x12x0xi32>, tensor<1x1x8x12xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
"""


def test_all_updates_count_without_index_vectors() -> None:
    """XLA would take one update of 12 where the windows of a device have one element."""
    random = np.random.default_rng(0)
    x, u = (random.standard_normal(shape, np.float32) for shape in ((8, 8), (1, 1, 8, 12)))
    (found,) = spmd.run(EMPTY_INDICES, [x, np.zeros((1, 12, 0), np.int32), u], collectives="insert")
    x[0] = np.maximum(x[0], u[0, 0].max(-1))
    np.testing.assert_array_equal(found, x)
