"""One of two processes that train a table together; `test_distributed` starts them.

The second has more ids than its limits allow, in all steps but the first. The results are
written for the test to compare.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from sdykit.sparsecore import Embedding, FeatureSpec, SparsecoreConfig, TableSpec
from sdykit.sparsecore.optimizers import Adagrad

DEVICES = 4
LIMIT = 12
SAMPLES = 128
STEPS = 3
CONFIG = SparsecoreConfig(max_ids_per_chip_per_sample=100)
TABLE = TableSpec(
    "t",
    300,
    8,
    Adagrad(0.1),
    max_ids_per_partition=LIMIT,
    max_unique_ids_per_partition=LIMIT,
)
FEATURES = [FeatureSpec("f", TABLE, SAMPLES)]


def make_ids(step: int) -> np.ndarray:
    """Make a batch of all devices: evenly spread ids, then many of one partition at the end."""
    ids = (np.arange(SAMPLES * 3).reshape(SAMPLES, 3) * 7 + step) % TABLE.vocabulary_size
    if step:
        ids[-16:] = np.random.default_rng(step).integers(0, 18, (16, 3)) * 16
    return ids.astype(np.int32)


def main(number: int, address: str, directory: Path) -> None:
    """Train."""
    Embedding(FEATURES)  # Sets NPROC, and starts no backend.
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(address, 2, number)
    embedding = Embedding(
        FEATURES,
        mesh=jax.make_mesh((DEVICES,), ("x",)),
        config=CONFIG,
        minibatching="vocabulary",
    )
    variables = embedding.init(jax.random.key(1), jax.nn.initializers.normal())

    def step(variables: Any, batch: Any, number: jax.Array) -> Any:
        activations = embedding.lookup(variables, batch)
        gradients = {name: each - 1 for name, each in activations.items()}
        return embedding.update(variables, batch, gradients, number), activations["f"]

    run = jax.jit(step, donate_argnums=0)
    half = SAMPLES // 2
    found: dict[str, Any] = {}
    activations: Any = None
    for count in range(STEPS):
        ids = make_ids(count)[number * half : (number + 1) * half]
        prepared = embedding.prepare({"f": ids})
        found[f"overflows_{count}"] = bool((prepared.statistics["t"].ids > LIMIT).any())
        found[f"minibatches_{count}"] = prepared.num_minibatches
        variables, activations = run(variables, embedding.put(prepared), jnp.int32(count))
    parts = sorted(activations.addressable_shards, key=lambda each: each.index[0].start)
    found["activations"] = np.concatenate([np.asarray(each.data) for each in parts])
    found["table"] = embedding.tables(variables)["t"]
    found["accumulator"] = embedding.tables(variables, "accumulator")["t"]
    np.savez(directory / f"{number}.npz", **found)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
