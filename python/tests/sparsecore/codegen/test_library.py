"""What a cached program needs: the host, and linked machine code, by LLVM's library alone or without it."""

from __future__ import annotations

import ctypes
import math
import platform
import random
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from sdykit.sparsecore import _machine
from sdykit.sparsecore.codegen.machine.host import host
from sdykit.sparsecore.codegen.machine.linking import link
from sdykit.sparsecore.codegen.machine.llvm_linker import link_with_llvm
from sdykit.sparsecore.codegen.machine.objects import to_objects
from support.bridge.ffi_programs import run_python

PROGRAM = """func.func @ids(%x: memref<?xi32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = arith.index_cast %i : index to i32
    memref.store %v, %x[%i] : memref<?xi32>
  }
  return
}"""

RUN = f"""
import sys
from pathlib import Path
import numpy as np
from sdykit.sparsecore.codegen import ObjectCache, compile_module, run
from sdykit.sparsecore.codegen.compiler import last_origin
x = np.zeros(5, np.int32)
run(compile_module({PROGRAM!r}, cache=ObjectCache(Path(sys.argv[1]))), [x])
has_llvm = "libllvmlite" in Path("/proc/self/maps").read_text()
print(x.tolist(), last_origin(), has_llvm, "jaxlib" in sys.modules)
"""


def test_the_host_is_the_one_that_llvmlite_describes() -> None:
    found = host()
    assert found.triple == llvm.get_process_triple()
    assert found.cpu == llvm.get_host_cpu_name()
    assert found.features == llvm.get_host_cpu_features().flatten()
    assert found.llvm_version == tuple(llvm.llvm_version_info)


def test_a_cached_program_runs_without_llvm_and_mlir(tmp_path: Path) -> None:
    text = RUN.replace("sys.argv[1]", repr(str(tmp_path)))
    assert run_python(text) == "[0, 1, 2, 3, 4] compiled True True\n"
    assert run_python(text) == "[0, 1, 2, 3, 4] disk False False\n"


IR = """
declare i32 @elsewhere(i32)
define i32 @twice(i32 %x) nounwind {
  %a = call i32 @elsewhere(i32 %x)
  %b = add i32 %a, %a
  ret i32 %b
}
"""


BINARY = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_int32)
OF_TWO_FILES = (
    """
@table = private unnamed_addr constant [4 x double] [double 1.0, double 2.5, double -3.0, double 4.0]
declare double @pow(double, double)
declare hidden double @scaled(double)
declare ptr @given(double)
define double @first(double %x, i32 %k) nounwind {
  %n = zext i32 %k to i64
  %at = getelementptr [4 x double], ptr @table, i64 0, i64 %n
  %v = load double, ptr %at
  %p = call double @pow(double %x, double %v)
  %s = call double @scaled(double %p)
  %f = select i1 true, ptr @given, ptr null
  %isnull = icmp eq ptr %f, null
  %r = select i1 %isnull, double 0.0, double %s
  ret double %r
}
define ptr @address() nounwind { ret ptr @given }
""",
    """
define hidden double @scaled(double %x) nounwind {
  %y = fmul double %x, 3.125
  ret double %y
}
define double @second(double %x, i32 %k) nounwind {
  switch i32 %k, label %other [ i32 0, label %a i32 1, label %b i32 2, label %c
                                i32 3, label %d i32 4, label %e ]
a: ret double 1.5
b: %m = fmul double %x, %x
   ret double %m
c: %t = call double @scaled(double %x)
   ret double %t
d: %n = fneg double %x
   ret double %n
e: ret double %x
other: ret double 0x7FF8000000000000
}
""",
)


def test_programs_are_linked_as_llvm_links_them() -> None:
    """Constants, tables of jumps, calls between files, of libm and of given functions."""
    objects = [data for text in OF_TWO_FILES for data in to_objects(text)]
    symbols, known = ["first", "second", "address"], {"given": 0x123456789ABC}
    loaded = _machine.load(objects, symbols, known)
    assert len(loaded) == (3 if platform.machine() == "x86_64" else 0)
    linked = link_with_llvm(objects, symbols, known)
    for found in filter(None, (loaded, linked)):
        first, second = map(BINARY, found[:2])
        assert [first(2.0, k) for k in range(4)] == [
            math.pow(2.0, power) * 3.125 for power in (1.0, 2.5, -3.0, 4.0)
        ]
        assert [second(3.0, k) for k in range(5)] == [1.5, 9.0, 9.375, -3.0, 3.0]
        assert math.isnan(second(3.0, 5))
        assert ctypes.CFUNCTYPE(ctypes.c_uint64)(found[2])() == known["given"]


def test_damaged_object_files_are_not_loaded() -> None:
    """Whatever is wrong with a file, it is none that the native module knows, or it stays within it."""
    (data,) = to_objects(OF_TWO_FILES[1])
    for end in range(0, len(data), 7):
        assert _machine.load([data[:end]], ["second"], {}) == []
    rng = random.Random(0)
    for _ in range(2000):
        wrong = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            wrong[rng.randrange(len(wrong))] = rng.randrange(256)
        _machine.load([bytes(wrong)], ["second"], {})


def test_what_the_native_module_does_not_know_llvm_links() -> None:
    (data,) = to_objects(
        "@held = global i32 41\ndefine i32 @next() nounwind {\n"
        "  %x = load i32, ptr @held\n  %y = add i32 %x, 1\n"
        "  store i32 %y, ptr @held\n  ret i32 %y\n}\n"
    )
    assert _machine.load([data], ["next"], {}) == []  # Memory that is written.
    (found,) = link([data], ["next"])
    assert ctypes.CFUNCTYPE(ctypes.c_int32)(found)() == 42


def test_functions_elsewhere_are_called_at_their_addresses() -> None:
    increment = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)(lambda x: x + 1)
    address = ctypes.cast(increment, ctypes.c_void_p).value
    assert address is not None
    (found,) = link(to_objects(IR), ["twice"], {"elsewhere": address})
    assert ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)(found)(20) == 42


def test_what_cannot_be_linked_is_an_error() -> None:
    objects = to_objects(IR)
    with pytest.raises(RuntimeError, match="twice"):
        link(objects, ["twice"])
    with pytest.raises(RuntimeError, match="thrice"):
        link(objects, ["thrice"], {"elsewhere": 1})
    with pytest.raises(RuntimeError):
        link([b"no object"], ["twice"])
