"""A mixture of experts in manual regions, and the gradient of its loss.

Tokens are routed to experts that live on the `data` axis: an outer manual region over
`data` exchanges them by all-to-all. Each expert is split over `model`: an inner manual
region over `model` computes its part and sums. Around the regions, propagation decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from examples.models.program import MESH, Program, f32

Tree = dict[str, Any]


@dataclass(frozen=True)
class Config:
    """The sizes of the model."""

    layers: int = 2
    batch: int = 64
    """Tokens in a batch."""
    width: int = 16
    hidden: int = 32
    experts_per_device: int = 2
    capacity: int = 8
    """The maximum tokens that a device sends to each expert; the rest skip the experts."""

    @property
    def experts(self) -> int:
        """The number of experts."""
        return self.experts_per_device * MESH.shape["data"]


def program(config: Config | None = None) -> Program:
    """Return the function `(params, tokens) -> (loss, gradients)`."""
    config = config or Config()
    shapes, specs = layer(config)
    return Program(
        jax.value_and_grad(partial(loss_of, config)),
        ([shapes] * config.layers, f32(config.batch, config.width)),
        in_shardings=([specs] * config.layers, P("data", None)),
    )


def layer(config: Config) -> tuple[Tree, Tree]:
    """Return the shapes of the parameters of a layer, and their specs."""
    shapes = {
        "router": f32(config.width, config.experts),
        "up": f32(config.experts, config.width, config.hidden),
        "down": f32(config.experts, config.hidden, config.width),
    }
    specs = {
        "router": P(None, None),
        "up": P("data", None, "model"),
        "down": P("data", "model", None),
    }
    return shapes, specs


def loss_of(config: Config, layers: list[Tree], tokens: jax.Array) -> jax.Array:
    """Return the loss of reconstructing the tokens; `tokens` is f32[batch, width], the loss f32[]."""
    x = tokens
    for params in layers:
        x = x + expert_layer(config, params, x)
    return jnp.mean((x - tokens) ** 2)


def expert_layer(config: Config, params: Tree, x: jax.Array) -> jax.Array:
    """Route f32[batch, width] through the experts; manual over `data`, free over `model`."""
    return jax.shard_map(
        partial(_routed, config),
        mesh=MESH,
        in_specs=(P(), P("data"), P("data"), P("data")),
        out_specs=P("data"),
        axis_names={"data"},
    )(params["router"], params["up"], params["down"], x)


def _routed(
    config: Config, router: jax.Array, up: jax.Array, down: jax.Array, x: jax.Array
) -> jax.Array:
    """Send the tokens of a device to their experts and back; `x` is f32[tokens, width]."""
    gates = jax.nn.softmax(x @ router)
    expert = jnp.argmax(gates, axis=-1)
    chosen = jax.nn.one_hot(expert, config.experts)
    place = jnp.cumsum(chosen, axis=0) * chosen - 1.0
    dispatch = jax.nn.one_hot(place.astype(jnp.int32), config.capacity) * chosen[..., None]
    sent = jnp.einsum("tec,td->ecd", dispatch, x)
    received = jax.lax.all_to_all(sent, "data", split_axis=0, concat_axis=1, tiled=True)
    answered = _experts(up, down, received)
    returned = jax.lax.all_to_all(answered, "data", split_axis=1, concat_axis=0, tiled=True)
    weight = jnp.sum(gates * chosen, axis=-1, keepdims=True)
    return jnp.einsum("tec,ecd->td", dispatch, returned) * weight


def _experts(up: jax.Array, down: jax.Array, tokens: jax.Array) -> jax.Array:
    """Apply each expert to its tokens f32[experts, tokens, width]; manual over `model`."""

    @jax.checkpoint
    def part(up: jax.Array, down: jax.Array, tokens: jax.Array) -> jax.Array:
        hidden = jax.nn.silu(jnp.einsum("ecd,edh->ech", tokens, up))
        return jax.lax.psum(jnp.einsum("ech,ehd->ecd", hidden, down), "model")

    return jax.shard_map(
        part,
        in_specs=(P(None, None, "model"), P(None, "model", None), P()),
        out_specs=P(),
        axis_names={"model"},
    )(up, down, tokens)
