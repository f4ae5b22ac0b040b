"""A model on all devices: its state, and one step of training.

Every device has its part of the batch and of the tables; the dense layers are the same on all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from examples.click_model.data import Clicks
from examples.click_model.embeddings import AXIS, INITIALIZER, features_of
from examples.click_model.model import Params, init_params, log_odds, losses
from sdykit.bridge.pipelining import Pipeline
from sdykit.sparsecore import Embedding, pipelined

DENSE_OPTIMIZER = optax.adam(0.003)


class State(NamedTuple):
    """The arrays that training changes."""

    params: Params
    optimizer: optax.OptState
    tables: Any
    """The variables of `Embedding`, split over the devices; empty for the dense-only model."""


class Inputs(NamedTuple):
    """A batch on the devices."""

    numeric: jax.Array
    labels: jax.Array
    ids: Any
    """The batch of `Embedding.preprocess`."""
    rows: Any = ()
    """The rows of the ids, where a kernel looks them up."""


_SAME: Any = P()
STATE_SPECS: Any = State(_SAME, _SAME, P(AXIS))


@dataclass(frozen=True)
class Learner:
    """A model on the devices of a mesh; dense only if it has no embedding."""

    mesh: Mesh
    width: int
    """Number of floats of an embedding, and of the output of the bottom MLP."""
    embedding: Embedding | None = None

    def init(self, seed: int) -> State:
        """Return the state of a new model."""
        count = len(self.embedding.features) if self.embedding else 0
        same = NamedSharding(self.mesh, P())
        params = init_params(np.random.default_rng(seed), count, self.width)
        params = jax.device_put(params, same)
        optimizer = jax.jit(DENSE_OPTIMIZER.init, out_shardings=same)(params)
        key = jax.random.key(seed)
        tables = self.embedding.init(key, INITIALIZER) if self.embedding else {}
        return State(params, optimizer, tables)

    def inputs(self, clicks: Clicks) -> Inputs:
        """Return a batch on the devices. The host makes it while they work on the one before."""
        split = NamedSharding(self.mesh, P(AXIS))
        numeric, labels = jax.device_put((clicks.numeric, clicks.labels), split)
        ids = self.embedding.preprocess(features_of(clicks.ids)) if self.embedding else {}
        return Inputs(numeric, labels, ids)

    def compiled_step(self, state: State, inputs: Inputs) -> Any:
        """Compile `(state, inputs) -> (state, log odds)` for arrays like these.

        The state is updated in place; the log odds are those before the update.
        """
        whole = jax.shard_map(
            self._step,
            mesh=self.mesh,
            in_specs=(STATE_SPECS, P(AXIS)),
            out_specs=(STATE_SPECS, P(AXIS)),
        )
        return jax.jit(whole, donate_argnums=0).lower(state, inputs).compile()

    def compiled_predict(self, state: State, inputs: Inputs) -> Any:
        """Compile `(state, inputs) -> log odds` for arrays like these."""
        whole = jax.shard_map(
            self._predict, mesh=self.mesh, in_specs=(STATE_SPECS, P(AXIS)), out_specs=P(AXIS)
        )
        return jax.jit(whole).lower(state, inputs).compile()

    def pipeline(self) -> Pipeline:
        """Return pipelined steps; their carry is `(params, optimizer)`, their outputs are log odds.

        Raises:
            BridgeError: the model has no embedding.
        """
        dense = jax.shard_map(
            self._dense,
            mesh=self.mesh,
            in_specs=(_SAME, P(AXIS), P(AXIS)),
            out_specs=(_SAME, P(AXIS), P(AXIS)),
        )
        return pipelined(self.embedding, dense)  # type: ignore[arg-type]

    def _step(self, state: State, inputs: Inputs) -> tuple[State, jax.Array]:
        """Return the state after this device's part of a batch, and the log odds before."""
        embedding = self.embedding
        embeddings = embedding.lookup(state.tables, inputs.ids) if embedding else {}
        return self._learn(state, inputs, embeddings)

    def _learn(
        self, state: State, inputs: Inputs, embeddings: dict[str, jax.Array]
    ) -> tuple[State, jax.Array]:
        """Return what `_step` does, by the embeddings of this device's part of a batch."""
        embedding, ids = self.embedding, inputs.ids
        (params, optimizer), of_embeddings, logits = self._dense(
            (state.params, state.optimizer), embeddings, (inputs.numeric, inputs.labels)
        )
        tables = embedding.update(state.tables, ids, of_embeddings) if embedding else {}
        return State(params, optimizer, tables), logits

    def _dense(
        self, carry: Any, embeddings: dict[str, jax.Array], inputs: tuple[jax.Array, jax.Array]
    ) -> tuple[Any, dict[str, jax.Array], jax.Array]:
        """Return the carry after a batch, the gradients of the embeddings, and the log odds before."""
        (old, optimizer), (numeric, labels) = carry, inputs

        def loss(params: Params, embeddings: dict[str, jax.Array]) -> tuple[jax.Array, jax.Array]:
            logits = log_odds(params, numeric, embeddings)
            return losses(logits, labels).sum(), logits

        slopes, logits = jax.grad(loss, argnums=(0, 1), has_aux=True)(old, embeddings)
        of_params, of_embeddings = slopes
        # `shard_map` has summed the gradients of the layers, which all devices share. The tables take
        # a sum as well: with a mean over the batch, the few samples of a row would hardly count.
        samples = logits.size * self.mesh.size
        of_params = jax.tree.map(lambda gradient: gradient / samples, of_params)
        changes, optimizer = DENSE_OPTIMIZER.update(of_params, optimizer)
        return (optax.apply_updates(old, changes), optimizer), of_embeddings, logits

    def _predict(self, state: State, inputs: Inputs) -> jax.Array:
        embedding = self.embedding
        embeddings = embedding.lookup(state.tables, inputs.ids) if embedding else {}
        return log_odds(state.params, inputs.numeric, embeddings)
