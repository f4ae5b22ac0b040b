"""From the text of a tile program to the kernel that the FFI handler runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from sdykit.bridge import _native
from sdykit.bridge._kernel_notes import ArgumentNotes, Notes, read_notes
from sdykit.mlir import ir, make_context
from sdykit.sparsecore.codegen import Argument, ObjectCache, compile_module
from sdykit.sparsecore.codegen.errors import mlir_errors

ALIGNMENT = 64
"""Of the buffers that a program takes to be aligned, in bytes."""

_ELEMENT_BYTES = {
    "i1": 1,
    "i8": 1,
    "i16": 2,
    "bf16": 2,
    "i32": 4,
    "f32": 4,
    "i64": 8,
    "f64": 8,
    "index": 8,
}

_context = cache(make_context)


def build(text: str, aliases: Sequence[tuple[int, int]], directory: Path | None) -> _native.Kernel:
    """Compile a tile program.

    Args:
        text: the module.
        aliases: pairs of an operand and a result of the call that are one buffer.
        directory: where compiled objects are kept; None: nowhere.

    Raises:
        CodegenError: the program cannot be compiled; the text says where.
    """
    with mlir_errors(_context()):
        module = ir.Module.parse(text, _context())
    notes = read_notes(module)
    cache_ = None if directory is None else ObjectCache(directory)
    program = compile_module(module, cache=cache_)
    interface = program.interface
    return _native.Kernel(
        interface.entry,
        [(phase.address, phase.size_address) for phase in program.phases],
        _arguments(interface.arguments, notes),
        aliases=aliases,
        status=notes.status,
        messages=notes.messages,
        scratch_bytes=interface.scratch_bytes,
        serial_bytes=notes.serial_bytes,
    )


def _arguments(arguments: Sequence[Argument], notes: Notes) -> list[_native.Argument]:
    # A program that tells what its work depends on tells all of it.
    is_told = any(each.work is not None for each in notes.arguments)

    def argument(argument: Argument, said: ArgumentNotes) -> _native.Argument:
        own = 0 if is_told or said.is_status else _ELEMENT_BYTES[argument.dtype]
        return _native.Argument(
            said.name,
            argument.dtype,
            [-1 if size is None else size for size in argument.shape],
            alignment=ALIGNMENT if argument.aligned else 1,
            work=own if said.work is None else said.work,
        )

    return [argument(*pair) for pair in zip(arguments, notes.arguments, strict=True)]
