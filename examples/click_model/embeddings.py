"""The tables: their specifications, the limits of a batch, and their first values."""

from __future__ import annotations

import dataclasses
from typing import Final

import jax
from jax.sharding import Mesh

from examples.click_model.data import ClickData, Ids
from examples.click_model.memory import GIB, available_bytes
from sdykit.sparsecore import (
    Embedding,
    FeatureSpec,
    SparsecoreConfig,
    SparseCoreError,
    TableSpec,
)
from sdykit.sparsecore.limits import LimitCounter
from sdykit.sparsecore.optimizers import Adagrad

AXIS: Final = "chips"
"""The axis of the mesh, which has all devices."""

OPTIMIZER: Final = Adagrad(0.05)

INITIALIZER: Final = jax.nn.initializers.normal(0.03)

COUNTED: Final = 8
"""The number of batches whose ids are counted for the limits."""

HEADROOM: Final = 1.5
"""The factor of the limits over the counted maximum, for other batches."""

CONFIG: Final = SparsecoreConfig(initialize_tables_on_host=False)
"""Tables are initialized on the devices: those of the large job leave no memory for a copy."""


def make_embedding(data: ClickData, width: int, batch: int, mesh: Mesh) -> Embedding:
    """Return a layer with a table and a feature for each vocabulary, and limits counted in data.

    The limits determine the size of the static buffers that SparseCores read. Since widths and
    optimizers are equal, all tables are in one stack.

    Args:
        data: the source of the ids.
        width: floats in a row.
        batch: samples in a step, over all devices.
        mesh: the devices, along `AXIS`.
    """
    features = [
        FeatureSpec(name_of(number), TableSpec(f"table{number}", rows, width, OPTIMIZER), batch)
        for number, rows in enumerate(data.vocabularies)
    ]
    embedding = Embedding(features, mesh=mesh, config=CONFIG)
    counter = LimitCounter(embedding.stacks, embedding.system)
    for number in range(COUNTED):
        counter.add(features_of(data.batch("limits", number, batch).ids))
    return dataclasses.replace(embedding, limits=counter.limits(HEADROOM))


def features_of(ids: Ids) -> dict[str, Ids]:
    """Return the features `[samples, 1]` of ids `[samples, tables]`, by name."""
    return {name_of(number): ids[:, number : number + 1] for number in range(ids.shape[1])}


def name_of(number: int) -> str:
    """Return the name of the feature that looks up a table."""
    return f"feature{number}"


def check_memory(table_bytes: int) -> None:
    """Check that tables and accumulators fit in this machine's memory.

    Raises:
        SparseCoreError: they do not fit.
    """
    needed, free = table_bytes * (1 + len(OPTIMIZER.slots)), available_bytes()
    if free is not None and needed > free:
        raise SparseCoreError(
            f"memory: tables and accumulators take {needed / GIB:.1f} GiB, and {free / GIB:.1f} "
            "GiB are free; expected fewer --tables, or a smaller --vocab or --width"
        )
