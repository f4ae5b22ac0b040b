"""The library's gradient with a user's own update, `sparse_dense_matmul_optimizer_grad`.

The update is a jaxpr (0.1.0) or StableHLO (0.2.0) on rows `[1, dim]`: gradient, table, slots, and
each hyperparameter as a row.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun

from sdykit.bridge.embedding.primitives.custom_update import update_text
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.jax_tpu_embedding.primitives.common import (
    COMMON,
    lower_on_cpus,
    make_source,
    of_table,
)
from sdykit.bridge.jax_tpu_embedding.primitives.gradients import run_on_tables, update_fields
from sdykit.mlir import ir, make_context
from sdykit.sparsecore.tile.rules.stablehlo import Signature
from sdykit.sparsecore.tile.spec import CustomUpdateSpec

_WHERE = "sparse_dense_matmul_optimizer_grad"
_BYTECODE = b"ML\xefR"
"""The first bytes of MLIR's bytecode."""


def register(module: ModuleType) -> None:
    """Lower the gradient for CPUs."""
    lower_on_cpus(module.tpu_sparse_dense_matmul_optimizer_grad_primitive, update)


def update(
    *operands: Any,
    num_hyperparameters: int,
    max_ids_per_partition: int,
    max_unique_ids_per_partition: int,
    computation_name: str = "",
    jaxpr: ClosedJaxpr | None = None,
    stablehlo: str | bytes | ir.Module = "",
    enable_minibatching: bool | None = None,
    **_: Any,
) -> list[jax.Array]:
    """Update table and slots.

    Args:
        *operands: the operands of the primitive.
        num_hyperparameters: the number of operands that are hyperparameters.
        max_ids_per_partition: the maximum ids; they determine how much the chip sorts.
        max_unique_ids_per_partition: the maximum unique ids; they determine how many sums of
            gradients it holds.
        computation_name: the name of the counters.
        jaxpr: the update of a row, in 0.1.0.
        stablehlo: the update of a row, in 0.2.0.
        enable_minibatching: whether the buffers hold minibatches; None in 0.1.0.
        **_: the other parameters of the primitive, which do not change the result.

    Returns:
        Table and slots after the update.

    Raises:
        BridgeError: the shape of an operand does not fit the chip or the mesh, or the update is
            not that of a table with these slots. An op without a translation is an error when the
            program is compiled.
    """
    buffers, gradients = operands[:COMMON], operands[COMMON]
    last = COMMON + 1 + num_hyperparameters
    scalars, tables = operands[COMMON + 1 : last], operands[last:]
    if jaxpr is None:
        # 0.2.0 expects results without a dimension of one column.
        tables = tuple(each.reshape(-1) if each.shape[1:] == (1,) else each for each in tables)
    source = make_source(
        _WHERE, buffers, samples=gradients.shape[0], minibatches=enable_minibatching
    )
    source = of_table(source, tables[0], computation_name)
    fields = update_fields(source, tables[0], (max_ids_per_partition, max_unique_ids_per_partition))
    slots = tuple(f"{number}" for number in range(1, len(tables)))
    scalar_names = tuple(f"hyperparameter_{number}" for number in range(num_hyperparameters))
    if jaxpr is not None:
        text = _traced(jaxpr, fields["dim"], slots, scalar_names)
    else:
        text = _text(stablehlo)
    spec = CustomUpdateSpec(stablehlo=text, slots=slots, scalars=scalar_names, **fields)
    return run_on_tables(_WHERE, source, spec, tables, gradients, scalars=scalars)


def _traced(jaxpr: ClosedJaxpr, dim: int, slots: tuple[str, ...], scalars: tuple[str, ...]) -> str:
    """Return the StableHLO of a jaxpr.

    Raises:
        BridgeError: its arguments or results are not those of an update.
    """
    found, wanted = len(jaxpr.jaxpr.invars), 2 + len(slots) + len(scalars)
    if found != wanted:
        raise BridgeError(
            f"{_WHERE}: jaxpr has {found} arguments; expected {wanted}: gradient, table, "
            f"{len(slots)} slots and {len(scalars)} hyperparameters"
        )
    return update_text(jaxpr_as_fun(jaxpr), dim, Signature(slots, scalars))


def _text(stablehlo: str | bytes | ir.Module) -> str:
    """Return StableHLO as text.

    Raises:
        BridgeError: the bytes are not a module.
    """
    if not isinstance(stablehlo, bytes):
        return str(stablehlo)
    try:
        if not stablehlo.startswith(_BYTECODE):
            return stablehlo.decode()
        with make_context():
            return str(ir.Module.parse(stablehlo))
    except (UnicodeDecodeError, ir.MLIRError) as error:
        raise BridgeError(
            f"{_WHERE}: stablehlo is {len(stablehlo)} bytes; expected text, or MLIR's bytecode "
            f"({error})"
        ) from None
