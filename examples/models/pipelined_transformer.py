"""A training step of a decoder-only transformer in four stages over several microbatches.

The first stage embeds tokens, the last computes the loss; with `tied`, both use the
same embedding, so that it is sent from one mesh to the other. Each stage has the update of its
own parameters as a part.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P

from examples.models.pipeline import Pipeline
from examples.models.program import Program, f32, i32
from sdykit.mpmd import Schedule, call, named_computation

Tree = dict[str, Any]

STAGES = 4


@dataclass(frozen=True)
class Config:
    """The sizes of the model."""

    microbatches: int = 3
    batch: int = 4
    length: int = 8
    width: int = 16
    heads: int = 2
    vocabulary: int = 32
    tied: bool = False
    """Use one embedding at both ends."""
    schedule: Schedule = "1F1B"


def pipeline(config: Config | None = None) -> Pipeline:
    """Return the step `(params, moments, tokens) -> (params, moments, loss)` on four meshes."""
    config = config or Config()
    params, specs = _parameters(config)
    tokens = i32(config.microbatches, config.batch, config.length + 1)
    program = Program(
        partial(training_step, config),
        (params, params, tokens),
        in_shardings=(specs, specs, P(None, "data", None)),
        out_shardings=(specs, specs, P()),
        mesh=AbstractMesh((2, 2), ("data", "model")),
    )
    stages = {f"stage{at}": (f"m{at}", at) for at in range(STAGES)}
    updates = {f"update{at}": f"m{at}" for at in range(STAGES)}
    return Pipeline(
        program,
        stages | updates,
        donated=(0, 1),
        schedule=config.schedule,
    )


def _parameters(config: Config) -> tuple[Tree, Tree]:
    """Return the shapes of the parameters and their specs, as two trees of one structure."""
    width, heads = config.width, config.heads
    block = {
        "qkv": f32(width, 3, heads, width // heads),
        "out": f32(heads, width // heads, width),
        "up": f32(width, 2 * width),
        "down": f32(2 * width, width),
    }
    block_specs = {
        "qkv": P(None, None, "model", None),
        "out": P("model", None, None),
        "up": P(None, "model"),
        "down": P("model", None),
    }
    ends = ("embed",) if config.tied else ("embed", "unembed")
    params = {f"layer{at}": block for at in range(STAGES)}
    specs = {f"layer{at}": block_specs for at in range(STAGES)}
    params |= dict.fromkeys(ends, f32(config.vocabulary, width))
    specs |= dict.fromkeys(ends, P("model", None))
    return {"transformer": params}, {"transformer": specs}


def training_step(
    config: Config, params: Tree, moments: Tree, tokens: jax.Array
) -> tuple[Tree, Tree, jax.Array]:
    """Gradient descent with momentum; `tokens` is i32[microbatches, batch, length + 1]."""
    microbatch = call(partial(_microbatch, config))
    grads, loss = jax.tree.map(jnp.zeros_like, params), jnp.float32(0)
    for at in range(config.microbatches):
        grads, loss = microbatch(params, grads, loss, tokens[at])
    updated: list[Tree] = [{}, {}]
    for at in range(STAGES):
        update = named_computation(f"update{at}")(_update)
        trees = [_of_stage(at, tree["transformer"]) for tree in (params, moments, grads)]
        for tree, new in zip(updated, update(*trees), strict=True):
            tree.update(new)
    return {"transformer": updated[0]}, {"transformer": updated[1]}, loss


def _of_stage(at: int, tree: Tree) -> Tree:
    """Return the part of a tree that a stage updates: its layer, and what is at its end."""
    names = [f"layer{at}"]
    names += ["embed"] if at == 0 else []
    names += ["unembed"] if at == STAGES - 1 and "unembed" in tree else []
    return {name: tree[name] for name in names}


def _update(params: Tree, moments: Tree, grads: Tree) -> tuple[Tree, Tree]:
    moments = jax.tree.map(lambda moment, grad: 0.9 * moment + grad, moments, grads)
    params = jax.tree.map(lambda param, moment: param - 0.01 * moment, params, moments)
    return params, moments


def _microbatch(
    config: Config, params: Tree, grads: Tree, loss: jax.Array, tokens: jax.Array
) -> tuple[Tree, jax.Array]:
    added, more = jax.value_and_grad(partial(loss_of, config))(params, tokens)
    return jax.tree.map(jnp.add, grads, more), loss + added


def loss_of(config: Config, params: Tree, tokens: jax.Array) -> jax.Array:
    """Mean cross entropy of the next token in one microbatch."""
    tree = params["transformer"]
    x = named_computation("stage0")(partial(_first, config))(
        tree["embed"], tree["layer0"], tokens[:, :-1]
    )
    for at in range(1, STAGES - 1):
        x = named_computation(f"stage{at}")(partial(block, config))(tree[f"layer{at}"], x)
    last = tree["embed"] if config.tied else tree["unembed"]
    stage = named_computation(f"stage{STAGES - 1}")(partial(_last, config))
    return stage(last, tree[f"layer{STAGES - 1}"], x, tokens[:, 1:])


def _first(config: Config, embed: jax.Array, layer: Tree, tokens: jax.Array) -> jax.Array:
    return block(config, layer, embed[tokens])


def _last(
    config: Config, embed: jax.Array, layer: Tree, x: jax.Array, targets: jax.Array
) -> jax.Array:
    logits = jnp.einsum("bld,vd->blv", block(config, layer, x), embed)
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), targets[:, :, None], axis=-1)
    return -jnp.mean(picked)


def block(config: Config, layer: Tree, x: jax.Array) -> jax.Array:
    """Attention and MLP with residuals; `x` is f32[batch, length, width]."""
    x = jax.lax.with_sharding_constraint(x, P("data", None, None))
    x = x + attention(config, layer, x)
    return x + jnp.tanh(x @ layer["up"]) @ layer["down"]


def attention(config: Config, layer: Tree, x: jax.Array) -> jax.Array:
    """Causal self-attention; `x` is f32[batch, length, width]."""
    query, key, value = jnp.einsum("bld,dthk->tbhlk", x, layer["qkv"])
    scores = jnp.einsum("bhqk,bhsk->bhqs", query, key) / math.sqrt(query.shape[-1])
    mask = jnp.tril(jnp.ones((config.length, config.length), bool))
    mixed = jnp.einsum("bhqs,bhsk->bhqk", jax.nn.softmax(jnp.where(mask, scores, -1e9)), value)
    return jnp.einsum("bhqk,hkd->bqd", mixed, layer["out"])
