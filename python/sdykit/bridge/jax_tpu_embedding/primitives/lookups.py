"""The library's lookups: `sparse_dense_matmul_csr`, and an error for the local one."""

from __future__ import annotations

from functools import partial
from types import ModuleType
from typing import Any

import jax
from jax.extend.core import Primitive

from sdykit.bridge.embedding.primitives.inputs import gather_inputs, spec_fields
from sdykit.bridge.embedding.primitives.lookup import sum_rows
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.jax_tpu_embedding.primitives.common import (
    COMMON,
    check_rows,
    lower_on_cpus,
    make_source,
    of_table,
)
from sdykit.bridge.jax_tpu_embedding.primitives.labels import label_of, name_calls
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.tile.spec import LookupSpec


def register(module: ModuleType) -> None:
    """Lower the lookup for CPUs."""
    primitive = module.tpu_sparse_dense_matmul_csr_primitive
    lower_on_cpus(primitive, _csr, known=lambda context: {"label": label_of(context)})
    name_calls(primitive)


def register_local(module: ModuleType) -> None:
    """Replace XLA's error for the lookup without row pointers, which is not available.

    No published version of the library has it, or a description of its buffers: where a
    SparseCore's entries end, and what its ids and samples are relative to.
    """
    for each in vars(module).values():
        if isinstance(each, Primitive):
            lower_on_cpus(each, partial(_refuse, each.name))


def _refuse(where: str, *_: Any, **__: Any) -> Any:
    raise BridgeError(
        f"{where}: a lookup without row pointers cannot be compiled for CPU devices, since its "
        "buffers are not described in any published version of jax-tpu-embedding; expected "
        "sparse_dense_matmul_csr"
    )


def _csr(
    *operands: Any,
    device_batch_size: int,
    max_ids_per_partition: int,
    max_unique_ids_per_partition: int,
    quantization_config: tuple[float, float, int] | None = None,
    enable_minibatching: bool = False,
    label: str = "",
    **_: Any,
) -> jax.Array:
    """Look up rows; parameters without a name here do not change the result on a CPU."""
    where = "sparse_dense_matmul_csr"
    buffers, table = operands[:COMMON], operands[COMMON]
    source = make_source(where, buffers, samples=device_batch_size, minibatches=enable_minibatching)
    source = of_table(source, table, label)
    check_rows(where, "embedding_table", table, source.settings.sparse_cores)
    rows = table if table.ndim == 2 else table.reshape(-1, 1)
    quantization = None
    if quantization_config is not None:
        low, high, buckets = quantization_config
        quantization = Quantization(float(low), float(high), int(buckets))
    spec = LookupSpec(
        dim=rows.shape[1],
        quantization=quantization,
        max_ids_per_partition=int(max_ids_per_partition),
        max_unique_ids_per_partition=int(max_unique_ids_per_partition),
        **spec_fields(source),
    )
    inputs = gather_inputs(
        source.axes,
        spec,
        source.arrays,
        source.gains,
        is_folded=source.is_folded,
        where=source.where,
    )
    inputs = {**inputs, "table": rows}
    activations = sum_rows(source.axes, spec, inputs, where=source.where, label=label)
    return activations.reshape(device_batch_size, *table.shape[1:])
