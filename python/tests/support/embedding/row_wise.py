"""Row-wise optimizers in a layer, on any number of devices, and what they are in float64."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

WIDTHS = {"a": 5, "b": 7, "c": 5, "d": 136}
"""Of the tables: two of one width, and one that is padded to the same."""
ROWS, BATCH, STEPS, RATE, EPSILON = 60, 64, 3, 0.5, 0.01


def mean_of_squares(g: Any, w: Any, a: Any, rate: Any) -> Any:
    """Update a row as row-wise Adagrad does, as a user would write it."""
    import jax.numpy as jnp

    a = a + jnp.mean(g * g, axis=1, keepdims=True)
    return w - rate * g / (jnp.sqrt(a) + EPSILON), a


def batches() -> list[tuple[dict[str, np.ndarray], dict[str, np.ndarray]]]:
    """Return the ids and the gradients of each step, by feature."""
    rng = np.random.default_rng(3)
    return [
        (
            {name: rng.integers(0, ROWS, (BATCH, 3)) for name in WIDTHS},
            {
                name: rng.standard_normal((BATCH, width)).astype(np.float32)
                for name, width in WIDTHS.items()
            },
        )
        for _ in range(STEPS)
    ]


def in_float64(tables: dict[str, np.ndarray]) -> dict[str, list[np.ndarray]]:
    """Return tables and accumulators after the steps."""
    found = {}
    for name, start in tables.items():
        table, a = start.astype(np.float64), np.full((ROWS, 1), 0.25)
        for ids, gradients in batches():
            g = np.zeros(table.shape)
            np.add.at(g, ids[name], gradients[name][:, None, :].astype(np.float64))
            touched = np.unique(ids[name])
            a[touched] += np.mean(g[touched] ** 2, axis=1, keepdims=True)
            table[touched] -= RATE * g[touched] / (np.sqrt(a[touched]) + EPSILON)
        found[name] = [table, a]
    return found


def check(devices: int) -> None:
    """Train both forms, save and restore in between, and compare with float64."""
    import jax

    import sdykit.sparsecore as sc
    from sdykit.sparsecore.optimizers import Custom, RowWiseAdagrad

    ours = RowWiseAdagrad(RATE, epsilon=EPSILON, initial_accumulator_value=0.25)
    users = Custom(RATE, update=mean_of_squares, row_slot_values=(("accumulator", 0.25),))
    mesh = jax.make_mesh((devices,), ("x",)) if devices > 1 else None
    for optimizer in (ours, users):
        specs = [sc.TableSpec(name, ROWS, width, optimizer) for name, width in WIDTHS.items()]
        layer = sc.Embedding([sc.FeatureSpec(each.name, each, BATCH) for each in specs], mesh=mesh)
        assert [each.name for each in layer.stacks] == ["a_c", "b", "d"]
        variables = layer.init(jax.random.key(1), jax.nn.initializers.normal(1.0))
        assert {each["slots"]["accumulator"].shape[1] for each in variables.values()} == {1}
        tables = layer.tables(variables)
        for ids, gradients in batches():
            variables = layer.update(variables, layer.preprocess(ids), gradients)
            slots = {"accumulator": layer.tables(variables, "accumulator")}
            variables = layer.from_tables(layer.tables(variables), slots)
        found, kept = layer.tables(variables), layer.tables(variables, "accumulator")
        for name, (table, a) in in_float64(tables).items():
            assert kept[name].shape == (ROWS, 1)
            np.testing.assert_allclose(found[name], table, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(kept[name], a, rtol=1e-5)
