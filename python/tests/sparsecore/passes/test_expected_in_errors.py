"""Errors that list everything that is expected, with their whole text."""

from __future__ import annotations

import pytest

from sdykit.core import Diagnostic, capture, run_pipeline
from sdykit.errors import PassFailure
from sdykit.mlir import ir, make_context

QUANTIZED = "sparsecore.quantize = {buckets = 16 : i64, high = 1.0 : f32, low = 0.0 : f32}"
BODY = """{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    memref.atomic_rmw addf %x, %table[%t] : (f32, memref<?xf32>) -> f32
  }
  return
}"""


@pytest.mark.parametrize(
    ("name", "mark", "body", "message"),
    [
        (
            "sparsecore-check-bounds",
            "",
            BODY,
            "'memref.atomic_rmw' op takes a buffer, and its bounds cannot be checked; expected one "
            "of memref.load, memref.store, vector.load, vector.store, memref.copy, "
            "vector.compressstore, vector.scatter, vector.maskedload, vector.maskedstore, "
            "memref.dim, memref.rank, memref.prefetch, memref.dealloc, memref.subview, memref.cast, memref.memory_space_cast, "
            "memref.reinterpret_cast",
        ),
        (
            "sparsecore-quantize",
            QUANTIZED,
            BODY,
            "'memref.atomic_rmw' op uses argument 0, which is quantized; expected one of "
            "memref.load, vector.load, memref.copy, memref.subview, memref.cast, "
            "memref.reinterpret_cast, memref.dim, memref.prefetch",
        ),
        (
            "sparsecore-quantize",
            QUANTIZED.replace("16", "1"),
            "{ return }",
            "'func.func' op has the attribute 'sparsecore.quantize' = {buckets = 1 : i64, high = "
            "1.000000e+00 : f32, low = 0.000000e+00 : f32} on argument 0; expected {buckets = N : "
            "i64, high = F : f32, low = F : f32}, with 2 buckets or more, low < high",
        ),
    ],
)
def test_an_error_lists_everything_that_is_expected(
    name: str, mark: str, body: str, message: str
) -> None:
    arguments = f"%table: memref<?xf32> {{{mark}}}, %x: f32"
    context = make_context()
    module = ir.Module.parse(
        f"func.func @entry({arguments}) attributes {{sparsecore.entry}} {body}", context
    )
    found: list[Diagnostic] = []
    with pytest.raises((ir.MLIRError, PassFailure)), capture(context, found.append):
        run_pipeline(module, name)
    assert found[0].message == message
