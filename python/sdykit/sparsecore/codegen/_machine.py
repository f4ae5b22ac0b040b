"""LLVM: from IR to an object file, and from an object file to addresses."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm

_FULL = 3
"""LLVM's level of optimization."""
_LIBM = "libm.so.6"
_VECTOR = re.compile(r"<\d+ x ")
_numbers = itertools.count()


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


def _new_target_machine() -> llvm.TargetMachine:
    machine = host()
    return llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu,
        features=machine.features,
        opt=_FULL,
        reloc="pic",
        codemodel="small",
    )


@cache
def _target_machine() -> llvm.TargetMachine:
    return _new_target_machine()


@cache
def _jit() -> llvm.LLJIT:
    if llvm.address_of_symbol("expf") is None:  # A Python that is not linked to libm.
        llvm.load_library_permanently(_LIBM)
    return llvm.create_lljit_compiler(_new_target_machine(), use_jit_link=True)


def _optimized(ir: str) -> llvm.ModuleRef:
    """Optimize; more lightly if the program has vectors of its own.

    Such programs ran as fast as with all optimizations, and took 2 to 5 times as long to compile
    with all: they are vectorized and unrolled by those who wrote them.
    """
    machine = _target_machine()
    head = f'target datalayout = "{machine.target_data}"\ntarget triple = "{machine.triple}"\n'
    module = llvm.parse_assembly(head + ir)
    module.verify()
    if _VECTOR.search(ir):
        _optimize_lightly(module, machine)
        return module
    builder = llvm.create_pass_builder(machine, _tuning())
    builder.getModulePassManager().run(module, builder)
    return module


def _optimize_lightly(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Tidy the bodies of phases up; what is around them runs once in a call."""
    builder = llvm.create_pass_builder(machine, _tuning())
    few = llvm.create_new_function_pass_manager()
    few.add_simplify_cfg_pass()
    few.add_instruction_combine_pass()
    for function in module.functions:
        if function.linkage == llvm.Linkage.internal:
            few.run(function, builder)


def _tuning() -> llvm.PipelineTuningOptions:
    options = llvm.create_pipeline_tuning_options(speed_level=_FULL)
    options.loop_vectorization = True
    options.slp_vectorization = True
    return options


def to_object(ir: str) -> bytes:
    """Optimize LLVM IR and make an object file for this host."""
    return _target_machine().emit_object(_optimized(ir))


def assembly(ir: str) -> str:
    """Optimize LLVM IR and print the machine code."""
    return _target_machine().emit_assembly(_optimized(ir))


_linked: list[llvm.ResourceTracker] = []
"""Machine code that has been linked: it stays, since native code may hold its addresses."""


def link(data: bytes, symbols: Sequence[str]) -> list[int]:
    """Load an object file; gives the addresses of symbols.

    Functions of libm are found in this process.
    """
    library = llvm.JITLibraryBuilder().add_object_img(data).add_current_process()
    for symbol in symbols:
        library.export_symbol(symbol)
    tracker = library.link(_jit(), f"sdykit{next(_numbers)}")
    _linked.append(tracker)
    return [tracker[symbol] for symbol in symbols]
