"""Greedy decoding of a recurrent two-stage model: forward only, and back to the first mesh.

The first stage embeds the last token and updates its state; the second picks the next token,
which the first uses again. The compiler may choose the layout of the weights, and the two stages
have different shardings for the values that they exchange.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental.layout import Format, Layout
from jax.sharding import AbstractMesh, NamedSharding
from jax.sharding import PartitionSpec as P

from examples.models.pipeline import Pipeline
from examples.models.program import Program, f32, i32
from sdykit.mpmd import named_computation

Tree = dict[str, Any]

_MESH = AbstractMesh((2, 2), ("data", "model"))


@dataclass(frozen=True)
class Config:
    """The sizes of the model."""

    steps: int = 3
    batch: int = 4
    width: int = 16
    vocabulary: int = 32


def pipeline(config: Config | None = None) -> Pipeline:
    """Return `(weights, state, prompt) -> (state, prompt, tokens)` on meshes `m1` and `m2`."""
    config = config or Config()
    weights = {
        "start": f32(config.width, config.width),
        "embed": f32(config.vocabulary, config.width),
        "mix": f32(config.width, config.width),
        "out": f32(config.width, config.vocabulary),
    }
    columns = Format(Layout.AUTO, NamedSharding(_MESH, P(None, "model")))
    state = NamedSharding(_MESH, P("data", "model"))
    decode = jax.jit(
        partial(decoded, config.steps),
        in_shardings=(dict.fromkeys(weights, columns), state, NamedSharding(_MESH, P("data"))),
        out_shardings=(Format(Layout.AUTO, NamedSharding(_MESH, P())), None, None),
    )
    program = Program(
        decode,
        (weights, f32(config.batch, config.width), i32(config.batch)),
        mesh=_MESH,
    )
    return Pipeline(program, {"begin": "m1", "recur": "m1", "pick": "m2"}, donated=(1,))


def decoded(
    steps: int, weights: Tree, state: jax.Array, prompt: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Decode `steps` tokens after the prompt i32[batch]; `state` is f32[batch, width]."""
    token, tokens = prompt, []
    state = begin(weights["start"], state)
    for _ in range(steps):
        state = recur(weights["embed"], weights["mix"], state, token)
        token = pick(weights["out"], state)
        tokens.append(token)
    return state, prompt, jnp.stack(tokens)


def _begin(start: jax.Array, state: jax.Array) -> jax.Array:
    return jnp.tanh(state @ start)


def _recur(embed: jax.Array, mix: jax.Array, state: jax.Array, token: jax.Array) -> jax.Array:
    state = jnp.tanh(state @ mix + embed[token])
    return jax.lax.with_sharding_constraint(state, P("data", "model"))


def _pick(out: jax.Array, state: jax.Array) -> jax.Array:
    state = jax.lax.with_sharding_constraint(state, P("data", None))
    return jnp.argmax(state @ out, axis=-1)


begin = named_computation("begin")(_begin)
recur = named_computation("recur")(_recur)
pick = named_computation("pick")(_pick)
