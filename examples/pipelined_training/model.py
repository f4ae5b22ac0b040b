"""A small decoder-only transformer in stages, which predicts the next character.

`loss_of` is plain JAX: to run it on meshes, each stage only has a name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from sdykit.mpmd import call, named_computation

Tree = dict[str, Any]

WIDTH = 64
HEADS = 4
LENGTH = 32


def init(key: jax.Array, vocabulary: int, stages: int, width: int = WIDTH) -> Tree:
    """Return the parameters of each stage by its name: a block, and at the ends an embedding."""

    def matrix(*shape: int) -> jax.Array:
        nonlocal key
        key, now = jax.random.split(key)
        return jax.random.normal(now, shape) / math.sqrt(shape[0])

    params = {
        f"stage{at}": {
            "qkv": matrix(width, 3, HEADS, width // HEADS),
            "out": matrix(width, width),
            "up": matrix(width, 4 * width),
            "down": matrix(4 * width, width),
        }
        for at in range(stages)
    }
    params["stage0"] |= {"embed": matrix(vocabulary, width), "positions": matrix(LENGTH, width)}
    params[f"stage{stages - 1}"]["unembed"] = matrix(width, vocabulary)
    return params


def loss_of(params: Tree, tokens: jax.Array) -> jax.Array:
    """Return the mean cross entropy of the next character; `tokens` is i32[batch, LENGTH + 1]."""
    x, targets = tokens[:, :-1], tokens[:, 1:]
    *names, last = params
    for name in names:
        stage = _first if name == "stage0" else _block
        x = named_computation(name)(stage)(params[name], x)
    return named_computation(last)(_last)(params[last], x, targets)


def _first(params: Tree, tokens: jax.Array) -> jax.Array:
    return _block(params, params["embed"][tokens] + params["positions"])


def _block(params: Tree, x: jax.Array) -> jax.Array:
    x = x + _attention(params, _normalized(x))
    return x + jax.nn.gelu(_normalized(x) @ params["up"]) @ params["down"]


def _attention(params: Tree, x: jax.Array) -> jax.Array:
    query, key, value = jnp.einsum("bld,dthk->tbhlk", x, params["qkv"])
    scores = jnp.einsum("bhqk,bhsk->bhqs", query, key) / math.sqrt(query.shape[-1])
    mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    mixed = jnp.einsum("bhqs,bhsk->bqhk", jax.nn.softmax(jnp.where(mask, scores, -1e9)), value)
    return mixed.reshape(x.shape) @ params["out"]


def _normalized(x: jax.Array) -> jax.Array:
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6)


def _last(params: Tree, x: jax.Array, targets: jax.Array) -> jax.Array:
    logits = _normalized(_block(params, x)) @ params["unembed"]
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), targets[:, :, None], axis=-1)
    return -jnp.mean(picked)


@call
def accumulate(params: Tree, grads: Tree, loss: jax.Array, tokens: jax.Array) -> tuple[Tree, Any]:
    """Add the gradients and the loss of a microbatch."""
    more, added = jax.value_and_grad(loss_of)(params, tokens)
    return jax.tree.map(jnp.add, grads, added), loss + more


def step_of(microbatches: int) -> Callable[..., tuple[Tree, Tree, jax.Array]]:
    """Return a training step, gradient descent with momentum.

    It takes parameters, momenta, and tokens i32[microbatches, batch, LENGTH + 1], and returns new
    parameters, new momenta, and the loss.
    """

    def step(params: Tree, momenta: Tree, tokens: jax.Array) -> tuple[Tree, Tree, jax.Array]:
        grads, loss = jax.tree.map(jnp.zeros_like, params), jnp.float32(0)
        for at in range(microbatches):
            grads, loss = accumulate(params, grads, loss, tokens[at])
        momenta = jax.tree.map(
            lambda momentum, grad: 0.9 * momentum + grad / microbatches, momenta, grads
        )
        params = jax.tree.map(lambda param, momentum: param - 0.05 * momentum, params, momenta)
        return params, momenta, loss / microbatches

    return step
