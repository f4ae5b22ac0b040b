"""Which arguments a program may write to."""

from __future__ import annotations

import pytest

from sdykit.sparsecore.codegen import compile_module

HEAD = """
func.func private @put(%to: memref<16xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  memref.store %v, %to[%c0] : memref<16xf32>
  return
}
func.func @f(%a: memref<16xf32>, %b: memref<16xf32>, %c: memref<64xi8>, %flag: memref<i1>)
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %ones = arith.constant dense<1.0> : vector<4xf32>
  %lanes = arith.constant dense<[0, 2, 4, 6]> : vector<4xi32>
  %mask = arith.constant dense<true> : vector<4xi1>
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    %yes = memref.load %flag[] : memref<i1>
    BODY
  }
  return
}
"""
COLUMN = "memref<4xf32, strided<[1], offset: 4>>"

CASES = {
    "nothing": ("%v = memref.load %a[%c0] : memref<16xf32>", ""),
    "a store": ("memref.store %one, %b[%c0] : memref<16xf32>", "b"),
    "two": (
        """memref.store %one, %b[%c4] : memref<16xf32>
        vector.store %ones, %a[%c4] : memref<16xf32>, vector<4xf32>""",
        "ab",
    ),
    "nontemporal": (
        "vector.store %ones, %a[%c4] {nontemporal = true} : memref<16xf32>, vector<4xf32>",
        "a",
    ),
    "a copy": ("memref.copy %a, %b : memref<16xf32> to memref<16xf32>", "b"),
    "a copy to a view": (
        f"""%part = memref.subview %b[4] [4] [1] : memref<16xf32> to {COLUMN}
        %other = memref.subview %a[4] [4] [1] : memref<16xf32> to {COLUMN}
        memref.copy %other, %part : {COLUMN} to {COLUMN}""",
        "b",
    ),
    "a view of bytes": (
        """%view = memref.view %c[%c4][] : memref<64xi8> to memref<4xf32>
        memref.store %one, %view[%c0] : memref<4xf32>""",
        "c",
    ),
    "a compressing store": (
        "vector.compressstore %a[%c0], %mask, %ones : memref<16xf32>, vector<4xi1>, vector<4xf32>",
        "a",
    ),
    "a masked store": (
        "vector.maskedstore %a[%c0], %mask, %ones : memref<16xf32>, vector<4xi1>, vector<4xf32>",
        "a",
    ),
    "a scatter": (
        """vector.scatter %b[%c0] [%lanes], %mask, %ones
          : memref<16xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>""",
        "b",
    ),
    "reads of all kinds": (
        """%v = vector.gather %a[%c0] [%lanes], %mask, %ones
          : memref<16xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
        %w = vector.maskedload %b[%c0], %mask, %ones
          : memref<16xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
        memref.prefetch %b[%c4], read, locality<3>, data : memref<16xf32>
        memref.prefetch %a[%c4], write, locality<0>, data : memref<16xf32>""",
        "",
    ),
    "a transfer": (
        """vector.transfer_write %ones, %b[%c4] {in_bounds = [false]}
          : vector<4xf32>, memref<16xf32>""",
        "b",
    ),
    "a function": ("func.call @put(%b, %one) : (memref<16xf32>, f32) -> ()", "b"),
    "either of two": (
        """%one_of = arith.select %yes, %a, %b : memref<16xf32>
        memref.store %one, %one_of[%c0] : memref<16xf32>""",
        "ab",
    ),
    "read either, write one": (
        """%one_of = arith.select %yes, %a, %b : memref<16xf32>
        %v = memref.load %one_of[%c4] : memref<16xf32>
        memref.store %v, %b[%c0] : memref<16xf32>""",
        "b",
    ),
    "the result of a branch": (
        """%one_of = scf.if %yes -> memref<16xf32> {
          scf.yield %a : memref<16xf32>
        } else {
          scf.yield %b : memref<16xf32>
        }
        memref.store %one, %one_of[%c0] : memref<16xf32>""",
        "ab",
    ),
    "buffers that swap": (
        """%x, %y = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %a, %q = %b)
            -> (memref<16xf32>, memref<16xf32>) {
          memref.store %one, %p[%k] : memref<16xf32>
          scf.yield %q, %p : memref<16xf32>, memref<16xf32>
        }""",
        "ab",
    ),
    "buffers that do not swap": (
        """%x, %y = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %a, %q = %b)
            -> (memref<16xf32>, memref<16xf32>) {
          memref.store %one, %p[%k] : memref<16xf32>
          scf.yield %p, %q : memref<16xf32>, memref<16xf32>
        }""",
        "a",
    ),
    "a while loop": (
        """%x = scf.while (%p = %a) : (memref<16xf32>) -> memref<16xf32> {
          scf.condition(%yes) %p : memref<16xf32>
        } do {
        ^bb0(%q: memref<16xf32>):
          scf.yield %b : memref<16xf32>
        }
        memref.store %one, %x[%c0] : memref<16xf32>""",
        "ab",
    ),
    "scratch": (
        """%s = memref.alloca() : memref<16xf32>
        memref.copy %a, %s : memref<16xf32> to memref<16xf32>""",
        "",
    ),
}


@pytest.mark.parametrize(("body", "names"), CASES.values(), ids=CASES)
def test_arguments_that_are_written_through_views_and_phis_are_found(body: str, names: str) -> None:
    interface = compile_module(HEAD.replace("BODY", body), cache=None).interface
    written = [each.written for each in interface.arguments]
    assert written == [name in names for name in ("a", "b", "c", "flag")]


def test_an_argument_that_any_phase_writes_is_written() -> None:
    phase = "scf.parallel (%i) = (%c0) to (%c1) step (%c1) {{ {} }}"
    both = [
        phase.format(f"memref.store %one, %{name}[%c0] : memref<16xf32>") for name in ("b", "a")
    ]
    text = HEAD.replace("BODY", "").replace("  return\n}\n\n", "", 1)
    start, _, end = text.rpartition("  return")
    interface = compile_module(f"{start}{both[0]}\n{both[1]}\n  return{end}", cache=None).interface
    assert [each.written for each in interface.arguments] == [True, True, False, False]
