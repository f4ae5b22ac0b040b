"""This computer as LLVM sees it, and code generation for it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm
from llvmlite.binding import ffi

FULL = 3
"""LLVM's level of optimization."""


@dataclass(frozen=True, slots=True)
class Host:
    """What machine code is made for; objects of another host are of no use.

    Attributes:
        triple: architecture and system.
        cpu: LLVM's name of the model.
        features: extensions, with + or -.
        llvm_version: of the code generator.
    """

    triple: str
    cpu: str
    features: str
    llvm_version: tuple[int, ...]


@cache
def host() -> Host:
    """Find out what the machine is."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    triple = llvm.get_process_triple()
    return Host(triple, llvm.get_host_cpu_name(), features, tuple(llvm.llvm_version_info))


def new_target_machine(level: int) -> llvm.TargetMachine:
    """Make a target machine for a level of optimization."""
    machine = host()
    return llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu,
        features=machine.features,
        opt=level,
        reloc="pic",
        codemodel="small",
    )


_free: dict[int, list[llvm.TargetMachine]] = {}
"""Machines that have been used, by level: what they know of the CPU takes a millisecond to make."""


@contextmanager
def target_machine(level: int) -> Iterator[llvm.TargetMachine]:
    """Lend a machine to one user."""
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
