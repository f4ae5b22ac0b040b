"""A training step of a two-stage MLP that keeps rarely used values in host memory.

The parameters and the momentum of the optimizer are in pinned host memory. Transfers move those of
`f1` to the devices and back; the computations `load2` and `update2` move those of `f2`, once a
step. The batches arrive on meshes of host processors (`m1/cpu`, `m2/cpu`). There `prepare` scales
the inputs, and each microbatch is transferred to the devices when it is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh, NamedSharding
from jax.sharding import PartitionSpec as P

from examples.models.pipeline import Pipeline
from examples.models.pipelined_mlp import accumulate
from examples.models.program import Program, f32
from sdykit.mpmd import named_computation

Tree = dict[str, Any]

_MESH = AbstractMesh((2, 2), ("data", "model"))


@dataclass(frozen=True)
class Config:
    """The sizes of the model."""

    microbatches: int = 3
    batch: int = 4
    width: int = 8
    hidden: int = 16


def pipeline(config: Config | None = None) -> Pipeline:
    """Return the step `(params, moments, inputs, targets) -> (params, moments, loss)`."""
    config = config or Config()
    shapes = {"up": f32(config.width, config.hidden), "down": f32(config.hidden, config.width)}
    specs = {"up": P(None, "model"), "down": P("model", None)}
    params = {"f1": shapes, "f2": shapes}
    unplaced, host = _shardings(specs, None), _shardings(specs, "pinned_host")
    state = {"f1": unplaced, "f2": host}
    batches = [f32(config.batch, config.width)] * config.microbatches
    batch = NamedSharding(_MESH, P("data"))
    program = Program(
        training_step,
        (params, params, batches, batches),
        in_shardings=(state, state, batch, batch),
        out_shardings=(state, state, NamedSharding(_MESH, P())),
        mesh=_MESH,
    )
    offloaded = {"f1": "m1#pinned_host", "f2": None}
    return Pipeline(
        program,
        {
            "prepare": "m1/cpu",
            "load2": "m2",
            "f1": "m1",
            "f2": "m2",
            "update1": "m1",
            "update2": "m2",
        },
        donated=(0, 1),
        in_meshes=(offloaded, offloaded, "m1/cpu", "m2/cpu"),
        out_meshes=(offloaded, offloaded, None),
    )


def _shardings(specs: Tree, kind: str | None) -> Tree:
    is_spec = lambda leaf: isinstance(leaf, P)  # noqa: E731
    return jax.tree.map(
        lambda spec: NamedSharding(_MESH, spec, memory_kind=kind), specs, is_leaf=is_spec
    )


def training_step(
    params: Tree, moments: Tree, inputs: list[jax.Array], targets: list[jax.Array]
) -> tuple[Tree, Tree, jax.Array]:
    """Gradient descent with momentum; inputs and targets are lists of f32[batch, width]."""
    params = {"f1": params["f1"], "f2": load2(params["f2"])}
    grads, loss = jax.tree.map(jnp.zeros_like, params), jnp.float32(0)
    for x, target in zip([prepare(x) for x in inputs], targets, strict=True):
        grads, loss = accumulate(params, grads, loss, x, target)
    params1, moments1 = update1(params["f1"], moments["f1"], grads["f1"])
    params2, moments2 = update2(params["f2"], moments["f2"], grads["f2"])
    return {"f1": params1, "f2": params2}, {"f1": moments1, "f2": moments2}, loss


def _prepare(x: jax.Array) -> jax.Array:
    return x / jnp.max(jnp.abs(x), axis=-1, keepdims=True)


def _update(params: Tree, moments: Tree, grads: Tree) -> tuple[Tree, Tree]:
    moments = jax.tree.map(lambda moment, grad: 0.9 * moment + grad, moments, grads)
    return jax.tree.map(lambda param, moment: param - 0.01 * moment, params, moments), moments


def _load(tree: Tree) -> Tree:
    return jax.device_put(tree, jax.memory.Space.Device)


def _offloaded_update(params: Tree, moments: Tree, grads: Tree) -> tuple[Tree, Tree]:
    return jax.device_put(_update(params, _load(moments), grads), jax.memory.Space.Host)


prepare = named_computation("prepare")(_prepare)
load2 = named_computation("load2")(_load)
update1 = named_computation("update1")(_update)
update2 = named_computation("update2")(_offloaded_update)
