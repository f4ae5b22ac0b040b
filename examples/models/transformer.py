"""A training step of a small decoder-only transformer on a data x model mesh.

Attention heads and the hidden layer of the MLP are split over `model`, the batch over
`data`. The step computes a cross-entropy loss with dropout, its gradient, and an Adam
update whose moments are sharded like their parameters. With `experts`, every second MLP is a
mixture of experts in a manual region.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from examples.models import mixture_of_experts
from examples.models.program import Program, f32, i32
from sdykit.bridge.from_jax import group

Tree = dict[str, Any]


@dataclass(frozen=True)
class Config:
    """The sizes of the model."""

    layers: int = 2
    batch: int = 8
    length: int = 16
    width: int = 32
    heads: int = 4
    hidden: int = 64
    vocabulary: int = 128
    scan: bool = False
    """Loop over stacked layers (`stablehlo.while`) instead of writing each one out."""
    experts: bool = False
    """Make every second MLP a mixture of experts; not together with `scan`."""


OPS_PER_LAYER = 451
OPS_OUTSIDE = 487


def program(config: Config | None = None) -> Program:
    """Return the training step `(params, moments, tokens, seed) -> (params, moments, loss)`."""
    config = config or Config()
    params, specs = _parameters(config)
    moments, moment_specs = {"m": params, "v": params}, {"m": specs, "v": specs}
    return Program(
        partial(training_step, config),
        (params, moments, i32(config.batch, config.length + 1), i32()),
        in_shardings=(specs, moment_specs, P("data", None), P()),
        out_shardings=(specs, moment_specs, P()),
    )


def sized(ops: int) -> Program:
    """Return an unrolled training step whose module has roughly `ops` operations."""
    return program(Config(layers=max(1, round((ops - OPS_OUTSIDE) / OPS_PER_LAYER))))


def _parameters(config: Config) -> tuple[Tree, Tree]:
    """Return the shapes of the parameters and their specs, as two trees alike."""
    params: Tree = {"embed": f32(config.vocabulary, config.width), "norm": f32(config.width)}
    specs: Tree = {"embed": P("model", None), "norm": P(None)}
    layers = [_layer(config, at) for at in range(config.layers)]
    if config.scan:
        shapes, layer_specs = layers[0]
        params["layers"] = {name: f32(config.layers, *leaf.shape) for name, leaf in shapes.items()}
        specs["layers"] = {name: P(None, *spec) for name, spec in layer_specs.items()}
    else:
        params["layers"] = [shapes for shapes, _ in layers]
        specs["layers"] = [layer_specs for _, layer_specs in layers]
    return params, specs


def _layer(config: Config, at: int) -> tuple[Tree, Tree]:
    """Return the shapes and specs of layer `at`."""
    width, heads = config.width, config.heads
    shapes = {
        "norm1": f32(width),
        "qkv": f32(width, 3, heads, width // heads),
        "out": f32(heads, width // heads, width),
        "norm2": f32(width),
    }
    specs = {
        "norm1": P(None),
        "qkv": P(None, None, "model", None),
        "out": P("model", None, None),
        "norm2": P(None),
    }
    if config.experts and at % 2 == 1:
        expert_shapes, expert_specs = mixture_of_experts.layer(_experts(config))
        return shapes | {"experts": expert_shapes}, specs | {"experts": expert_specs}
    mlp_shapes = {"up": f32(width, config.hidden), "down": f32(config.hidden, width)}
    return shapes | mlp_shapes, specs | {"up": P(None, "model"), "down": P("model", None)}


def _experts(config: Config) -> mixture_of_experts.Config:
    return mixture_of_experts.Config(width=config.width, hidden=config.hidden)


def training_step(
    config: Config, params: Tree, moments: Tree, tokens: jax.Array, seed: jax.Array
) -> tuple[Tree, Tree, jax.Array]:
    """One step of Adam; `tokens` is i32[batch, length + 1], `seed` i32[]."""
    loss, grads = jax.value_and_grad(partial(loss_of, config))(params, tokens, seed)
    # A gradient has no sharding of its own: tie it to its parameter.
    tied = jax.tree.map(lambda grad, param: group(grad, param)[0], grads, params)
    first = jax.tree.map(lambda m, grad: 0.9 * m + 0.1 * grad, moments["m"], tied)
    second = jax.tree.map(lambda v, grad: 0.99 * v + 0.01 * grad * grad, moments["v"], tied)
    params = jax.tree.map(
        lambda param, m, v: param - 1e-3 * m * jax.lax.rsqrt(v + 1e-8), params, first, second
    )
    return params, {"m": first, "v": second}, loss


def loss_of(config: Config, params: Tree, tokens: jax.Array, seed: jax.Array) -> jax.Array:
    """Mean cross entropy of the next token."""
    x = params["embed"][tokens[:, :-1]]
    x = jax.lax.with_sharding_constraint(x, P("data", None, None))
    keys = jax.random.split(jax.random.key(seed), config.layers)
    if config.scan:
        layers = (params["layers"], keys)
        x, _ = jax.lax.scan(lambda x, layer: (block(config, x, *layer), None), x, layers)
    else:
        for layer, key in zip(params["layers"], keys, strict=True):
            x = block(config, x, layer, key)
    logits = jnp.einsum("bld,vd->blv", rms_norm(x, params["norm"]), params["embed"])
    logits = jax.lax.with_sharding_constraint(logits, P("data", None, "model"))
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[:, 1:, None], axis=-1)
    return -jnp.mean(picked)


def block(config: Config, x: jax.Array, layer: Tree, key: jax.Array) -> jax.Array:
    """Attention and MLP with residuals; `x` is f32[batch, length, width]."""
    x = x + attention(rms_norm(x, layer["norm1"]), layer)
    normed = rms_norm(x, layer["norm2"])
    if "experts" in layer:
        tokens = normed.reshape(-1, config.width)
        routed = mixture_of_experts.expert_layer(_experts(config), layer["experts"], tokens)
        x = x + routed.reshape(x.shape)
    else:
        x = x + mlp(normed, layer, key)
    return jax.lax.with_sharding_constraint(x, P("data", P.UNCONSTRAINED, None))


def mlp(x: jax.Array, layer: Tree, key: jax.Array) -> jax.Array:
    """Two dense layers with dropout in between; `x` is f32[batch, length, width]."""
    hidden = jax.nn.gelu(x @ layer["up"])
    hidden = jax.lax.with_sharding_constraint(hidden, P("data", None, "model"))
    kept = jax.random.bernoulli(key, 0.9, hidden.shape)
    return jnp.where(kept, hidden / 0.9, 0.0) @ layer["down"]


def attention(x: jax.Array, layer: Tree) -> jax.Array:
    """Causal self-attention; `x` is f32[batch, length, width]."""
    query, key, value = jnp.einsum("bld,dthk->tbhlk", x, layer["qkv"])
    scores = jnp.einsum("bhqk,bhsk->bhqs", query, key) / math.sqrt(query.shape[-1])
    scores = jax.lax.with_sharding_constraint(scores, P("data", "model", None, None))
    position = jnp.arange(x.shape[1])
    scores = jnp.where(position[:, None] >= position[None, :], scores, -1e9)
    mixed = jnp.einsum("bhqs,bhsk->bhqk", jax.nn.softmax(scores), value)
    return jnp.einsum("bhqk,hkd->bqd", mixed, layer["out"])


def rms_norm(x: jax.Array, scale: jax.Array) -> jax.Array:
    """Divide by the root of the mean square of the last axis."""
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale
