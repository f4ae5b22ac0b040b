"""Which buffer of a kernel the memory is that reports of compiled programs name."""

from __future__ import annotations

from sdykit.sparsecore.mosaic.buffers import Buffers
from sdykit.sparsecore.mosaic.kernel import Kernel
from sdykit.sparsecore.mosaic.layout import lay_out
from sdykit.sparsecore.mosaic.lowering.arguments import Arguments
from sdykit.sparsecore.mosaic.spec import MosaicSpec

_ARGUMENT, _ARENA, _CORE = 1 << 48, 2 << 48, 3 << 48
"""The first numbers of arguments, of bytes of an arena, and of a core's memory: native/machine/memory.cc."""


def memory_of(
    kernel: Kernel, spec: MosaicSpec, buffers: Buffers
) -> tuple[tuple[int, int, int], ...]:
    """Return numbers of memory, [first, end), and the number of the buffer that is there.

    Of buffers that share bytes the first is named.
    """
    layouts = lay_out(kernel)
    vmem = max(layout.sizes.get("vmem", 0) for layout in layouts.values())
    first_of = {"vmem": _ARENA, "smem": _ARENA + vmem, "vmem_shared": _CORE}
    arguments = Arguments(kernel.functions[0], spec, is_together=True)
    found = [
        (_ARGUMENT + number, _ARGUMENT + number + 1, buffer)
        for buffer, number in enumerate(arguments.numbers)
    ]
    for layout in layouts.values():
        for value, place in layout.places.items():
            if place.space in first_of:
                first = first_of[place.space] + place.offset
                found.append((first, first + place.bytes, buffers.of(value)))
    return tuple(found)
