"""Tables of the library that no chip can hold."""

from __future__ import annotations

from pathlib import Path

from support.jax_tpu_embedding.plugin_programs import run_with_plugin, start_with_plugin

PROGRAM = """
import jax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from jax_tpu_embedding.sparsecore.lib.nn import embedding, embedding_spec

def feature(name, optimizer, rows):
    table = embedding_spec.TableSpec(
        name=name, vocabulary_size=rows, embedding_dim=64, combiner="sum",
        initializer=jax.nn.initializers.zeros, optimizer=optimizer,
    )
    return embedding_spec.FeatureSpec(
        name=f"of {name}", table_spec=table, input_shape=(64, 2), output_shape=(64, 64)
    )

mesh = Mesh(jax.devices(), ["x"])
features = [
    feature("users", embedding_spec.SGDOptimizerSpec(0.1), ROWS),
    feature("items", embedding_spec.AdagradOptimizerSpec(0.1), ROWS),
]
embedding.prepare_feature_specs_for_training(features, mesh.size)
made = embedding.init_embedding_variables(
    jax.random.key(0), embedding.get_table_specs(features), NamedSharding(mesh, P("x", None))
)
print(*sorted(made))
"""
TWO_V6E = {"SDYKIT_CHIP": "v6e", "JAX_NUM_CPU_DEVICES": "2"}


def test_tables_that_do_not_fit_together_are_an_error(tmp_path: Path) -> None:
    """Each of the three arrays of 24 GiB does, on two devices of 32 GiB."""
    program = PROGRAM.replace("ROWS", str(96 * 2**20))
    done = start_with_plugin(tmp_path, program, **TWO_V6E)
    assert done.returncode == 1
    each, rows, stack = 12 * 2**30, 48 * 2**20, 3 * 64 * 256 * 2 * 4
    assert (
        "SparseCoreError: init_embedding_variables: Ran out of memory in HBM: "
        f"{3 * each + 2 * stack} bytes are needed on each device, and a device of chip v6e has "
        f"{32 * 2**30}. The largest: items: table {each} (float32[{rows},64]); "
        f"items: slot 1 of 1 {each} (float32[{rows},64]); users: table {each} (float32[{rows},64]); "
        f"items: HBM stack of the update {stack} (3 * 64 (feature_width) * 256 "
    ) in done.stderr


def test_tables_that_fit_are_made(tmp_path: Path) -> None:
    program = PROGRAM.replace("ROWS", "1000")
    assert run_with_plugin(tmp_path, program, **TWO_V6E) == "items users\n"
