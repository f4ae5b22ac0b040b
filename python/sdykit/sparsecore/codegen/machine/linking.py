"""From object files to addresses of functions in this process."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cache

import llvmlite.binding as llvm

from sdykit.sparsecore.codegen.machine.target import FULL, new_target_machine
from sdykit.sparsecore.threads import uninterrupted

_LIBM = "libm.so.6"
_numbers = itertools.count()


@cache
def _jit() -> llvm.LLJIT:
    if llvm.address_of_symbol("expf") is None:  # A Python that is not linked to libm.
        llvm.load_library_permanently(_LIBM)
    return llvm.create_lljit_compiler(new_target_machine(FULL), use_jit_link=True)


_linked: list[llvm.ResourceTracker] = []
"""What has been linked: machine code stays loaded, since native code may hold its addresses."""


def link(
    objects: Sequence[bytes], symbols: Sequence[str], known: Mapping[str, int] | None = None
) -> list[int]:
    """Load the object files of a program and return the addresses of symbols, in order.

    Args:
        objects: the contents of the object files.
        symbols: the names of functions in them.
        known: addresses of other functions that they call, by name. Functions of libm are those of
            this process.
    """
    return uninterrupted(lambda: _linked_addresses(objects, symbols, known or {}))


def _linked_addresses(
    objects: Sequence[bytes], symbols: Sequence[str], known: Mapping[str, int]
) -> list[int]:
    library = llvm.JITLibraryBuilder().add_current_process()
    for data in objects:
        library.add_object_img(data)
    for name, address in known.items():
        library.import_symbol(name, address)
    for symbol in symbols:
        library.export_symbol(symbol)
    tracker = library.link(_jit(), f"sdykit{next(_numbers)}")
    _linked.append(tracker)
    return [tracker[symbol] for symbol in symbols]
