"""Code generation for this computer."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

import llvmlite.binding as llvm
from llvmlite.binding import ffi

from sdykit.sparsecore.codegen.machine.host import host

FULL = 3
"""LLVM's highest level of optimization."""


def new_target_machine(level: int) -> llvm.TargetMachine:
    """Return a new target machine for a level of optimization from 0 to 3."""
    machine = host()
    return llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu,
        features=machine.features,
        opt=level,
        reloc="pic",
        codemodel="small",
    )


_free: dict[int, list[llvm.TargetMachine]] = {}
"""Target machines that are not in use, by level: it takes a millisecond to make one."""


@contextmanager
def target_machine(level: int) -> Iterator[llvm.TargetMachine]:
    """Lend a target machine to one user."""
    machines = _free.setdefault(level, [])
    try:
        machine = machines.pop()
    except IndexError:
        machine = new_target_machine(level)
    yield machine
    machines.append(machine)


_library = ctypes.CDLL(ffi.lib._name, handle=ffi.lib._handle)
_emit = _library.LLVMPY_TargetMachineEmitToMemory
_emit.argtypes = ffi.lib.LLVMPY_TargetMachineEmitToMemory.argtypes
_emit.restype = ffi.lib.LLVMPY_TargetMachineEmitToMemory.restype
"""LLVM's code generation without llvmlite's lock, which lets one thread at a time into LLVM.

Threads that share neither a context nor a target machine do not need it, and most of the time is
spent here.
"""


def emit(machine: llvm.TargetMachine, module: llvm.ModuleRef, *, is_object: bool) -> bytes:
    """Generate code: return the contents of an object file, or assembly text.

    Args:
        machine: the target machine; no other thread may use it.
        module: the optimized module; no other thread may use its context.
        is_object: True for an object file, False for assembly.

    Raises:
        RuntimeError: LLVM cannot generate code; the text is LLVM's.
    """
    with ffi.OutputString() as message:
        buffer = _emit(machine, module, int(is_object), message)
        if not buffer:
            raise RuntimeError(str(message))
    try:
        start = ffi.lib.LLVMPY_GetBufferStart(buffer)
        return ctypes.string_at(start, ffi.lib.LLVMPY_GetBufferSize(buffer))
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)
