"""From object files to addresses of functions in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdykit.native_modules import check_interface


def link(
    objects: Sequence[bytes], symbols: Sequence[str], known: Mapping[str, int] | None = None
) -> list[int]:
    """Load the object files of a program and return the addresses of symbols, in order.

    LLVM's linker does so where the native module cannot: on other processors than x86-64. To load LLVM
    takes 20 ms.

    Args:
        objects: the contents of the object files.
        symbols: the names of functions in them, at least one.
        known: addresses of other functions that they call, by name. Functions of libm are those of
            this process.

    Raises:
        RuntimeError: a file is no object file, or a symbol is missing; the text is LLVM's.
    """
    from sdykit.sparsecore import _machine

    check_interface(_machine)
    found = _machine.load(objects, symbols, known or {})
    if found:
        return found
    from sdykit.sparsecore.codegen.machine.llvm_linker import link_with_llvm

    return link_with_llvm(objects, symbols, known or {})
