"""Sorting in vectors, compared with numpy."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest

from sdykit.mlir import ir, make_context
from sdykit.sparsecore.codegen import Program, compile_module, run
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.vector_sort import VectorSort

_FIRST, _ROOM = 3, 300


def sorting(lanes: int) -> Program:
    """Return a program that sorts `counts[0]` elements of a buffer, from the third on."""
    with make_context() as context, ir.Location.unknown():
        module = ir.Module.parse(
            f"""func.func @sort(%counts: memref<1xindex>, %x: memref<{_ROOM}xi64>)
              attributes {{sparsecore.entry}} {{ return }}""",
            context,
        )
        block = module.body.operations[0].regions[0].blocks[0]
        counts, x = block.arguments
        with ir.InsertionPoint.at_block_begin(block):
            b = Builder(context, block)

            def phase(_: ir.Value) -> None:
                count = b.load(counts, 0)
                VectorSort(b, x, b.at(_FIRST), count, lanes, functools.partial(backwards, b)).sort()

            b.phase({"core": 1}, phase)
        return compile_module(str(module), cache=None)


def backwards(b: Builder, count: ir.Value, body: Callable[[ir.Value], None]) -> None:
    """Run a body for each number from the last to the first: their order must not matter."""

    def each(number: ir.Value) -> tuple[()]:
        body(b.sub(b.sub(count, number), 1))
        return ()

    b.loop(0, count, each)


@pytest.mark.parametrize("lanes", [1, 2, 8, 16])
def test_elements_are_sorted_and_others_are_not_touched(lanes: int) -> None:
    rng, program = np.random.default_rng(lanes), sorting(lanes)
    for count in (*range(40), 63, 64, 65, 100, 127, 129, 255, 256, 257, 290):
        x = rng.integers(-(2**63), 2**63 - 1, _ROOM, endpoint=True)
        x[rng.random(_ROOM) < 0.3] = rng.choice([7, 2**63 - 1])
        found = x.copy()
        run(program, [np.array([count]), found])
        x[_FIRST : _FIRST + count].sort()
        assert (found == x).all()
