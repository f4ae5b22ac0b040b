"""LLVM's library without llvmlite's modules: the same host, the same linker."""

from __future__ import annotations

import ctypes
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from sdykit.sparsecore.codegen.machine.host import host
from sdykit.sparsecore.codegen.machine.linking import link
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
print(x.tolist(), last_origin(), "llvmlite.binding" in sys.modules, "jaxlib" in sys.modules)
"""


def test_the_host_is_the_one_that_llvmlite_describes() -> None:
    found = host()
    assert found.triple == llvm.get_process_triple()
    assert found.cpu == llvm.get_host_cpu_name()
    assert found.features == llvm.get_host_cpu_features().flatten()
    assert found.llvm_version == tuple(llvm.llvm_version_info)


def test_a_cached_program_runs_without_llvmlite_and_mlir(tmp_path: Path) -> None:
    text = RUN.replace("sys.argv[1]", repr(str(tmp_path)))
    assert run_python(text) == "[0, 1, 2, 3, 4] compiled True True\n"
    assert run_python(text) == "[0, 1, 2, 3, 4] disk False False\n"


IR = """
declare i32 @elsewhere(i32)
define i32 @twice(i32 %x) {
  %a = call i32 @elsewhere(i32 %x)
  %b = add i32 %a, %a
  ret i32 %b
}
"""


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
