"""Reshards between random shardings of single ops give the text of C++: who wins where axes compete."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest

from support.oracle_process import OracleProcess
from support.sdy.cpp_functions import compare
from support.sdy.random_chains import random_chains
from support.sdy.random_reshards import (
    Chances,
    Mesh,
    random_pairs,
    random_side,
    side_text,
)

OPS = int(os.environ.get("SDYKIT_RANDOM_RESHARDS", "2400")) // 4
BATCH = 100
CHAINS = 30
"""The functions of ops that use each other, on one mesh."""
SHARDS = 2
FULL = "func.func(sdy-insert-explicit-reshards{enable-full-version=true})"
SHORT = "func.func(sdy-insert-explicit-reshards)"


@pytest.fixture(scope="module")
def oracle() -> Iterator[OracleProcess]:
    process = OracleProcess()
    yield process
    process.close()


@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_ops(oracle: OracleProcess, shard: int) -> None:
    for seed in range(shard, OPS // BATCH, SHARDS):
        of = random.Random(seed)
        mesh = {name: of.choice((2, 2, 3, 4, 4, 8)) for name in "abcd"[: of.randint(1, 4)]}
        axes = ", ".join(f'"{name}"={size}' for name, size in mesh.items())
        functions = [_function(of, mesh, number) for number in range(BATCH)]
        assert compare(oracle, f"sdy.mesh @mesh = <[{axes}]>\n", functions, FULL) > BATCH // 2


@pytest.mark.parametrize("seed", range(3))
def test_reshards_that_change_unreduced_axes(oracle: OracleProcess, seed: int) -> None:
    meshes, pairs = random_pairs(seed, BATCH)
    changed = [pair.text for pair in pairs if pair.has.unreduced != pair.wants.unreduced]
    assert compare(oracle, meshes, changed, FULL) > len(changed) // 3


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("pipeline", [FULL, SHORT])
def test_ops_that_use_what_was_inserted(oracle: OracleProcess, pipeline: str, shard: int) -> None:
    for seed in range(shard, OPS // BATCH // 3, SHARDS):
        head, functions = random_chains(random.Random(seed), CHAINS)
        # C++ crashes at reshards to unreduced axes that some of the ops make.
        assert compare(oracle, head, functions, pipeline) > CHAINS // 3


def _function(of: random.Random, mesh: Mesh, number: int) -> str:
    shape = [of.choice((2, 4, 8, 8, 16, 64)) for _ in range(of.randint(2, 3))]
    kind = f"tensor<{''.join(f'{size}x' for size in shape)}f32>"
    chances = Chances(of.choice((0, 0.4, 0.9)), of.choice((0.3, 0.5, 0.7)), 0)

    def sharding() -> str:
        # The pipeline closes all shardings before.
        text = side_text(of, random_side(of, mesh, len(shape), chances), mesh, "mesh")
        return text.replace(", ?", "").replace("?", "")

    arguments = ", ".join(
        f"%a{number}: {kind} {{sdy.sharding = #sdy.sharding{sharding()}}}" for number in range(3)
    )
    attribute = f"sdy.sharding = #sdy.sharding_per_value<[{sharding()}]>"
    return f"""func.func @f{number}({arguments}) -> {kind} {{
  %0 = stablehlo.clamp %a0, %a1, %a2 {{{attribute}}} : {kind}
  return %0 : {kind}
}}
"""
