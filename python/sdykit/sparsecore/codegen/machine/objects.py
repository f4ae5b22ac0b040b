"""LLVM: from IR to object files, and from object files to addresses."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm

from sdykit.sparsecore.codegen._emission import emit
from sdykit.sparsecore.codegen._pieces import Piece, split
from sdykit.sparsecore.threads import Job, Scratch, run_jobs, uninterrupted

_FULL = 3
"""LLVM's level of optimization."""
_LIBM = "libm.so.6"
_MOST_THREADS = 4
"""More would wait for the longest of the bodies."""
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


def _new_target_machine(level: int) -> llvm.TargetMachine:
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
def _target_machine(level: int) -> Iterator[llvm.TargetMachine]:
    """Lend a machine to one user."""
    machines = _free.setdefault(level, [])
    try:
        machine = machines.pop()
    except IndexError:
        machine = _new_target_machine(level)
    yield machine
    machines.append(machine)


@cache
def _jit() -> llvm.LLJIT:
    if llvm.address_of_symbol("expf") is None:  # A Python that is not linked to libm.
        llvm.load_library_permanently(_LIBM)
    return llvm.create_lljit_compiler(_new_target_machine(_FULL), use_jit_link=True)


def _emitted(piece: Piece, *, is_object: bool) -> bytes:
    """Optimize and generate code: an object file, or assembly."""
    with _target_machine(0 if piece.is_once else _FULL) as machine:
        layout, triple = machine.target_data, machine.triple
        head = f'target datalayout = "{layout}"\ntarget triple = "{triple}"\n'
        # The context is this thread's own, as the machine is. Both are closed in order, also on
        # errors: with their frames in a cycle, the garbage collector might free the context first.
        with (
            llvm.create_context() as context,
            llvm.parse_assembly(head + piece.text, context) as module,
        ):
            module.verify()
            if not piece.is_once:
                _optimize(module, machine, lightly=not piece.is_scalar)
            return emit(machine, module, is_object=is_object)


def _optimize(module: llvm.ModuleRef, machine: llvm.TargetMachine, *, lightly: bool) -> None:
    """Optimize; lightly if the program has vectors of its own.

    Such programs ran as fast as with all optimizations, and took 2 to 5 times as long to compile
    with all: they are vectorized and unrolled by those who wrote them.
    """
    with llvm.create_pass_builder(machine, _tuning()) as builder:
        if not lightly:
            builder.getModulePassManager().run(module, builder)
            return
        few = llvm.create_new_function_pass_manager()
        few.add_simplify_cfg_pass()
        few.add_instruction_combine_pass()
        for function in module.functions:
            if not function.is_declaration:
                few.run(function, builder)


def _tuning() -> llvm.PipelineTuningOptions:
    options = llvm.create_pipeline_tuning_options(speed_level=_FULL)
    options.loop_vectorization = True
    options.slp_vectorization = True
    return options


def to_objects(ir: str) -> tuple[bytes, ...]:
    """Optimize LLVM IR and make object files for this host, on all cores."""
    return tuple(_all_emitted(ir, is_object=True))


def assembly(ir: str) -> str:
    """Optimize LLVM IR and print the machine code."""
    return b"\n".join(_all_emitted(ir, is_object=False)).decode()


def _all_emitted(ir: str, *, is_object: bool) -> list[bytes]:
    threads = 1 if sys.is_finalizing() else min(_MOST_THREADS, os.cpu_count() or 1)
    pieces = split(ir, threads)
    found: dict[int, bytes] = {}

    def job(number: int) -> Job:
        def run(_: Scratch) -> None:
            found[number] = _emitted(pieces[number], is_object=is_object)

        return run

    jobs = [job(number) for number in range(len(pieces))]
    uninterrupted(lambda: run_jobs(jobs, threads))
    return [found[number] for number in range(len(pieces))]


_linked: list[llvm.ResourceTracker] = []
"""Machine code that has been linked: it stays, since native code may hold its addresses."""


def link(objects: Sequence[bytes], symbols: Sequence[str]) -> list[int]:
    """Load the object files of a program; gives the addresses of symbols.

    Functions of libm are found in this process.
    """
    return uninterrupted(lambda: _linked_addresses(objects, symbols))


def _linked_addresses(objects: Sequence[bytes], symbols: Sequence[str]) -> list[int]:
    library = llvm.JITLibraryBuilder().add_current_process()
    for data in objects:
        library.add_object_img(data)
    for symbol in symbols:
        library.export_symbol(symbol)
    tracker = library.link(_jit(), f"sdykit{next(_numbers)}")
    _linked.append(tracker)
    return [tracker[symbol] for symbol in symbols]
