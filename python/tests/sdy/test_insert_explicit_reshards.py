"""Reshards between random shardings of single ops give the text of C++: who wins where axes compete."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest

from support.oracle import ours
from support.oracle_process import OracleProcess
from support.sdy.cpp_functions import cpp_functions, name_of, texts
from support.sdy.random_reshards import (
    Chances,
    Mesh,
    random_pairs,
    random_side,
    side_text,
)

OPS = int(os.environ.get("SDYKIT_RANDOM_RESHARDS", "2400")) // 4
BATCH = 100
SHARDS = 2
FULL = "func.func(sdy-insert-explicit-reshards{enable-full-version=true})"


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
        assert compare(oracle, f"sdy.mesh @mesh = <[{axes}]>\n", functions) > BATCH // 2


@pytest.mark.parametrize("seed", range(3))
def test_reshards_that_change_unreduced_axes(oracle: OracleProcess, seed: int) -> None:
    meshes, pairs = random_pairs(seed, BATCH)
    changed = [pair.text for pair in pairs if pair.has.unreduced != pair.wants.unreduced]
    assert compare(oracle, meshes, changed) > len(changed) // 3


def compare(oracle: OracleProcess, head: str, functions: list[str]) -> int:
    """Compare the texts of functions; return the number of those that C++ takes."""
    expected = cpp_functions(oracle, head, functions, FULL)
    taken = [each for each in functions if name_of(each) in expected]
    found = ours(head + "".join(taken), FULL)
    assert found.text is not None, found.errors
    made = texts(found.text)
    for each in taken:
        assert made[name_of(each)] == expected[name_of(each)], head + each
    return len(taken)


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
