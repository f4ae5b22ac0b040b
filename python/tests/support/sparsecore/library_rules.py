"""jax-tpu-embedding's own update rules, run by StableHLO's reference interpreter.

Its primitives lower to custom calls that only a TPU has, but each has the update of a row as a
function. The interpreter rounds every operation to float32, as the function is written; XLA's CPU
backend would contract and reassociate.
"""

from __future__ import annotations

import functools
import importlib
import re
from typing import Any

import jax
import numpy as np

from sdykit.mlir import ir, make_context, stablehlo

PACKAGE = "jax_tpu_embedding.sparsecore.lib.core.primitives"

LANES = 64
"""The number of elements that a rule updates at once."""


def library_update(
    name: str, arrays: list[np.ndarray], scalars: list[np.generic], **options: Any
) -> list[np.ndarray]:
    """Return table and slots after the library's update of an optimizer.

    Args:
        name: the name of the optimizer.
        arrays: gradient, table and slots, float32 `[LANES]`.
        scalars: the hyperparameters, in the library's order.
        **options: other parameters of the primitive.
    """
    kinds = tuple(scalar.dtype.str for scalar in scalars)
    module_text = _rule(name, len(arrays), kinds, tuple(sorted(options.items())))
    operands = [array.reshape(1, LANES) for array in arrays]
    operands += [np.full((1, LANES), scalar) for scalar in scalars]
    with make_context() as context, ir.Location.unknown():
        stablehlo.register_interpreter_dialect(context)
        module = ir.Module.parse(module_text)
        attributes = [_dense(operand) for operand in operands]
        results = stablehlo.eval_module(module, attributes)
        return [np.array(result).reshape(LANES).astype(np.float32) for result in results]


def _dense(array: Any) -> ir.DenseElementsAttr:
    if array.dtype == bool:  # the bindings want bits, packed
        kind = ir.IntegerType.get_signless(1)
        return ir.DenseElementsAttr.get_splat(
            ir.RankedTensorType.get(array.shape, kind), ir.BoolAttr.get(bool(array.flat[0]))
        )
    return ir.DenseElementsAttr.get(array)


@functools.cache
def _rule(
    name: str, arrays: int, kinds: tuple[str, ...], options: tuple[tuple[str, Any], ...]
) -> str:
    """Return the text of a module whose main function is the library's update."""
    module = importlib.import_module(f"{PACKAGE}.sparse_dense_matmul_grad_with_{name}")
    primitive = getattr(module, f"tpu_sparse_dense_matmul_grad_with_{name}_primitive")
    integers = [jax.ShapeDtypeStruct((size,), np.int32) for size in (32, 64, 64)]
    table = jax.ShapeDtypeStruct((16, LANES), np.float32)
    operands = [
        *integers,
        jax.ShapeDtypeStruct((64,), np.float32),
        jax.ShapeDtypeStruct((), np.int32),
        *[table] * (arrays - 1),
        jax.ShapeDtypeStruct((8, LANES), np.float32),
        *[jax.ShapeDtypeStruct((), np.dtype(kind)) for kind in kinds],
    ]

    def call(*operands: Any) -> Any:
        return primitive.bind(
            *operands, max_ids_per_partition=8, max_unique_ids_per_partition=8, **dict(options)
        )

    text = jax.jit(call).trace(*operands).lower(lowering_platforms=("tpu",)).as_text()
    body = text[text.index("func.func private") :]
    body = body[: body.index("\n  }\n")]
    # The interpreter has no tuples: the function returns its elements instead.
    body = re.sub(r"func.func private @\w+", "func.func public @main", body)
    body = re.sub(r"tuple<([^()]*)> \{", r"(\1) {", body)
    (elements,) = re.findall(r"stablehlo.tuple (.*) : tuple<(.*)>", body)
    body = re.sub(r"\n.*stablehlo.tuple .*", "", body)
    body = re.sub(r"return .*", f"return {elements[0]} : {elements[1]}", body)
    return f"module {{\n{body}\n}}\n}}"
