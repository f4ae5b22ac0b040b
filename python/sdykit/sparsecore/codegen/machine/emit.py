"""Code generation by LLVM on several threads at a time."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
from llvmlite.binding import ffi

_library = ctypes.CDLL(ffi.lib._name, handle=ffi.lib._handle)
_emit = _library.LLVMPY_TargetMachineEmitToMemory
_emit.argtypes = ffi.lib.LLVMPY_TargetMachineEmitToMemory.argtypes
_emit.restype = ffi.lib.LLVMPY_TargetMachineEmitToMemory.restype
"""llvmlite lets one thread at a time into LLVM. LLVM needs that of no two threads that share
neither context nor target machine, and this is where most of the time goes."""


def emit(machine: llvm.TargetMachine, module: llvm.ModuleRef, *, is_object: bool) -> bytes:
    """Generate code: an object file, or assembly.

    Args:
        machine: what for; no other thread uses it.
        module: as machine; the same holds for its context.
        is_object: what is wanted.

    Raises:
        RuntimeError: LLVM cannot.
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
