"""The state of a pipeline between two steps."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax

from sdykit.bridge.embedding.layer.checks import Batch
from sdykit.bridge.embedding.layer.variables import Variables


class LookedUp(NamedTuple):
    """A batch that SparseCores have looked up, and the TensorCore has not seen."""

    batch: Batch
    inputs: Any
    """What the dense part takes besides."""
    activations: dict[str, jax.Array]
    """The activations by name of the feature."""


class Differentiated(NamedTuple):
    """A batch whose gradients are known, and not applied to the tables."""

    batch: Batch
    gradients: dict[str, jax.Array]
    """The gradients of the activations by name of the feature."""


class PipelineState(NamedTuple):
    """The arrays that training changes, and the batches that are under way: a pytree."""

    variables: Variables
    """Tables and slots."""
    carry: Any
    """What the dense part changes: weights, the state of their optimizer."""
    step: jax.Array
    """The number of batches that were looked up, an int32 scalar."""
    looked_up: LookedUp | None = None
    """The last batch, until the next step; None if there is none."""
    differentiated: Differentiated | None = None
    """The batch before it; None if there is none."""


Parts = tuple[Any, Any, Any]
"""A state in three parts, see `parted`."""


def parted(state: PipelineState) -> Parts:
    """Return what all steps update, what steps pass to the next one, and the batches."""
    held, last = state.looked_up, state.differentiated
    return (
        (state.variables, state.carry, state.step),
        (held and held.activations, last and last.gradients),
        (held and (held.batch, held.inputs), last and last.batch),
    )


def joined(parts: Parts) -> PipelineState:
    """Return the state of these parts."""
    (variables, carry, step), (activations, gradients), batches = parts
    held, last = batches
    return PipelineState(
        variables,
        carry,
        step,
        None if held is None else LookedUp(held[0], held[1], activations),
        None if last is None else Differentiated(last, gradients),
    )
