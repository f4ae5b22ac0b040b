"""Compare training steps of jax-tpu-embedding with minibatching in default and in fitting buffers.

    python benchmarks/minibatch_buffers.py --devices 1
    python benchmarks/minibatch_buffers.py --devices 4 --runs 20

The library's default buffers have room for 64 full minibatches; `suggested_coo_buffer_size_per_device`
reduces them to the size of a batch. The steps take turns. The table has the medians of the times of
preprocessing, of the transfer of buffers to the devices, and of the jitted lookup and update, in ms.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

ROWS, WIDTH, BATCH, VALENCY, LIMIT = 100_000, 32, 4096, 8, 512
STAGES = ("preprocess", "put", "step")


def main() -> None:
    """Time the steps, and print a row for each kind of buffers."""
    parser = argparse.ArgumentParser(description="Minibatches in default and fitting buffers.")
    parser.add_argument("--devices", type=int, default=1, help="CPU devices")
    parser.add_argument("--runs", type=int, default=15, help="steps of each kind")
    arguments = parser.parse_args()
    count = f"--xla_force_host_platform_device_count={arguments.devices}"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {count}"
    steps = {
        name: make_step(arguments.devices, fits=fits)
        for name, fits in (("fitting", True), ("default", False))
    }
    times: dict[str, list[tuple[float, ...]]] = {name: [] for name in steps}
    for run in range(arguments.runs + 3):
        for name, step in steps.items():
            found = step()
            if run >= 3:
                times[name].append(found)
    print(f"{'':10}" + "".join(f"{stage:>12}" for stage in (*STAGES, "all")))
    for name, rows in times.items():
        medians = [1e3 * statistics.median(column) for column in zip(*rows, strict=True)]
        total = 1e3 * statistics.median(map(sum, rows))
        print(f"{name:10}" + "".join(f"{value:12.2f}" for value in (*medians, total)))


def make_step(devices: int, *, fits: bool) -> Callable[[], tuple[float, ...]]:
    """Return a function that runs a step and returns the seconds of its stages."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec
    from jax_tpu_embedding.sparsecore.lib.nn import embedding

    mesh = Mesh(np.array(jax.devices()), ("x",))
    features = make_features(devices, fits=fits)
    embedding.prepare_feature_specs_for_training(features, global_device_count=devices)
    tables = embedding.init_embedding_variables(
        jax.random.key(0),
        embedding.get_table_specs(features),
        NamedSharding(mesh, PartitionSpec("x", None)),
        num_sparsecore_per_device=4,
    )
    sharding = NamedSharding(mesh, PartitionSpec("x"))
    gradients = jax.device_put(jnp.ones((BATCH, WIDTH)), sharding)
    ids = np.random.default_rng(0).integers(0, ROWS, (BATCH, VALENCY), dtype=np.int32)
    train = compile_step(mesh, features)
    held = [tables]
    shardings = input_specs(embedding, sharding, NamedSharding(mesh, PartitionSpec()))

    def timed() -> tuple[float, ...]:
        start = time.perf_counter()
        inputs, _ = embedding.preprocess_sparse_dense_matmul_input(
            {"feature": ids},
            None,
            features,
            local_device_count=devices,
            global_device_count=devices,
            num_sc_per_device=4,
            enable_minibatching=True,
        )
        done = time.perf_counter()
        put = jax.block_until_ready(jax.device_put(inputs, shardings))
        there = time.perf_counter()
        held[0] = jax.block_until_ready(train(held[0], put, gradients))
        return done - start, there - done, time.perf_counter() - there

    return timed


def make_features(devices: int, *, fits: bool) -> dict[str, Any]:
    """Return a feature of one table; its buffers have the size of the batch if `fits`."""
    import jax
    from jax_tpu_embedding.sparsecore.lib.nn import embedding_spec

    entries = BATCH * VALENCY // devices
    table = embedding_spec.TableSpec(
        name="table",
        vocabulary_size=ROWS,
        embedding_dim=WIDTH,
        initializer=jax.nn.initializers.normal(0.1),
        optimizer=embedding_spec.AdagradOptimizerSpec(0.1),
        combiner="sum",
        max_ids_per_partition=LIMIT // devices,
        max_unique_ids_per_partition=LIMIT // devices,
        suggested_coo_buffer_size_per_device=3 * entries if fits else None,
    )
    feature = embedding_spec.FeatureSpec(
        name="feature",
        table_spec=table,
        input_shape=(BATCH, VALENCY),
        output_shape=(BATCH, WIDTH),
    )
    return {"feature": feature}


def compile_step(mesh: Any, features: dict[str, Any]) -> Callable[[Any, Any, Any], Any]:
    """Return the jitted training step, which updates the tables that it is given in place."""
    import jax
    from jax.sharding import PartitionSpec
    from jax_tpu_embedding.sparsecore.lib.nn import embedding

    def step(tables: Any, inputs: Any, gradients: Any) -> Any:
        found: Any = embedding.tpu_sparse_dense_matmul(
            inputs, tables, features, global_device_count=mesh.size, enable_minibatching=True
        )
        given = {"feature": gradients + 1e-3 * found["feature"]}
        return embedding.tpu_sparse_dense_matmul_grad(
            given, inputs, tables, features, enable_minibatching=True
        )

    split = PartitionSpec("x")
    specs = (split, input_specs(embedding, split), split)
    mapped = jax.shard_map(step, mesh=mesh, in_specs=specs, out_specs=split, check_vma=False)
    return jax.jit(mapped, donate_argnums=0)


def input_specs(embedding: Any, split: Any, same: Any = None) -> Any:
    """Return the specs or shardings of the library's inputs: `split`, and `same` for scalars."""
    from jax.sharding import PartitionSpec

    return embedding.PreprocessedInput(split, PartitionSpec() if same is None else same)


if __name__ == "__main__":
    main()
