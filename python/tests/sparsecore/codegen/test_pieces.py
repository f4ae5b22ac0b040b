"""Splitting programs into object files: nothing but the time that it takes depends on it."""

from __future__ import annotations

import os
import re
import threading
from typing import Any, NoReturn

import numpy as np
import pytest

from sdykit.sparsecore.codegen import Program, compile_module, run
from sdykit.sparsecore.codegen import compiler as compiler_module
from sdykit.sparsecore.codegen.machine import objects as objects_module
from sdykit.sparsecore.codegen.machine.objects import split

PHASES = 3


def phases() -> str:
    """Write a program: each phase doubles the rows; no two phases are the same."""
    loops = "\n".join(
        f"""scf.parallel (%i) = (%c0) to (%n) step (%c1) {{
            %x = vector.load %rows[%i, %c0] : memref<?x4xf32>, vector<4xf32>
            {"".join(f"%y{j} = arith.mulf %x, %x : vector<4xf32> " for j in range(k))}
            %y = arith.addf %x, %x : vector<4xf32>
            vector.store %y, %rows[%i, %c0] : memref<?x4xf32>, vector<4xf32>
        }}"""
        for k in range(PHASES)
    )
    return f"""func.func @phases(%rows: memref<?x4xf32>) attributes {{sparsecore.entry}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = memref.dim %rows, %c0 : memref<?x4xf32>
      {loops}
      return
    }}"""


@pytest.fixture
def compile_with(monkeypatch: pytest.MonkeyPatch):
    """Compile as on a machine with some number of cores."""

    def compile_anew(cores: int | None) -> Program:
        monkeypatch.setattr(compiler_module, "_programs", {})
        monkeypatch.setattr(os, "cpu_count", lambda: cores)
        return compile_module(phases(), cache=None)

    return compile_anew


@pytest.mark.parametrize(("cores", "objects"), [(None, 2), (1, 2), (2, 3), (3, 4), (64, 4)])
def test_results_do_not_depend_on_the_number_of_cores(
    compile_with, cores: int | None, objects: int
) -> None:
    program = compile_with(cores)
    assert len(program.objects) == objects
    rows = np.ones((3, 4), np.float32)
    run(program, [rows])
    assert (rows == 2**PHASES).all()
    assert program.llvm == compile_with(1).llvm


def test_a_program_compiles_where_no_thread_can_start(
    compile_with, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: threading.Thread) -> NoReturn:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", fail)
    program = compile_with(2)
    rows = np.ones((3, 4), np.float32)
    run(program, [rows], threads=1)
    assert (rows == 2**PHASES).all()


def test_modules_are_freed_before_their_contexts(
    compile_with, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On errors, too: the other way round, both would free the module."""
    held: list[Any] = []

    def interrupt(_machine: Any, module: Any, **_: Any) -> NoReturn:
        held.append(module)
        raise KeyboardInterrupt

    monkeypatch.setattr(objects_module, "emit", interrupt)
    with pytest.raises(KeyboardInterrupt):
        compile_with(2)
    assert held
    assert all(module.closed for module in held)


def test_ctrl_c_does_not_reach_llvm(compile_with, monkeypatch: pytest.MonkeyPatch) -> None:
    """It interrupts the main thread, and llvmlite's lock would stay held."""
    emit, threads = objects_module.emit, []

    def noted(*args: Any, **options: Any) -> bytes:
        threads.append(threading.current_thread())
        return emit(*args, **options)

    monkeypatch.setattr(objects_module, "emit", noted)
    compile_with(2)
    assert len(threads) == 3
    assert threading.main_thread() not in threads


def test_every_function_is_in_one_piece(compile_with) -> None:
    llvm = compile_with(2).llvm
    *bodies, around = split(llvm, 2)
    defined = [re.findall(r"^define .*?@([\w.]+)", each.text, re.MULTILINE) for each in bodies]
    assert sorted(name for names in defined for name in names) == [
        f"phase_{k}.body" for k in range(PHASES)
    ]
    assert all(defined)
    names = re.findall(r"^define .*?@([\w.]+)", around.text, re.MULTILINE)
    assert names == [f"phase_{k}{end}" for k in range(PHASES) for end in ("", "_size")]
    assert [each.is_once for each in (*bodies, around)] == [False, False, True]


def test_bodies_are_distributed_by_length() -> None:
    once = "define i64 @s() noinline optnone nounwind {\nret i64 1\n}\n"
    lengths = [60, 50, 40, 30]
    bodies = [
        f"define internal void @b{k}(<4 x i8> %v) noinline nounwind {{\n{'; ' * length}\n}}\n"
        for k, length in enumerate(lengths)
    ]
    found = split("".join(bodies) + once, 2)[:-1]
    assert [re.findall(r"@b(\d)", each.text) for each in found] == [["0", "3"], ["1", "2"]]


def test_a_program_without_vectors_is_one_piece() -> None:
    # The passes over such a module go across its functions.
    text = "define internal void @b(i64 %v) noinline nounwind {\nret void\n}\n"
    (whole,) = split(text, 4)
    assert (whole.text, whole.is_scalar, whole.is_once) == (text, True, False)
