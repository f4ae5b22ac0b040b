"""Learn sonnets by heart: a next-word model with the flax layer of jax-tpu-embedding.

Every word has a row in an embedding table, which is on the SparseCores of all devices. The model
reads the rows of a few words and predicts the next word. Nothing here depends on the kind of device.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any, Final

import flax.linen as nn
import jax
import numpy as np
import optax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
from jax_tpu_embedding.sparsecore.lib.flax.linen.embed import SparseCoreEmbed
from jax_tpu_embedding.sparsecore.lib.flax.linen.embed_optimizer import (
    apply_updates_for_sc_model,
    create_optimizer_for_sc_model,
)
from jax_tpu_embedding.sparsecore.lib.nn import embedding, embedding_spec
from jax_tpu_embedding.sparsecore.utils import utils

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from examples.jax_tpu_embedding_on_cpu.sonnets import TEXT, Corpus, Words

AXIS: Final = "chips"
"""The axis of the mesh, over all devices."""
CONTEXT: Final = 3
"""Number of words that the model reads."""
BATCH: Final = 256
"""Number of windows of a step, over all devices."""
WIDTH: Final = 16
"""Number of floats of a row."""
GOAL: Final = 0.1
"""The loss to reach, in nats per word."""


class NextWord(nn.Module):
    """A model of the log odds of the next word, `[windows, vocabulary]`."""

    words: SparseCoreEmbed
    vocabulary: int

    @nn.compact
    def __call__(self, looked_up: embedding.PreprocessedInput) -> jax.Array:
        vectors: Any = self.words(looked_up)  # as the feature specs: a list of one feature
        context = vectors[0].reshape(-1, CONTEXT * WIDTH)
        hidden = nn.relu(nn.Dense(128)(context))
        return nn.Dense(self.vocabulary)(hidden)


def make_layer(vocabulary: int) -> SparseCoreEmbed:
    """Return a layer of one table, in which each word of each window is looked up."""
    devices, cores = jax.device_count(), utils.num_sparsecores_per_device()
    # The ids of each pair of SparseCores are padded to a multiple of 8.
    padding = 8 * cores * cores * devices
    table = embedding_spec.TableSpec(
        name="words",
        vocabulary_size=vocabulary,
        embedding_dim=WIDTH,
        initializer=jax.nn.initializers.normal(0.1),
        optimizer=embedding_spec.AdagradOptimizerSpec(learning_rate=0.1),
        combiner="sum",
        max_ids_per_partition=BATCH * CONTEXT,
        max_unique_ids_per_partition=vocabulary,
        suggested_coo_buffer_size_per_device=BATCH * CONTEXT // devices + padding,
    )
    feature = embedding_spec.FeatureSpec(
        name="context",
        table_spec=table,
        input_shape=(BATCH * CONTEXT, 1),
        output_shape=(BATCH * CONTEXT, WIDTH),
    )
    embedding.prepare_feature_specs_for_training([feature], devices)
    return SparseCoreEmbed(feature_specs=[feature], sharding_axis=AXIS)


def inputs_of(layer: SparseCoreEmbed, step: int, windows: Words) -> Any:
    """Return windows `[BATCH, CONTEXT]`, preprocessed on the host, on the devices."""
    features = [windows.reshape(-1, 1)]
    split = NamedSharding(layer.mesh, P(AXIS))
    return jax.device_put(layer.preprocess_inputs(step, features, None), split)


def loss_of(model: NextWord, params: Any, inputs: Any, following: Any) -> jax.Array:
    """Return the mean cross entropy of a batch, in nats."""
    logits: Any = model.apply(params, inputs)
    return optax.softmax_cross_entropy_with_integer_labels(logits, following).mean()


def train(model: NextWord, corpus: Corpus, steps: int) -> Any:
    """Train on random windows of the corpus; return the parameters and the last loss."""
    windows, following = corpus.windows(CONTEXT)
    random = np.random.default_rng(0)
    params = model.init(jax.random.key(0), inputs_of(model.words, 0, windows[:BATCH]))
    optimizer = create_optimizer_for_sc_model(params, optax.adam(0.003))
    state = optimizer.init(params)

    @partial(jax.jit, donate_argnums=(0, 1))
    def learn(params: Any, state: Any, inputs: Any, following: Any) -> Any:
        loss, slopes = jax.value_and_grad(partial(loss_of, model))(params, inputs, following)
        # The "gradient" of a table is the table after the step of its own optimizer.
        changes, state = optimizer.update(slopes, state, params)
        return apply_updates_for_sc_model(params, changes), state, loss

    losses: list[float] = []
    started = time.perf_counter()
    for step in range(1, steps + 1):
        chosen = random.permutation(len(windows))[:BATCH]
        inputs = inputs_of(model.words, step, windows[chosen])
        params, state, loss = learn(params, state, inputs, following[chosen])
        losses.append(float(loss))
        if step % 30 == 0:
            seconds = time.perf_counter() - started
            print(f"step {step}: loss {losses[-1]:.4f}, {seconds:.1f} s", flush=True)
    return params, losses[-1]


def recite(model: NextWord, params: Any, first: Words, length: int) -> Words:
    """Return a window and the words that the model predicts after it, one at a time."""
    predict: Any = jax.jit(model.apply)
    words = list(first)
    for step in range(length):
        windows = np.tile(np.array(words[-CONTEXT:], np.int32), (BATCH, 1))
        logits = predict(params, inputs_of(model.words, step, windows))
        words.append(int(logits[0].argmax()))
    return np.array(words)


def main() -> int:
    """Train, recite, and return whether the loss missed the goal."""
    parser = argparse.ArgumentParser(description="Learn three sonnets by heart.")
    parser.add_argument("--steps", metavar="N", type=int, default=150, help="default: 150")
    steps = parser.parse_args().steps
    if steps < 1:
        parser.error(f"argument --steps: found {steps}; expected a positive integer")
    corpus = Corpus.of(TEXT)
    layer = make_layer(len(corpus.vocabulary))
    print(
        f"{len(corpus.words)} words, {len(corpus.vocabulary)} different; "
        f"{layer.mesh.size} devices x {layer.num_sc_per_device} SparseCores"
    )
    model = NextWord(layer, len(corpus.vocabulary))
    params, loss = train(model, corpus, steps)
    print(corpus.spelled(recite(model, params, corpus.words[:CONTEXT], 32)))
    print(f"loss {loss:.4f}, expected below {GOAL}")
    return int(loss >= GOAL)


if __name__ == "__main__":
    sys.exit(main())
