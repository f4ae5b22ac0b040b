"""Programs that cannot be compiled: the place and the whole text of the error."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdykit.mlir import ir, make_context
from sdykit.sparsecore.codegen import CodegenError, compile_module

HEAD = """func.func @e(%a: memref<?x8xf32>, %b: memref<?xi32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
"""
TAIL = "\n  }\n  return\n}\n"

ELEMENTS = (
    "i1, i2, i4, i8, i16, i32, i64, index, f8E4M3B11FNUZ, f8E4M3FN, f8E5M2, bf16, f16, f32, f64"
)
VALUES = f"expected values of type {ELEMENTS}, and vectors of up to 4096 of them; found "
MEMREFS = f"expected a strided memref of {ELEMENTS}; found "
IN_A_PHASE = [
    ("%t = tensor.empty() : tensor<4xf32>", "code generation does not know it"),
    ("%h = arith.constant 1.0 : f128", f"{VALUES}'f128'"),
    ("%h = arith.constant 1 : i7", f"{VALUES}'i7'"),
    (
        "%h = arith.constant dense<1> : vector<4097xi8>",
        f"{VALUES}'vector<4097xi8>'",
    ),
    ("%h = vector.step : vector<[4]xindex>", f"{VALUES}'vector<[4]xindex>'"),
    ("%m = memref.alloc(%i) : memref<?xf32>", "expected a static shape, found 'memref<?xf32>'"),
    (
        "%m = memref.alloc() {alignment = 128 : i64} : memref<4xf32>",
        "alignment is 128; expected at most 64 bytes, that of the arena",
    ),
    (
        "%m = memref.alloc() : memref<4xf32, strided<[2]>>",
        "expected a row-major layout, found 'memref<4xf32, strided<[2]>>'",
    ),
    ("%m = memref.alloc() : memref<4xf128>", f"{MEMREFS}'memref<4xf128>'"),
    (
        "%m = memref.cast %a : memref<?x8xf32> to memref<*xf32>",
        f"{MEMREFS}'memref<*xf32>'",
    ),
    (
        "%d = memref.dim %a, %i : memref<?x8xf32>",
        "expected a constant dimension, such as the result of arith.constant",
    ),
]


def error_of(text: str) -> str:
    with pytest.raises(CodegenError) as caught:
        compile_module(text, cache=None)
    return str(caught.value)


@pytest.mark.parametrize(("op", "reason"), IN_A_PHASE)
def test_an_op_without_a_translation_is_an_error_at_the_op(op: str, reason: str) -> None:
    name = op.split()[2].removesuffix("()").split("(")[0]
    expected = f"-:5:10: error: '{name}' op cannot be translated: {reason}"
    assert error_of(f"{HEAD}    {op}{TAIL}") == expected


SEVERAL_LINES = [
    (
        """    %f = arith.constant 1.0 : f32
    %d = arith.truncf %f downward : f32 to bf16""",
        "-:6:10: error: 'arith.truncf' op cannot be translated: rounding mode is 'downward'; "
        "expected 'to_nearest_even'",
    ),
    (
        """    %v = vector.load %a[%i, %c0] : memref<?x8xf32>, vector<2x4xf32>
    %r = vector.extract %v[%i] : vector<4xf32> from vector<2x4xf32>""",
        "-:6:10: error: 'vector.extract' op cannot be translated: expected a static position, "
        "since the element is a vector",
    ),
    (
        """    %f = arith.constant 1.0 : f32
    %v = vector.transfer_read %a[%i, %c0], %f {permutation_map = affine_map<(d0, d1) -> (d0)>}
      : memref<?x8xf32>, vector<4xf32>""",
        "-:6:10: error: 'vector.transfer_read' op cannot be translated: expected a vector along "
        "the last dimension, found '(d0, d1) -> (d0)'",
    ),
    (
        """    %f = arith.constant 1.0 : f32
    %v = vector.transfer_read %a[%i, %c0], %f : memref<?x8xf32>, vector<2x4xf32>""",
        "-:6:10: error: 'vector.transfer_read' op cannot be translated: expected a vector of rank "
        "1, found rank 2",
    ),
    (
        """    %f = arith.constant 1.0 : f32
    %s = memref.subview %a[0, 0] [4, 2] [1, 4]
      : memref<?x8xf32> to memref<4x2xf32, strided<[8, 4]>>
    %v = vector.transfer_read %s[%i, %c0], %f
      : memref<4x2xf32, strided<[8, 4]>>, vector<4xf32>""",
        "-:8:10: error: 'vector.transfer_read' op cannot be translated: expected a last stride "
        "of 1, found 'memref<4x2xf32, strided<[8, 4]>>'",
    ),
    (
        """    %m = memref.alloc() : memref<4xf32>
    %r = scf.for %j = %c0 to %i step %c1 iter_args(%p = %m) -> (memref<4xf32>) {
      %q = memref.alloc() : memref<4xf32>
      scf.yield %q : memref<4xf32>
    }""",
        "-:6:10: error: 'scf.for' op cannot be translated: it carries a memref from one "
        "iteration to the next, and has 'memref.alloc' in its body; allocate before the loop",
    ),
    (
        """    scf.execute_region {
      cf.br ^next
    ^next:
      scf.yield
    }""",
        "-:5:5: error: 'scf.execute_region' op has a region of 2 blocks; expected one block",
    ),
]


@pytest.mark.parametrize(("lines", "message"), SEVERAL_LINES)
def test_several_ops_without_a_translation_are_an_error_at_the_first(
    lines: str, message: str
) -> None:
    assert error_of(HEAD + lines + TAIL) == message


WHOLE = [
    (
        "func.func @f() { return }",
        "-:1:1: error: expected one function with the attribute 'sparsecore.entry', found none",
    ),
    (
        "func.func @f() attributes {sparsecore.entry} { return }\n"
        "func.func @g() attributes {sparsecore.entry} { return }",
        "-:2:1: error: expected one function with the attribute 'sparsecore.entry', found @f, @g",
    ),
    (
        "func.func private @f() attributes {sparsecore.entry}",
        "-:1:1: error: 'func.func' op cannot be translated: it has no body; expected the phases of "
        "the program",
    ),
    (
        "func.func @f(%a: memref<4xf32>, %n: index) attributes {sparsecore.entry} { return }",
        "-:1:33: error: argument 1 of '@f' is of type 'index'; expected a row-major memref of "
        f"rank 0 to 3 of {ELEMENTS}",
    ),
    (
        "func.func @f(%a: memref<?xf32, strided<[2]>>) attributes {sparsecore.entry} { return }",
        "-:1:14: error: argument 0 of '@f' is of type 'memref<?xf32, strided<[2]>>'; expected a "
        f"row-major memref of rank 0 to 3 of {ELEMENTS}",
    ),
    (
        "func.func @f(%a: memref<1x1x1x1xf32>) attributes {sparsecore.entry} { return }",
        "-:1:14: error: argument 0 of '@f' is of type 'memref<1x1x1x1xf32>'; expected a "
        f"row-major memref of rank 0 to 3 of {ELEMENTS}",
    ),
    (
        "func.func @f(%a: memref<1xf32> {sparsecore.alias}) attributes {sparsecore.entry} "
        "{ return }",
        "-:1:14: error: argument 0 of '@f' has the attribute 'sparsecore.alias'; expected one "
        "of sparsecore.noalias, sparsecore.aligned, sparsecore.name, sparsecore.status, "
        "sparsecore.launch, sparsecore.settings, sparsecore.work, sparsecore.place, "
        "sparsecore.offsets, sparsecore.workspace",
    ),
    (
        "func.func @f(%a: memref<1xf32>) attributes {sparsecore.entry} {\n"
        "  %c = arith.constant 0 : index\n  %x = memref.load %a[%c] : memref<1xf32>\n  return\n}",
        "-:3:8: error: 'memref.load' op cannot be translated: between phases only scalars and "
        "views are computed; move it into an scf.parallel",
    ),
    (
        "func.func @f() -> i32 attributes {sparsecore.entry} {\n"
        "  %c = arith.constant 0 : i32\n  return %c : i32\n}",
        "-:3:3: error: 'func.return' op cannot be translated: the entry function cannot return "
        "values; store them in an argument",
    ),
    (
        "module @inner { module {} }",
        "-:1:17: error: 'builtin.module' op cannot be translated: expected only func.func at the "
        "top of the module",
    ),
    (
        "func.func @f() {\n  foo\n}",
        "-:2:3: error: custom op 'foo' is unknown (tried 'func.foo' as well)",
    ),
    (
        "func.func @f(%x: f32) {\n  %y = arith.addi %x, %x : f32\n  return\n}",
        "-:2:8: error: 'arith.addi' op operand #0 must be signless-non-zero-bitwidth-integer-like,"
        " but got 'f32'",
    ),
]


@pytest.mark.parametrize(("text", "message"), WHOLE)
def test_a_module_that_is_no_tile_program_is_an_error(text: str, message: str) -> None:
    assert error_of(text) == message


def test_a_phase_with_results_is_an_error() -> None:
    text = """func.func @f(%a: memref<1xi32>) attributes {sparsecore.entry} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %z = arith.constant 0 : i32
      %s = scf.parallel (%i) = (%c0) to (%c1) step (%c1) init (%z) -> i32 {
        scf.reduce(%z : i32) {
        ^bb0(%x: i32, %y: i32):
          scf.reduce.return %x : i32
        }
      }
      return
    }"""
    expected = (
        "-:5:12: error: 'scf.parallel' op cannot be translated: a phase cannot have results; expected "
        "it to store them in arguments"
    )
    assert error_of(text) == expected


RECURSIVE = """
func.func private @a() { func.call @b() : () -> () return }
func.func private @b() { func.call @a() : () -> () return }
func.func private @far()
func.func @f() attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    func.call @CALLEE() : () -> ()
  }
  return
}
"""


def test_calls_that_cannot_be_inlined_are_errors() -> None:
    assert error_of(RECURSIVE.replace("CALLEE", "a")) == (
        "-:3:26: error: 'func.call' op cannot be translated: function '@a' calls itself; "
        "expected no recursion, since calls are inlined"
    )
    assert error_of(RECURSIVE.replace("CALLEE", "far")) == (
        "-:9:5: error: 'func.call' op cannot be translated: function '@far' has no body; "
        "expected one, since calls are inlined"
    )


def test_an_error_in_a_module_from_a_file_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "tile.mlir"
    path.write_text(f"{HEAD}    %t = tensor.empty() : tensor<4xf32>{TAIL}")
    module = ir.Module.parseFile(str(path), make_context())
    with pytest.raises(CodegenError) as caught:
        compile_module(module, cache=None)
    assert str(caught.value) == (
        f"{path}:5:10: error: 'tensor.empty' op cannot be translated: "
        "code generation does not know it"
    )
    assert caught.value.location is not None
    assert caught.value.location.line == 5


def test_a_module_that_is_invalid_after_passes_is_an_error() -> None:
    module = ir.Module.parse(f"{HEAD}{TAIL}", make_context())
    function = module.body.operations[0]
    function.operation.attributes["function_type"] = ir.TypeAttr.parse("() -> ()", module.context)
    with pytest.raises(CodegenError) as caught:
        compile_module(module, cache=None)
    assert "error: 'func.func' op entry block must have 0 arguments" in str(caught.value)


def test_a_program_that_is_nested_too_deeply_is_an_error() -> None:
    depth = 400
    loops = "\n".join(f"scf.for %j{k} = %c0 to %c1 step %c1 {{" for k in range(depth))
    expected = (
        "<unknown>: error: the program is nested too deeply; divide its loops and conditions among "
        "functions"
    )
    assert error_of(f"{HEAD}{loops}{'}' * depth}{TAIL}") == expected
