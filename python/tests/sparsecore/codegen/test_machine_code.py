"""What LLVM makes of it: vectors, no contraction, aliasing, libm."""

from __future__ import annotations

import platform
import re

import numpy as np
import pytest

from sdykit.sparsecore.codegen import Program, compile_module, run
from support.codegen.tile_programs import apply

X86 = platform.machine() == "x86_64"


def scaled(attributes: str = "", flags: str = "") -> Program:
    """Compute out = x * scale[0] + y, over inner loops of 1024."""
    return compile_module(
        f"""func.func @axpy(%x: memref<?x1024xf32>, %scale: memref<1xf32>, %y: memref<?x1024xf32>,
            %out: memref<?x1024xf32>{attributes}) attributes {{sparsecore.entry}} {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c1024 = arith.constant 1024 : index
          %n = memref.dim %out, %c0 : memref<?x1024xf32>
          scf.parallel (%i) = (%c0) to (%n) step (%c1) {{
            scf.for %j = %c0 to %c1024 step %c1 {{
              %s = memref.load %scale[%c0] : memref<1xf32>
              %a = memref.load %x[%i, %j] : memref<?x1024xf32>
              %b = memref.load %y[%i, %j] : memref<?x1024xf32>
              %p = arith.mulf %a, %s {flags}: f32
              %q = arith.addf %p, %b {flags}: f32
              memref.store %q, %out[%i, %j] : memref<?x1024xf32>
            }}
          }}
          return
        }}""",
        cache=None,
    )


def inputs() -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    x, y = (rng.standard_normal((3, 1024), dtype=np.float32) for _ in range(2))
    return [x, np.array([1 / 3], np.float32), y, np.zeros((3, 1024), np.float32)]


@pytest.mark.skipif(not X86, reason="names of x86 instructions")
def test_multiply_and_add_are_not_contracted() -> None:
    program = scaled(" {sparsecore.noalias}")
    assert not re.search(r"vf(n?m)(add|sub)", program.assembly)
    x, scale, y, out = arrays = inputs()
    run(program, arrays)
    assert (out == x * scale + y).all()


@pytest.mark.skipif(not X86, reason="names of x86 instructions")
def test_loops_are_vectorized() -> None:
    assert re.search(r"v?mulps", scaled(" {sparsecore.noalias}").assembly)


@pytest.mark.skipif(not X86, reason="names of x86 instructions")
def test_the_contract_flag_allows_contraction() -> None:
    program = scaled(" {sparsecore.noalias}", "fastmath<contract> ")
    x, scale, y, out = arrays = inputs()
    run(program, arrays)
    exact = x.astype(np.float64) * scale.astype(np.float64) + y
    assert (out == exact.astype(np.float32)).mean() > 0.99
    if re.search(r"vfmadd", program.assembly):  # The CPU has such an instruction.
        assert not (out == x * scale + y).all()


def test_noalias_buffers_need_no_overlap_check() -> None:
    # Without the attribute, storing to `out` may change `scale`, and loops are versioned.
    assert len(scaled(" {sparsecore.noalias}").assembly) < len(scaled().assembly)


def test_buffers_that_may_overlap_need_a_check() -> None:
    program = scaled()
    buffer = np.arange(2048, dtype=np.float32)
    x, out = buffer[:1024].reshape(1, 1024), buffer[1:1025].reshape(1, 1024)
    ones, zeros = np.ones(1, np.float32), np.zeros((1, 1024), np.float32)
    run(program, [x, ones, zeros, out])
    assert (out == 0).all()


@pytest.mark.skipif(not X86, reason="names of x86 instructions")
def test_aligned_nontemporal_stores_bypass_the_caches() -> None:
    text = """func.func @stream(%x: memref<?x16xf32> {sparsecore.noalias},
        %out: memref<?x16xf32> {sparsecore.aligned}) attributes {sparsecore.entry} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = memref.dim %out, %c0 : memref<?x16xf32>
      scf.parallel (%i) = (%c0) to (%n) step (%c1) {
        %v = vector.load %x[%i, %c0] : memref<?x16xf32>, vector<16xf32>
        vector.store %v, %out[%i, %c0] {ATTRIBUTES} : memref<?x16xf32>, vector<16xf32>
      }
      return
    }"""
    attributes = "alignment = 64 : i64, nontemporal = true"
    program = compile_module(text.replace("ATTRIBUTES", attributes), cache=None)
    assert "movntps" in program.assembly
    # Once, after the loop: no lock orders these stores with what follows.
    assert len(re.findall("mfence|lock", program.assembly)) == 1
    for others in ("nontemporal = true", "alignment = 64 : i64"):
        program = compile_module(text.replace("ATTRIBUTES", others), cache=None)
        assert "movntps" not in program.assembly


def test_libm_is_called_by_name() -> None:
    ops = ["math.exp {0} : {t}", "math.log1p {0} : {t}", "math.powf {0}, {0} : {t}"]
    x = np.array([0.5, 1.0, 2.0, 4.0], np.float32)
    rows = apply(ops, [("f32", x)], "f32", 4)
    expected = [np.exp(x), np.log1p(x), x**x]
    for row, values in zip(rows, expected, strict=True):
        np.testing.assert_allclose(row, values, rtol=3e-7)


def test_a_program_has_the_texts_of_every_stage() -> None:
    program = scaled()
    assert "define void @phase_0(ptr %buffers, ptr %dims, i64 %begin, i64 %end, ptr %scratch)" in (
        program.llvm
    )
    assert re.search(r"^phase_0:", program.assembly, re.MULTILINE)
    assert re.search(r"^phase_0_size:", program.assembly, re.MULTILINE)
    assert all(each.startswith(b"\x7fELF") for each in program.objects)


def test_subnormals_are_kept() -> None:
    tiny = np.array([1e-40, -1e-45, 3e-39, 1e-38], np.float32)
    rows = apply(["arith.addf {0}, {0} : {t}"], [("f32", tiny)], "f32", 4)
    assert (rows[0] == tiny + tiny).all()
    assert (rows[0] != 0).all()


def test_addresses_of_neighbouring_elements_share_their_dynamic_part() -> None:
    program = compile_module(
        """func.func @two(%x: memref<?x8xf32>) attributes {sparsecore.entry} {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %n = memref.dim %x, %c0 : memref<?x8xf32>
          scf.parallel (%i) = (%c0) to (%n) step (%c1) {
            %a = vector.load %x[%i, %c0] : memref<?x8xf32>, vector<4xf32>
            vector.store %a, %x[%i, %c4] : memref<?x8xf32>, vector<4xf32>
          }
          return
        }""",
        cache=None,
    )
    assert program.llvm.count("mul nsw i64") == 1
    x = np.arange(24, dtype=np.float32).reshape(3, 8)
    run(program, [x])
    assert (x[:, 4:] == x[:, :4]).all()
