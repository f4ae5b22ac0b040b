"""From LLVM IR to object files: split into pieces that are compiled in parallel."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import llvmlite.binding as llvm

from sdykit.sparsecore.codegen.emission.emitter import ONCE
from sdykit.sparsecore.codegen.machine.target import FULL, emit, target_machine
from sdykit.sparsecore.threads import Job, Scratch, run_jobs, uninterrupted

_MAX_THREADS = 4
"""More would wait for the longest of the bodies."""
_FUNCTION = re.compile(r"^define .*?^}\n", re.DOTALL | re.MULTILINE)
_PRIVATE, _SHARED = "define internal ", "define hidden "
"""How bodies of phases are defined, and how they are so that other object files can call them."""
_VECTOR = re.compile(r"<\d+ x ")


def to_objects(ir: str) -> tuple[bytes, ...]:
    """Optimize LLVM IR and return the contents of object files for this computer."""
    return tuple(_all_emitted(ir, is_object=True))


def assembly(ir: str) -> str:
    """Optimize LLVM IR and return the machine code as assembly text."""
    return b"\n".join(_all_emitted(ir, is_object=False)).decode()


def _all_emitted(ir: str, *, is_object: bool) -> list[bytes]:
    threads = 1 if sys.is_finalizing() else min(_MAX_THREADS, os.cpu_count() or 1)
    pieces = split(ir, threads)
    found: dict[int, bytes] = {}

    def job(number: int) -> Job:
        def run(_: Scratch) -> None:
            found[number] = _emitted(pieces[number], is_object=is_object)

        return run

    jobs = [job(number) for number in range(len(pieces))]
    uninterrupted(lambda: run_jobs(jobs, threads))
    return [found[number] for number in range(len(pieces))]


@dataclass(frozen=True, slots=True)
class Piece:
    """A module of LLVM IR that becomes an object file.

    Attributes:
        text: the text of the module.
        is_scalar: whether it has no vectors.
        is_once: whether all its functions run once in a call.
    """

    text: str
    is_scalar: bool = False
    is_once: bool = False


def split(ir: str, count: int) -> list[Piece]:
    """Split the LLVM IR of a program; one without vectors stays whole.

    Args:
        ir: the LLVM IR of the program.
        count: the maximum number of pieces with bodies. One more is for the functions that call
            them.
    """
    if not _VECTOR.search(ir):
        return [Piece(ir, is_scalar=True)]
    functions, rest = _FUNCTION.findall(ir), _FUNCTION.sub("", ir)
    bodies = [each.replace(_PRIVATE, _SHARED, 1) for each in functions if ONCE not in each]
    around = [_declared(body) for body in bodies] + [each for each in functions if ONCE in each]
    shared = [Piece(rest + "".join(each)) for each in _balanced(bodies, count)]
    return [*shared, Piece(rest + "".join(around), is_once=True)]


def _declared(function: str) -> str:
    head = function.partition(" {\n")[0]
    return f"declare hidden {head[len(_SHARED) : head.rindex(')') + 1]}\n"


def _balanced(bodies: Sequence[str], count: int) -> list[list[str]]:
    """Distribute bodies by length, to which LLVM's time is about proportional."""
    shares: list[list[str]] = [[] for _ in range(min(count, len(bodies)))]
    for body in sorted(bodies, key=len, reverse=True):
        min(shares, key=lambda share: sum(map(len, share))).append(body)
    return shares


def _emitted(piece: Piece, *, is_object: bool) -> bytes:
    """Optimize a piece and generate code: an object file, or assembly."""
    with target_machine(0 if piece.is_once else FULL) as machine:
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
    """Optimize a module; lightly if the program has vectors.

    Such programs are vectorized and unrolled by their authors. With all optimizations they took 2
    to 5 times as long to compile, and ran no faster.
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
    options = llvm.create_pipeline_tuning_options(speed_level=FULL)
    options.loop_vectorization = True
    options.slp_vectorization = True
    return options
