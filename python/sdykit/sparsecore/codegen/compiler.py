"""From a tile program to machine code, through the caches."""

from __future__ import annotations

import hashlib
import threading
from functools import cache as once
from pathlib import Path

from sdykit.mlir import ir, make_context
from sdykit.sparsecore.codegen import _machine
from sdykit.sparsecore.codegen._module import translate
from sdykit.sparsecore.codegen.cache import CachedObject, ObjectCache
from sdykit.sparsecore.codegen.errors import CodegenError, mlir_errors
from sdykit.sparsecore.codegen.program import Phase, Program

_lock = threading.Lock()
_programs: dict[str, Program] = {}
"""All that this process has compiled or loaded, by key."""


def compile_module(module: ir.Module | str, *, cache: ObjectCache | None) -> Program:
    """Compile a tile program, or find it compiled.

    Args:
        module: the program or its text. One function has the attribute `sparsecore.entry`.
        cache: where objects are kept for other processes; None: nowhere.

    Returns:
        The program; the same object for the same text within a process.

    Raises:
        CodegenError: the module is not valid, no tile program, or has an op without a
            translation; the text begins with file, line and column.
    """
    text = module if isinstance(module, str) else _text_of(module)
    key = _key(text)
    with _lock:
        found = _programs.get(key)
        if found is None:
            found = _programs[key] = _make(module, text, key, cache)
    return found


def _text_of(module: ir.Module) -> str:
    with mlir_errors(module.context):
        module.operation.verify()
    text = module.operation.get_asm(assume_verified=True)
    assert isinstance(text, str)
    return text


def _make(module: ir.Module | str, text: str, key: str, cache: ObjectCache | None) -> Program:
    entry = cache.load(key) if cache else None
    if entry is None:
        entry = _compile(_parsed(module) if isinstance(module, str) else module)
        if cache:
            cache.store(key, entry)
    return _program(entry, text)


def _parsed(text: str) -> ir.Module:
    with mlir_errors(_context()):
        return ir.Module.parse(text, _context())


@once
def _context() -> ir.Context:
    return make_context()


def _compile(module: ir.Module) -> CachedObject:
    try:
        translation = translate(module.operation)
    except RecursionError:
        raise CodegenError(None, "the program is nested too deeply") from None
    data = _machine.to_object(translation.llvm)
    return CachedObject(translation.interface, translation.llvm, data)


def _program(entry: CachedObject, text: str) -> Program:
    names = [f"phase_{number}" for number in range(entry.interface.phase_count)]
    symbols = [symbol for name in names for symbol in (name, f"{name}_size")]
    addresses = iter(_machine.link(entry.object, symbols) if symbols else [])
    phases = tuple(Phase(name, next(addresses), next(addresses)) for name in names)
    return Program(entry.interface, phases, text, entry.llvm, entry.object)


def _key(text: str) -> str:
    """Name what the object depends on: program, code generator and machine."""
    parts = (text, _generator(), repr(_machine.host()), str(_machine.OPTIMIZATION))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@once
def _generator() -> str:
    """Name this version of the code generator, by its sources."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
