"""What a kernel is, in words: who runs it, what it takes, and whether it is compiled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.kernel import Function, Kernel, read_kernel
from sdykit.sparsecore.mosaic.layout import SPACES, Layout, Place, lay_out
from sdykit.sparsecore.mosaic.lowering import NotLowered, lower
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.mosaic.types import MemRef, is_memref, memref_of

_ONE_FOR = {"vmem_shared": "of each SparseCore", "hbm": "of the device"}


def summary(spec: MosaicSpec) -> str:
    """Return the text: chip, subcores, arrays, the places of memory, and how it runs."""
    kernel = read_kernel(spec.module, spec.name)
    chip = spec.chip
    lines = [
        f"kernel '{spec.name}' on {chip.name}: {chip.cores} SparseCores of {chip.subcores} vector "
        f"subcores, vectors of {chip.lanes} lanes"
    ]
    layouts = lay_out(kernel)
    for function in kernel.functions:
        lines += _of_function(function, layouts[function.name], spec)
    return "\n".join([*lines, f"  machine code: {_is_compiled(kernel, spec)}"])


def _of_function(function: Function, layout: Layout, spec: MosaicSpec) -> Iterator[str]:
    count = len(function.agents)
    yield f"  {function.name}: {count} {function.core} subcore{'s' * (count > 1)}"
    for number, value in enumerate(function.arrays):
        if is_memref(value.type):
            kind = "operand" if number < spec.operands else "result"
            yield f"    {kind:8} {_typed(memref_of(value.type))}"
    own = [place for value, place in layout.places.items() if _is_own(value, function)]
    for space in SPACES:
        yield from _of_space(space, [each for each in own if each.space == space], layout, spec)


def _is_own(value: ir.Value, function: Function) -> bool:
    """Return whether memory is that of the function's own subcores, and not of the other kind's."""
    return memref_of(value.type).core in (None, function.core)


def _of_space(
    space: str, unsorted: Sequence[Place], layout: Layout, spec: MosaicSpec
) -> Iterator[str]:
    places = sorted(unsorted, key=lambda place: (place.offset, place.bytes))
    if not places:
        return
    owner = _ONE_FOR.get(space, "of each subcore")
    limit = f" of {spec.chip.vmem_bytes}" if space == "vmem" else ""
    yield f"    {space}, {owner}: {layout.sizes[space]}{limit} bytes"
    for place in places:
        yield f"      {_range(place):>17}  {place.what}"


def _range(place: Place) -> str:
    return f"{place.offset}..{place.offset + place.bytes}"


def _typed(memref: MemRef) -> str:
    sizes = "".join(f"{'?' if size is None else size}x" for size in memref.shape)
    return f"{sizes}{memref.element} in {memref.space}"


def _is_compiled(kernel: Kernel, spec: MosaicSpec) -> str:
    try:
        lower(kernel, spec)
    except NotLowered as error:
        where = f", at {error.place}" if error.place else ""
        return f"no: {error.reason}{where}; it runs op by op"
    return "yes"
