"""Constants in tile programs: each is added once, and known positions are folded."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from sdykit.mlir import ir, make_context
from sdykit.sparsecore.optimizers import Adam
from sdykit.sparsecore.tile.build import build_tile
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec


@pytest.mark.parametrize(
    "spec",
    [
        LookupSpec(dim=128, samples_per_core=64, layout="ids"),
        LookupSpec(dim=13, samples_per_core=64, num_devices=2, layout="jax_tpu_embedding"),
        UpdateSpec(dim=32, samples_per_core=64, layout="ids", optimizer=Adam(0.1)),
    ],
)
def test_constants_are_at_the_top_each_once(spec: TileSpec) -> None:
    lines = [line.strip() for line in build_tile(spec).text.splitlines()]
    body = lines[next(k for k, line in enumerate(lines) if line.startswith("func.func")) + 1 :]
    count = next(k for k, line in enumerate(body) if " = arith.constant " not in line)
    assert count > 5
    assert not [line for line in body[count:] if "arith.constant" in line]
    values = Counter(line.partition(" = ")[2] for line in body[:count])
    assert set(values.values()) == {1}


def positions() -> str:
    """Return a function that computes with known positions, and with one that is not known."""
    with make_context() as context, ir.Location.unknown():
        module = ir.Module.parse("func.func @f(%x: index) { return }", context)
        block = module.body.operations[0].regions[0].blocks[0]
        with ir.InsertionPoint.at_block_begin(block):
            b, (x,) = Builder(context, block), block.arguments
            assert b.add(3, b.at(4)) == b.at(7)
            assert b.mul(b.mul(2, 3), -4) == b.at(-24)
            assert b.add(x, 0) == b.add(0, x) == b.mul(x, 1) == b.mul(b.at(1), x) == x
            assert b.constant("3", "i64") != b.at(3)
            b.add(x, 3)
            b.mul(x, 0)
        assert module.operation.verify()
        return str(module)


def test_arithmetic_of_known_positions_is_folded() -> None:
    text = positions()
    assert re.findall(r"arith\.\w+", text).count("arith.addi") == 1
    assert re.findall(r"arith\.\w+", text).count("arith.muli") == 1
