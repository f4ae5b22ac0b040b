"""Steps of a tile program, and the buffers in SPMEM that they hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from sdykit.core.sparsecore.names import GATHER_OPERAND, NAME, READS, SIZE, STEP, TILES, WRITES
from sdykit.core.sparsecore.sizes import evaluate
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.spec import Staging


def add_step(
    b: Builder,
    name: str,
    tiles: int,
    body: Callable[[ir.Value], None],
    *,
    reads: Sequence[str],
    writes: Sequence[str],
) -> None:
    """Add a step that the tiles of a SparseCore share: an `scf.parallel` over them.

    Args:
        b: the builder that ops are added with.
        name: the name of the step, one of `sdykit.core.sparsecore.steps`.
        tiles: the number of tiles.
        body: adds the ops of a tile; called with its number.
        reads: the names of the buffers that the step reads.
        writes: the names of the buffers that the step writes.
    """
    b.phase({"tile": tiles}, body, **step_attributes(name, reads, writes))


def step_attributes(name: str, reads: Sequence[str], writes: Sequence[str]) -> dict[str, str]:
    """Return the attributes of a loop that is a step.

    Args:
        name: the name of the step, one of `sdykit.core.sparsecore.steps`.
        reads: the names of the buffers that the step reads.
        writes: the names of the buffers that the step writes.
    """
    return {STEP: json.dumps(name), READS: _array(reads), WRITES: _array(writes)}


def hold(
    b: Builder,
    name: str,
    element: str,
    size: Sequence[str],
    sizes: Mapping[str, int],
    *,
    tiles: int | None = None,
    staging: Staging | None = None,
) -> ir.Value:
    """Allocate a buffer in SPMEM.

    Args:
        b: the builder that ops are added with.
        name: the name of the buffer.
        element: the element type, as MLIR text.
        size: the size of each dimension; see `sdykit.core.sparsecore.sizes`.
        sizes: the value of each name in sizes, the same as on the entry function.
        tiles: the number of tiles that hold the buffer together, each an even share; None: each
            tile has one of its own.
        staging: where the buffer is to be, if it may be in HBM; None: in SPMEM.
    """
    attributes = {NAME: json.dumps(name), SIZE: _array(size)}
    if tiles is not None:
        attributes[TILES] = f"{tiles} : i64"
    if staging is not None:
        attributes[GATHER_OPERAND] = json.dumps(staging)
    buffer = b.spmem([evaluate(each, sizes) for each in size], element, **attributes)
    return b.named(buffer, name)


def _array(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(json.dumps, texts))}]"
