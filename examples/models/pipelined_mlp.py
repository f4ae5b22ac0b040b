"""A training step of a two-stage MLP over several microbatches.

The parts `f1` and `f2` are the two halves of the model; the second computes the loss as well.
What is outside of any part, such as the sum of the gradients and the update, goes to the mesh
that holds its operands.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P

from examples.models.pipeline import Pipeline
from examples.models.program import Program, f32
from sdykit.mpmd import Schedule, call, named_computation

Tree = dict[str, Any]


@dataclass(frozen=True)
class Config:
    """The sizes of the model."""

    microbatches: int = 4
    batch: int = 4
    width: int = 8
    hidden: int = 16
    schedule: Schedule = "none"


def pipeline(config: Config | None = None) -> Pipeline:
    """Return the step `(params, inputs, targets) -> (params, loss)` on meshes `m1` and `m2`."""
    config = config or Config()
    layer = {"up": f32(config.width, config.hidden), "down": f32(config.hidden, config.width)}
    specs = {"up": P(None, "model"), "down": P("model", None)}
    batches = f32(config.microbatches, config.batch, config.width)
    program = Program(
        partial(training_step, config.microbatches),
        ({"f1": layer, "f2": layer}, batches, batches),
        in_shardings=({"f1": specs, "f2": specs}, P(None, "data"), P(None, "data")),
        out_shardings=({"f1": specs, "f2": specs}, P()),
        mesh=AbstractMesh((2, 2), ("data", "model")),
    )
    return Pipeline(
        program,
        {"f1": "m1", "f2": "m2"},
        donated=(0,),
        schedule=config.schedule,
    )


def training_step(
    count: int, params: Tree, inputs: jax.Array, targets: jax.Array
) -> tuple[Tree, jax.Array]:
    """Gradient descent; inputs and targets are f32[count, batch, width]."""
    grads, loss = jax.tree.map(jnp.zeros_like, params), jnp.float32(0)
    for at in range(count):
        grads, loss = microbatch(params, grads, loss, inputs[at], targets[at])
    return jax.tree.map(lambda param, grad: param - 0.01 * grad, params, grads), loss


def accumulate(
    params: Tree, grads: Tree, loss: jax.Array, inputs: jax.Array, targets: jax.Array
) -> tuple[Tree, jax.Array]:
    """Add gradients and loss of one microbatch."""
    added, more = jax.value_and_grad(loss_of)(params, inputs, targets)
    return jax.tree.map(jnp.add, grads, more), loss + added


def loss_of(params: Tree, inputs: jax.Array, targets: jax.Array) -> jax.Array:
    """The mean square error of one microbatch."""
    return f2(params["f2"], f1(params["f1"], inputs), targets)


def layer(params: Tree, x: jax.Array) -> jax.Array:
    """Two dense layers with a residual."""
    return x + jnp.tanh(x @ params["up"]) @ params["down"]


def _last(params: Tree, x: jax.Array, targets: jax.Array) -> jax.Array:
    return jnp.mean(jnp.square(layer(params, x) - targets))


f1 = named_computation("f1")(layer)
f2 = named_computation("f2")(_last)
microbatch = call(accumulate)
