"""Compiling a tile program to machine code, or finding it in the caches."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from sdykit.sparsecore.codegen.cache import CachedObject, ObjectCache
from sdykit.sparsecore.codegen.cache.keys import have_sources_changed, object_key
from sdykit.sparsecore.codegen.compiled import Phase, Program
from sdykit.sparsecore.codegen.errors import CodegenError

if TYPE_CHECKING:
    from sdykit.mlir import ir

_lock = threading.Lock()
_programs: dict[str, Program] = {}
"""The programs that this process has compiled or loaded, by key."""

Origin = Literal["compiled", "memory", "disk"]
"""Where a program came from: it was compiled, or was in the process or in a cache already."""


class _OfThread(threading.local):
    origin: Origin = "compiled"


_last = _OfThread()


def last_origin() -> Origin:
    """Return where the last program came from that this thread asked for."""
    return _last.origin


def compile_module(module: ir.Module | str, *, cache: ObjectCache | None) -> Program:
    """Compile a tile program, or find it compiled.

    Args:
        module: the tile program or its text. One function has the attribute `sparsecore.entry`.
        cache: the cache that keeps objects for other processes; None for none.

    Returns:
        The compiled program; within a process, equal texts return the same object.

    Raises:
        CodegenError: the module is invalid, is not a tile program, or has an op without a
            translation; the text begins with file, line and column.
        MissingExtra: the extra `sdykit[sparsecore]` is not installed.
    """
    return compile_source(_text_of(module), lambda: module, cache=cache)


def compile_source(
    source: str, module: Callable[[], ir.Module | str], *, cache: ObjectCache | None
) -> Program:
    """Compile the tile program that a text stands for, or find it compiled.

    Args:
        source: a text that determines the program: equal texts stand for the same program as
            long as the sources of sdykit are the same.
        module: a function that makes the tile program; it is called only if the program has to be
            compiled, and must not compile others.
        cache: the cache that keeps objects for other processes; None for none.

    Returns:
        The compiled program; within a process, equal texts return the same object.

    Raises:
        CodegenError: as `compile_module`.
    """
    key = object_key(source)
    with _lock:
        found = _programs.get(key)
        _last.origin = "memory"
        if found is None:
            found = _programs[key] = _program(_find_or_compile(key, module, cache))
    return found


def _text_of(module: ir.Module | str) -> str:
    if isinstance(module, str):
        return module
    from sdykit.sparsecore.codegen.entry.module import text_of

    return text_of(module)


def _find_or_compile(
    key: str, module: Callable[[], ir.Module | str], cache: ObjectCache | None
) -> CachedObject:
    entry = cache.load(key) if cache else None
    _last.origin = "disk"
    if entry is None:
        _last.origin = "compiled"
        entry = _compile(module())
        if cache and not have_sources_changed():
            cache.store(key, entry)
    return entry


def _compile(module: ir.Module | str) -> CachedObject:
    # Imported here: a program that is found in the cache needs no MLIR.
    from sdykit.sparsecore.codegen.entry.module import parse, translate
    from sdykit.sparsecore.codegen.machine.objects import to_objects

    text = _text_of(module)
    try:
        translation = translate(parse(text) if isinstance(module, str) else module)
    except RecursionError:
        raise CodegenError(
            None,
            "the program is nested too deeply; divide its loops and conditions among functions",
        ) from None
    objects = to_objects(translation.llvm)
    return CachedObject(translation.interface, text, translation.llvm, objects)


def _program(entry: CachedObject) -> Program:
    from sdykit.sparsecore.codegen.machine.linking import link

    names = [f"phase_{number}" for number in range(entry.interface.phase_count)]
    symbols = [symbol for name in names for symbol in (name, f"{name}_size")]
    runtime: dict[str, int] = {}
    if entry.interface.calls_runtime:
        # Imported here: few programs call it.
        from sdykit.sparsecore.codegen.machine.runtime import runtime_addresses

        runtime = runtime_addresses()
    addresses = iter(link(entry.objects, symbols, runtime) if symbols else [])
    phases = tuple(Phase(name, next(addresses), next(addresses)) for name in names)
    return Program(entry.interface, phases, entry.module, entry.llvm, entry.objects)
