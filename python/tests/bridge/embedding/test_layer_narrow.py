"""Tables of narrow rows, on a chip that does not pad them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import numpy as np

import sdykit.sparsecore as sc
from sdykit.sparsecore.optimizers import Adagrad

WIDTHS = {"a": 1, "b": 5, "c": 13}
BATCH = 16


FEATURES = [
    sc.FeatureSpec(name, sc.TableSpec(name, 100, width, Adagrad(0.5)), BATCH)
    for name, width in WIDTHS.items()
]


def train(chip: str) -> tuple[dict[str, Any], dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the shapes of the tables on the device, the tables, and the last activations."""
    layer = sc.Embedding(FEATURES, chip=chip)
    variables = layer.init(jax.random.key(0), jax.nn.initializers.normal(1.0))
    rng = np.random.default_rng(0)
    found: dict[str, jax.Array] = {}
    for _ in range(2):
        ids = {name: rng.integers(0, 100, (BATCH, 3)) for name in WIDTHS}
        batch = layer.preprocess(ids)
        found = layer.lookup(variables, batch)
        variables = layer.update(variables, batch, found, 0)
    shapes = {name: each["table"].shape for name, each in variables.items()}
    return shapes, layer.tables(variables), {name: np.asarray(found[name]) for name in WIDTHS}


def test_a_row_of_width_1_takes_4_bytes_where_the_chip_allows_it(tmp_path: Path) -> None:
    """With padding it takes 32; slots are as large."""
    narrow = tmp_path / "narrow.toml"
    narrow.write_text('base = "v5p"\nrow_alignment_bytes = 4\n')
    for chip, bytes_of_row in (("v5p", 32), (str(narrow), 4)):
        layer = sc.Embedding(FEATURES[:1], chip=chip)
        variables = layer.init(jax.random.key(0), jax.nn.initializers.zeros)["a"]
        for array in jax.tree.leaves(variables):
            assert array.nbytes == 128 * bytes_of_row


def test_limits_of_the_command_are_those_of_the_layer(tmp_path: Path) -> None:
    """Tables of other widths share no stack if rows are not padded."""
    narrow, data, path = (tmp_path / name for name in ("narrow.toml", "data.npz", "limits.json"))
    narrow.write_text('base = "v5p"\nrow_alignment_bytes = 4\n')
    ids = {name: np.arange(BATCH)[:, None] for name in WIDTHS}
    np.savez(data, allow_pickle=False, **ids)
    tables = [f"--table={name}=100x{width}" for name, width in WIDTHS.items()]
    options = [f"--batch-size={BATCH}", f"--chip={narrow}", f"--output={path}"]
    command = [sys.executable, "-m", "sdykit.cli", "limits", str(data), *tables, *options]
    subprocess.run(command, check=True, capture_output=True)
    config = sc.SparsecoreConfig(xla_sparse_core_max_ids_file=str(path))
    layer = sc.Embedding(FEATURES, chip=str(narrow), config=config)
    assert [(each.name, each.max_ids_per_partition) for each in layer.stacks] == [
        ("a", 1),
        ("b", 1),
        ("c", 1),
    ]
    layer.preprocess(ids)


def test_without_alignment_rows_are_as_wide_as_the_table(tmp_path: Path) -> None:
    narrow = tmp_path / "narrow.toml"
    narrow.write_text('base = "v5p"\nrow_alignment_bytes = 4\n')
    shapes, tables, found = train(str(narrow))
    assert shapes == {"a": (128, 1), "b": (128, 5), "c": (128, 13)}
    padded_shapes, padded_tables, expected = train("v5p")
    assert padded_shapes == {"a_b": (256, 8), "c": (128, 16)}
    for name, width in WIDTHS.items():
        assert found[name].shape == (BATCH, width)
        assert np.array_equal(found[name], expected[name])
        assert np.array_equal(tables[name], padded_tables[name])
