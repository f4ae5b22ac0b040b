"""Collectives that reshards become, executed: each device gets the part that the reshard asks for."""

from __future__ import annotations

import math
import os
import random

import numpy as np
import pytest

from sdykit.spmd import run
from support.oracle import ours
from support.sdy.random_reshards import Chances, Mesh, random_side, side_text

PIPELINE = (
    "func.func(sdy-reshard-to-collectives),"
    "canonicalize{enable-patterns=sdy-collective region-simplify=aggressive top-down=false}"
)
MESHES: tuple[Mesh, ...] = (
    {"a": 2, "b": 2, "c": 2},
    {"a": 4, "b": 2},
    {"a": 8},
    {"a": 2, "b": 3},
    {"a": 6},
    {"a": 2, "b": 4, "c": 1},
)
SEEDS = range(int(os.environ.get("SDYKIT_RANDOM_RESHARDS", "2400")) // 1200)
RESHARDS = 12


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mesh", MESHES, ids=str)
def test_collectives_do_what_the_reshard_asks_for(mesh: Mesh, seed: int) -> None:
    of = random.Random(seed)
    rank, size = of.randint(1, 3), math.prod(mesh.values())
    module = ours(_module(of, mesh, [size] * rank), PIPELINE)
    assert module.text is not None, module.errors
    assert "sdy.reshard " not in module.text
    numbers = np.random.default_rng(seed)
    inputs = [numbers.standard_normal([size] * rank).astype(np.float32) for _ in range(RESHARDS)]
    for found, expected in zip(
        run(module.text, inputs, collectives="explicit"), inputs, strict=True
    ):
        np.testing.assert_array_equal(found, expected)


def _module(of: random.Random, mesh: Mesh, shape: list[int]) -> str:
    """Return a module of reshards, each from an argument to a result that has the sharding as well."""
    axes = ", ".join(f'"{name}"={size}' for name, size in mesh.items())
    kind = f"tensor<{''.join(f'{size}x' for size in shape)}f32>"
    chances = Chances(of.choice((0.4, 0.9)), 0.6, 0)
    sides = [
        [side_text(of, random_side(of, mesh, len(shape), chances), mesh, "mesh") for _ in range(2)]
        for _ in range(RESHARDS)
    ]
    arguments = ", ".join(
        f"%a{number}: {kind} {{sdy.sharding = #sdy.sharding{has}}}"
        for number, (has, _) in enumerate(sides)
    )
    results = ", ".join(f"{kind} {{sdy.sharding = #sdy.sharding{wants}}}" for _, wants in sides)
    ops = "\n".join(
        f"  %{number} = sdy.reshard %a{number} {wants} : {kind}"
        for number, (_, wants) in enumerate(sides)
    )
    returned = ", ".join(f"%{number}" for number in range(RESHARDS))
    return f"""sdy.mesh @mesh = <[{axes}]>
func.func @main({arguments}) -> ({results}) {{
{ops}
  return {returned} : {", ".join([kind] * RESHARDS)}
}}
"""
