"""Sorting in vectors, compared with numpy."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit.mlir import ir, make_context
from sdykit.sparsecore.codegen import Program, compile_module, run
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.vector_sort import VectorSort

_FIRST, _ROOM = 3, 300


def sorting(lanes: int) -> Program:
    """Return a program that sorts `counts[0]` elements of each row of a buffer, from the third on."""
    with make_context() as context, ir.Location.unknown():
        module = ir.Module.parse(
            f"""func.func @sort(%counts: memref<2xindex>, %x: memref<{_ROOM}xi64>)
              attributes {{sparsecore.entry}} {{ return }}""",
            context,
        )
        block = module.body.operations[0].regions[0].blocks[0]
        counts, x = block.arguments
        with ir.InsertionPoint.at_block_begin(block):
            b = Builder(context, block)

            def phase(_: ir.Value) -> None:
                sort = VectorSort(b, x, b.at(_FIRST), lanes)
                size = sort.size(b.load(counts, 0))
                b.store(size, counts, 1)
                sort.sort(size)

            b.phase({"core": 1}, phase)
        return compile_module(str(module), cache=None)


@pytest.mark.parametrize("lanes", [1, 2, 8, 16])
def test_elements_are_sorted_and_others_are_not_touched(lanes: int) -> None:
    rng, program = np.random.default_rng(lanes), sorting(lanes)
    for count in (1, 2, 3, 8, 9, 16, 31, 64, 100, 129, 256):
        x = rng.integers(-(2**63), 2**63 - 1, _ROOM)
        x[rng.random(_ROOM) < 0.3] = 7
        counts, found = np.array([count, -1]), x.copy()
        run(program, [counts, found])
        size = int(counts[1])
        assert size >= max(count, lanes)
        assert size.bit_count() == 1
        assert size < 2 * max(count, lanes)
        x[_FIRST : _FIRST + size].sort()
        assert (found == x).all()
