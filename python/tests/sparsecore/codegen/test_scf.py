"""`scf` and `func.call` inside a phase."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit.sparsecore.codegen import compile_module, run
from support.codegen.tile_programs import Array

COUNT = 64


def of_each(body: str, *arrays: Array, functions: str = "") -> Array:
    """Run `body` for every index %i; it ends with %r, an i64, that goes to the result."""
    parameters = "".join(f"%x{k}: memref<?xi64>, " for k in range(len(arrays)))
    loads = "\n".join(f"%a{k} = memref.load %x{k}[%i] : memref<?xi64>" for k in range(len(arrays)))
    text = f"""
    {functions}
    func.func @each({parameters}%out: memref<?xi64>) attributes {{sparsecore.entry}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %n = memref.dim %out, %c0 : memref<?xi64>
      scf.parallel (%i) = (%c0) to (%n) step (%c1) {{
        {loads}
        {body}
        memref.store %r, %out[%i] : memref<?xi64>
      }}
      return
    }}"""
    out = np.full(len(arrays[0]), -99, np.int64)
    run(compile_module(text, cache=None), [*arrays, out], threads=2)
    return out


def integers(low: int, high: int, seed: int) -> Array:
    return np.random.default_rng(seed).integers(low, high, COUNT)


def test_for_carries_several_values() -> None:
    steps = integers(-3, 20, 1)
    found = of_each(
        """%end = arith.index_cast %a0 : i64 to index
        %r, %s = scf.for %j = %c0 to %end step %c1 iter_args(%p = %zero, %q = %one) -> (i64, i64) {
          %t = arith.addi %p, %q : i64
          scf.yield %q, %t : i64, i64
        }""",
        steps,
    )
    fibonacci = [0, 1]
    while len(fibonacci) < 30:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    assert found.tolist() == [fibonacci[max(n, 0)] for n in steps]


@pytest.mark.parametrize("unsigned", [False, True])
def test_narrow_counters_do_not_wrap(unsigned: bool) -> None:
    word = "unsigned " if unsigned else ""
    limit = -1 if unsigned else 127  # As unsigned, 255.
    found = of_each(
        f"""%from = arith.trunci %a0 : i64 to i8
        %to = arith.constant {limit} : i8
        %by = arith.constant 100 : i8
        %r = scf.for {word}%j = %from to %to step %by iter_args(%p = %zero) -> i64 : i8 {{
          %t = arith.addi %p, %one : i64
          scf.yield %t : i64
        }}""",
        starts := integers(-128, 128, 2),
    )
    end = 255 if unsigned else 127
    begin = [int(x) % 256 if unsigned else int(x) for x in starts]
    assert found.tolist() == [len(range(x, end, 100)) for x in begin]


def test_if_returns_the_results_of_the_branch_taken() -> None:
    a, b = integers(-5, 6, 3), integers(-5, 6, 4)
    found = of_each(
        """%less = arith.cmpi slt, %a0, %a1 : i64
        %m = scf.if %less -> i64 {
          %even = arith.remsi %a1, %two : i64
          %is = arith.cmpi eq, %even, %zero : i64
          %in = scf.if %is -> i64 {
            %d = arith.muli %a1, %a1 : i64
            scf.yield %d : i64
          } else {
            scf.yield %a0 : i64
          }
          scf.yield %in : i64
        } else {
          scf.yield %one : i64
        }
        memref.store %m, %out[%i] : memref<?xi64>
        scf.if %less {
          %more = arith.addi %m, %a0 : i64
          memref.store %more, %out[%i] : memref<?xi64>
        }
        %r = memref.load %out[%i] : memref<?xi64>""".replace(
            "%less =", "%two = arith.constant 2 : i64\n%less =", 1
        ),
        a,
        b,
    )
    expected = [
        ((y * y if y % 2 == 0 else x) + x) if x < y else 1
        for x, y in zip(a.tolist(), b.tolist(), strict=True)
    ]
    assert found.tolist() == expected


def test_while_counts_collatz_steps() -> None:
    starts = integers(1, 1000, 5)
    found = of_each(
        """%two = arith.constant 2 : i64
        %three = arith.constant 3 : i64
        %last, %r = scf.while (%x = %a0, %n0 = %zero) : (i64, i64) -> (i64, i64) {
          %go = arith.cmpi ne, %x, %one : i64
          scf.condition(%go) %x, %n0 : i64, i64
        } do {
        ^bb0(%x: i64, %k: i64):
          %rest = arith.remsi %x, %two : i64
          %odd = arith.cmpi eq, %rest, %one : i64
          %half = arith.divsi %x, %two : i64
          %triple = arith.muli %x, %three : i64
          %up = arith.addi %triple, %one : i64
          %next = arith.select %odd, %up, %half : i64
          %k1 = arith.addi %k, %one : i64
          scf.yield %next, %k1 : i64, i64
        }""",
        starts,
    )

    def steps(n: int) -> int:
        count = 0
        while n != 1:
            n, count = 3 * n + 1 if n % 2 else n // 2, count + 1
        return count

    assert found.tolist() == [steps(int(n)) for n in starts]


def test_a_nested_parallel_loop_reduces() -> None:
    sizes = integers(-2, 6, 6)
    found = of_each(
        """%end = arith.index_cast %a0 : i64 to index
        %c3 = arith.constant 3 : index
        %sum, %most = scf.parallel (%j, %k) = (%c1, %c0) to (%end, %c3) step (%c1, %c2)
            init (%zero, %zero) -> (i64, i64) {
          %jj = arith.index_cast %j : index to i64
          %kk = arith.index_cast %k : index to i64
          %p = arith.muli %jj, %kk : i64
          %q = arith.addi %p, %one : i64
          scf.reduce(%q, %p : i64, i64) {
          ^bb0(%x: i64, %y: i64):
            %s = arith.addi %x, %y : i64
            scf.reduce.return %s : i64
          }, {
          ^bb0(%x: i64, %y: i64):
            %m = arith.maxsi %x, %y : i64
            scf.reduce.return %m : i64
          }
        }
        %hundred = arith.constant 100 : i64
        %h = arith.muli %sum, %hundred : i64
        %r = arith.addi %h, %most : i64""",
        sizes,
    )
    expected = []
    for n in sizes.tolist():
        products = [j * k for j in range(1, n) for k in (0, 2)]
        expected.append(100 * sum(p + 1 for p in products) + max(products, default=0))
    assert found.tolist() == expected


def test_calls_are_inlined_with_fresh_values() -> None:
    functions = """
    func.func private @square(%x: i64) -> i64 {
      %r = arith.muli %x, %x : i64
      return %r : i64
    }
    func.func private @both(%x: i64, %m: memref<?xi64>, %k: index) -> (i64, i64) {
      %a = call @square(%x) : (i64) -> i64
      %b = call @square(%a) : (i64) -> i64
      %y = memref.load %m[%k] : memref<?xi64>
      return %b, %y : i64, i64
    }"""
    a, b = integers(-9, 9, 7), integers(-9, 9, 8)
    found = of_each(
        """%p, %q = func.call @both(%a0, %x1, %i) : (i64, memref<?xi64>, index) -> (i64, i64)
        %u = func.call @square(%q) : (i64) -> i64
        %r = arith.addi %p, %u : i64""",
        a,
        b,
        functions=functions,
    )
    assert found.tolist() == (a**4 + b**2).tolist()


def test_loops_may_carry_memrefs() -> None:
    a, b = integers(0, 9, 9), integers(0, 9, 10)
    found = of_each(
        """%p, %q, %r = scf.for %j = %c0 to %i step %c1 iter_args(%p = %x0, %q = %x1, %s = %zero)
            -> (memref<?xi64>, memref<?xi64>, i64) {
          %v = memref.load %p[%j] : memref<?xi64>
          %t = arith.addi %s, %v : i64
          scf.yield %q, %p, %t : memref<?xi64>, memref<?xi64>, i64
        }""",
        a,
        b,
    )
    taken = np.where(np.arange(COUNT) % 2, b, a)
    assert found.tolist() == [int(taken[:k].sum()) for k in range(COUNT)]


def test_select_and_if_may_return_memrefs() -> None:
    a, b = integers(0, 9, 11), integers(10, 20, 12)
    found = of_each(
        """%odd = arith.remui %i, %c2 : index
        %is = arith.cmpi eq, %odd, %c1 : index
        %m = arith.select %is, %x0, %x1 : memref<?xi64>
        %k = scf.if %is -> memref<?xi64, strided<[1], offset: ?>> {
          %v = memref.subview %x1[%i] [1] [1]
            : memref<?xi64> to memref<1xi64, strided<[1], offset: ?>>
          %w = memref.cast %v
            : memref<1xi64, strided<[1], offset: ?>> to memref<?xi64, strided<[1], offset: ?>>
          scf.yield %w : memref<?xi64, strided<[1], offset: ?>>
        } else {
          %w = memref.cast %x0 : memref<?xi64> to memref<?xi64, strided<[1], offset: ?>>
          scf.yield %w : memref<?xi64, strided<[1], offset: ?>>
        }
        %p = memref.load %m[%i] : memref<?xi64>
        %q = memref.load %k[%c0] : memref<?xi64, strided<[1], offset: ?>>
        %size = memref.dim %k, %c0 : memref<?xi64, strided<[1], offset: ?>>
        %s = arith.index_cast %size : index to i64
        %t = arith.muli %q, %s : i64
        %r = arith.addi %p, %t : i64""",
        a,
        b,
    )
    odd = np.arange(COUNT) % 2 == 1
    assert found.tolist() == np.where(odd, a + b, b + a[0] * COUNT).tolist()


def test_or_first_is_also_taken_in_the_first_iteration_of_a_call() -> None:
    text = """
    func.func @marks(%out: memref<?xi64>, %chosen: memref<?xi1>) attributes {sparsecore.entry} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = arith.constant 1 : i64
      %n = memref.dim %out, %c0 : memref<?xi64>
      scf.parallel (%i) = (%c0) to (%n) step (%c1) {
        %is_chosen = memref.load %chosen[%i] : memref<?xi1>
        scf.if %is_chosen {
          memref.store %one, %out[%i] : memref<?xi64>
        } {sparsecore.or_first}
      }
      return
    }"""
    out, chosen = np.zeros(8, np.int64), np.arange(8) == 5
    run(compile_module(text, cache=None), [out, chosen], threads=1)
    assert out.tolist() == [1, 0, 0, 0, 0, 1, 0, 0]
    out[:] = 0
    run(compile_module(text, cache=None), [out, chosen], threads=2)
    assert out.tolist() == [1, 0, 0, 0, 1, 1, 0, 0]
