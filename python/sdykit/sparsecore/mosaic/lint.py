"""What runs on the simulated chip, and what a chip's compiler may refuse or make slow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.kernel import Function, Kernel, walk
from sdykit.sparsecore.mosaic.multiples import Multiple, Multiples
from sdykit.sparsecore.mosaic.spec import MosaicChip
from sdykit.sparsecore.mosaic.types import memref_of

ALIGNMENT = 8
"""What offsets and sizes of slices of a 1-D array in HBM have to be multiples of, in elements."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing in a kernel that a chip's compiler may not take.

    Attributes:
        place: the user's line, "kernel.py:12".
        text: what is there, what a chip expects, and what to do.
    """

    place: str
    text: str


def lint(kernel: Kernel, chip: MosaicChip, *, needs_layout_passes: bool) -> tuple[Finding, ...]:
    """Return the findings of a kernel in the order of its lines in the module, each once.

    Only what is certain is reported: an offset that depends on what the kernel reads may be aligned.

    Args:
        kernel: the kernel.
        chip: the chip whose granule counts.
        needs_layout_passes: the value of `pltpu.CompilerParams` that it is compiled with.
    """
    found: dict[Finding, None] = {}
    for function in kernel.functions:
        for op, text in _of_function(function, chip, needs_layout_passes):
            found[Finding(kernel.places.text(op), text)] = None
    return tuple(found)


def _of_function(
    function: Function, chip: MosaicChip, needs_layout_passes: bool
) -> Iterator[tuple[ir.OpView, str]]:
    multiples = Multiples(function)
    for op in walk(function.op):
        view: Any = op.operation.opview
        match op.operation.name:
            case "tpu.memref_slice":
                texts = _of_slice(view, multiples)
            case "tpu.enqueue_dma":
                texts = _of_transfer(view, chip)
            case "tpu.vector_store_idx" if needs_layout_passes:
                texts = iter([_SCATTER])
            case _:
                continue
        for text in texts:
            yield op, text


_SCATTER = (
    "a scatter into VMEM in a kernel with layout passes, which a chip's compiler may refuse; expected "
    "compiler_params=pltpu.CompilerParams(needs_layout_passes=False)"
)


def _of_slice(op: Any, multiples: Multiples) -> Iterator[str]:
    source, result = memref_of(op.mem_ref.type), memref_of(op.result.type)
    if source.space != "hbm" or len(source.shape) != 1 or source.shape == result.shape:
        return
    offset = multiples.of(op.base_idx[0])
    if _is_unaligned(offset):
        yield (
            f"a slice of a 1-D array in HBM {_begins(offset)}; a chip's compiler expects a multiple of "
            f"{ALIGNMENT} elements: pad the parts of the array"
        )
    size = result.shape[0]
    sizes = Multiple(size, is_exact=True) if size is not None else _dynamic_size(op, multiples)
    if _is_unaligned(sizes):
        what = f"{size}" if size is not None else f"a multiple of {sizes.of}"
        yield (
            f"a slice of a 1-D array in HBM has {what} elements; a chip's compiler expects a multiple of "
            f"{ALIGNMENT}: copy more, and use a part of it"
        )


def _dynamic_size(op: Any, multiples: Multiples) -> Multiple:
    return multiples.of(op.dynamic_sizes[0])


def _is_unaligned(found: Multiple) -> bool:
    return found.is_exact and found.of % ALIGNMENT != 0


def _begins(offset: Multiple) -> str:
    if offset.of == 1:
        return "may begin at any element"
    return f"begins at a multiple of {offset.of}"


def _of_transfer(op: Any, chip: MosaicChip) -> Iterator[str]:
    for value in (op.source, op.target):
        memref = memref_of(value.type)
        # An array that is smaller as a whole can be had in no other way.
        sizes = [size for size in memref.shape if size is not None]
        is_known = len(sizes) == len(memref.shape)
        if memref.space != "hbm" or isinstance(value, ir.BlockArgument) or not is_known:
            continue
        moved = math.prod(sizes) * memref.bits // 8
        if moved < chip.granule:
            yield (
                f"a transfer of {moved} bytes; {chip.name} moves at least {chip.granule} of HBM at once: "
                "copy more, and use a part of it"
            )
