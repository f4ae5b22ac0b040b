"""The models of examples/, training steps and forward passes, and inputs on which they stay finite."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from examples.models import (
    control_flow,
    mixture_of_experts,
    offloaded_mlp,
    pipelined_decoder,
    pipelined_mlp,
    pipelined_transformer,
    recommender,
    transformer,
)
from examples.models.program import Program
from sdykit import spmd

Config = transformer.Config


def _transformer_forward() -> Program:
    step = transformer.program()
    params, _, tokens, seed = step.args
    specs = (step.in_shardings[0], *step.in_shardings[2:])
    loss = partial(transformer.loss_of, Config())
    return replace(
        step, fn=loss, args=(params, tokens, seed), in_shardings=specs, out_shardings=None
    )


def _recommender_forward() -> Program:
    step = recommender.program()
    return replace(step, fn=recommender.loss_of, out_shardings=None)


def _experts_forward() -> Program:
    step = mixture_of_experts.program()
    return replace(step, fn=partial(mixture_of_experts.loss_of, mixture_of_experts.Config()))


PROGRAMS: dict[str, Callable[[], Program]] = {
    "control_flow": control_flow.program,
    "experts": lambda: transformer.program(Config(experts=True)),
    "mixture_of_experts": mixture_of_experts.program,
    "mixture_of_experts_forward": _experts_forward,
    "offloaded_mlp": lambda: offloaded_mlp.pipeline().program,
    "pipelined_decoder": lambda: pipelined_decoder.pipeline().program,
    "pipelined_mlp": lambda: pipelined_mlp.pipeline().program,
    "pipelined_transformer": lambda: pipelined_transformer.pipeline().program,
    "recommender": recommender.program,
    "recommender_forward": _recommender_forward,
    "scan": lambda: transformer.program(Config(scan=True)),
    "transformer": transformer.program,
    "transformer_forward": _transformer_forward,
}
"""All models, by name."""
OWN_MESH = ("experts", "mixture_of_experts", "mixture_of_experts_forward")
"""The models with manual computations, whose sizes are those of their mesh."""


def text_of(name: str) -> str:
    """Return the text of a model, with locations."""
    return PROGRAMS[name]().text(debuginfo=True)


def on_mesh(text: str, sizes: dict[str, int]) -> str:
    """Return a model on a mesh whose axes have other sizes."""
    axes = ", ".join(f'"{name}"={size}' for name, size in sizes.items())
    return re.sub(r"sdy\.mesh @mesh = <\[.*?\]>", f"sdy.mesh @mesh = <[{axes}]>", text)


def inputs_of(text: str, seed: int = 0) -> list[np.ndarray]:
    """Return random inputs: floats are small and positive, as second moments and matrices must be."""
    arrays = spmd.random_inputs(spmd.partition(text, collectives="implicit"), seed)
    return [
        np.asarray(abs(each) * np.asarray(0.02, each.dtype)) if each.dtype.kind == "f" else each
        for each in arrays
    ]
