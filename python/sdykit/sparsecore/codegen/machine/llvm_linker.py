"""LLVM's linker, for what `linking` does not load itself."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cache

from sdykit.sparsecore.codegen.machine.host import host
from sdykit.sparsecore.codegen.machine.library import (
    LIBRARY,
    OBJECT,
    Element,
    Symbol,
    call,
    function,
)
from sdykit.sparsecore.threads import uninterrupted

_LIBM = b"libm.so.6"
_numbers = itertools.count()


@cache
def _jit() -> int:
    """Return LLVM's linker for this process."""
    host()  # LLVM knows no target before.
    if function("SearchAddressOfSymbol")(b"expf") is None:  # A Python that is not linked to libm.
        failed, message = call("LoadLibraryPermanently", _LIBM)
        if failed:
            raise RuntimeError(message)
    return _made(*call("CreateLLJITCompiler", None, False, True))


def _made(pointer: int | None, message: str) -> int:
    if not pointer:
        raise RuntimeError(message)
    return pointer


def link_with_llvm(
    objects: Sequence[bytes], symbols: Sequence[str], known: Mapping[str, int]
) -> list[int]:
    """Return the addresses of symbols of object files; see `linking.link`."""
    return uninterrupted(lambda: _linked_addresses(objects, symbols, known))


def _linked_addresses(
    objects: Sequence[bytes], symbols: Sequence[str], known: Mapping[str, int]
) -> list[int]:
    parts = [(LIBRARY, b""), *((OBJECT, data) for data in objects)]
    elements = (Element * len(parts))(*((kind, data, len(data)) for kind, data in parts))
    imports = (Symbol * len(known))(*((name.encode(), address) for name, address in known.items()))
    exports = (Symbol * len(symbols))(*((name.encode(), 0) for name in symbols))
    name = f"sdykit{next(_numbers)}".encode()
    # What LLVM returns keeps the code in memory. It is never freed, since native code may hold addresses.
    _made(
        *call(
            "LLJIT_Link",
            *(_jit(), name, elements, len(elements)),
            *(imports, len(imports), exports, len(exports)),
        )
    )
    return [each.address for each in exports]
