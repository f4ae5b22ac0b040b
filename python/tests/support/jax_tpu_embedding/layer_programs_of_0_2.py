"""What jax-tpu-embedding has since 0.2.0, on several CPU devices; used like `layer_programs.py`."""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import jax
import numpy as np
import optax
from jax.sharding import Mesh
from jax_tpu_embedding.sparsecore.lib.flax.nnx import embed
from jax_tpu_embedding.sparsecore.lib.nn import embedding_spec
from jax_tpu_embedding.sparsecore.utils import utils

from support.jax_tpu_embedding import layer_cases as cases
from support.jax_tpu_embedding import layer_programs as programs
from support.jax_tpu_embedding.layer_runs import run

ADAGRAD_ONLY = {name: cases.FEATURES[name] for name in ("liked", "seen", "who", "made by")}
"""The library restores slots on other devices if all tables have the same ones."""


class Training:
    """A model, its optimizer and a step, on the devices of a mesh."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self.features = cases.make_features(mesh, ADAGRAD_ONLY)
        self.model = programs.NnxModel(self.features, mesh, ADAGRAD_ONLY)
        self.optimizer = embed.PartitionedOptimizer(self.model, optax.sgd(cases.RATE))
        self.step = programs.nnx_step(self.model, self.optimizer, mesh)
        self.topology = {
            "num_global_devices": mesh.size,
            "num_sc_per_device": utils.num_sparsecores_per_device(),
        }

    def learn(self, seed: int) -> float:
        """Take one step on a batch of this seed, and return the loss before it."""
        batch = cases.make_batch(seed, ADAGRAD_ONLY)
        ids, _ = cases.preprocessed(self.features, self.mesh, batch)
        return float(self.step(self.model, self.optimizer, ids, batch.target))

    def parts(self) -> Any:
        """Return the dense layer and the tables."""
        return programs.nnx_parts(self.model, self.features, self.mesh)


def checkpoints() -> None:
    """Save; go on from there on the same devices, and on half of them."""
    import orbax.checkpoint as ocp

    checkpoint_utils = import_module("jax_tpu_embedding.sparsecore.lib.flax.nnx.checkpoint_utils")
    saved = Training(programs.make_mesh())
    saved.learn(0)
    with tempfile.TemporaryDirectory() as directory:
        manager = checkpoint_utils.create_checkpoint_manager(
            cp_path=directory, cp_options=ocp.CheckpointManagerOptions()
        )
        checkpoint_utils.save_checkpoint(
            cp_manager=manager,
            step=1,
            model=saved.model,
            optimizer=saved.optimizer,
            feature_specs=saved.features,
            **saved.topology,
        )
        manager.wait_until_finished()
        same = Training(programs.make_mesh())
        checkpoint_utils.restore_checkpoint(
            cp_manager=manager, model=same.model, optimizer=same.optimizer
        )
        half = Training(Mesh(jax.devices()[: jax.device_count() // 2], [cases.AXIS]))
        checkpoint_utils.restore_cross_topology_checkpoint(
            cross_topology_checkpoint_restore_path=directory,
            model=half.model,
            optimizer=half.optimizer,
            target_feature_specs=half.features,
            **half.topology,
        )
    losses = [each.learn(1) for each in (saved, same, half)]
    np.testing.assert_allclose(losses, losses[0], rtol=1e-5)
    # The step reads Adagrad's accumulators too: all of them came along.
    cases.assert_same(same.parts(), saved.parts())
    cases.assert_same(half.parts(), saved.parts())


def stablehlo() -> None:
    """Train with Adagrad given as StableHLO."""

    def adagrad(gradient: Any, table: Any, accumulator: Any, rate: Any) -> Any:
        accumulator += gradient**2
        return table - rate * gradient / jax.numpy.sqrt(accumulator), accumulator

    names = {"liked": cases.FEATURES["liked"]}
    custom: Any = embedding_spec.CustomOptimizerSpec
    text = custom.lower_to_stablehlo(
        adagrad, embedding_dim=16, num_slot_variables=1, num_hyperparameters=1
    )
    optimizer = custom(
        learning_rate=cases.RATE,
        stablehlo=text,
        slot_variable_initializers_tuple=(jax.nn.initializers.constant(cases.ACCUMULATED),),
    )
    model, dense_optimizer, carry, parts = programs.linen_model(names, adagrad=optimizer)
    dense = cases.DenseModel(*parts(carry[0]))
    step = jax.jit(programs.linen_step(model, dense_optimizer), donate_argnums=0)
    for number in range(programs.STEPS):
        batch = cases.make_batch(number, names)
        ids = model.rows.preprocess_inputs(number, batch.ids, batch.weights)
        carry, loss = step(carry, ids, batch.target)
        np.testing.assert_allclose(loss, dense.learn(batch), rtol=1e-5)
    cases.assert_same(parts(carry[0]), (dense.weights, dense.tables))


if __name__ == "__main__":
    run({"checkpoints": checkpoints, "stablehlo": stablehlo})
