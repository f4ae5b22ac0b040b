"""Checks of what a pipeline is given, and of what its dense part returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax

from sdykit.bridge.embedding.layer.embedding import Embedding
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.pipelining.state import PipelineState

_RESULTS = "(carry, gradients, outputs)"


def check_arguments(embedding: object, dense: object) -> None:
    """Check the types of a pipeline's arguments.

    Raises:
        BridgeError: one is of another type.
    """
    if not isinstance(embedding, Embedding):
        raise BridgeError(
            f"pipelined: embedding is of type {type(embedding).__name__}; expected an Embedding"
        )
    if not callable(dense):
        raise BridgeError(
            f"pipelined: dense is of type {type(dense).__name__}; expected a function "
            f"(carry, activations, inputs) -> {_RESULTS}"
        )


def check_state(where: str, state: object) -> None:
    """Check that a state is one, and that the call is not for a part of it.

    Raises:
        BridgeError: it is not, or the call is within a `jax.shard_map`.
    """
    if not isinstance(state, PipelineState):
        raise BridgeError(
            f"{where}: state is of type {type(state).__name__}; expected a PipelineState, "
            "which init and step return"
        )
    manual = jax.sharding.get_abstract_mesh().manual_axes
    if manual:
        raise BridgeError(
            f"{where}: it is called in a jax.shard_map over {', '.join(map(repr, manual))}; expected "
            "a call outside of it, with whole arrays (dense may have a shard_map of its own)"
        )


def check_results(found: object, carry: Any, activations: Mapping[str, jax.Array]) -> None:
    """Check what the dense part returned.

    Raises:
        BridgeError: it is not a tuple of three; the carry has another structure, shape or dtype; or
            the gradients are not those of the activations.
    """
    if not isinstance(found, tuple) or len(found) != 3:
        size = f"a tuple of {len(found)}" if isinstance(found, tuple) else type(found).__name__
        raise BridgeError(f"pipelined: dense returned {size}; expected {_RESULTS}")
    _check_alike("its new carry", found[0], "the carry", carry)
    gradients = found[1]
    if not isinstance(gradients, Mapping) or set(gradients) != set(activations):
        shown = ", ".join(map(repr, gradients)) if isinstance(gradients, Mapping) else gradients
        raise BridgeError(
            f"pipelined: dense returned gradients for {shown or 'nothing'}; expected a dictionary for "
            f"{', '.join(map(repr, activations))}, the features"
        )
    _check_alike("gradients", dict(gradients), "activations", dict(activations))


def _check_alike(name: str, found: Any, of: str, expected: Any) -> None:
    """Check that two pytrees have the same structure, shapes and dtypes."""
    structure, other = jax.tree.structure(found), jax.tree.structure(expected)
    if structure != other:
        raise BridgeError(
            f"pipelined: dense returned {name} as {structure}; expected the structure of {of}, {other}"
        )
    pairs = zip(jax.tree.leaves_with_path(found), jax.tree.leaves_with_path(expected), strict=True)
    for (path, leaf), (_, like) in pairs:
        shown, wanted = _describe(leaf), _describe(like)
        if shown != wanted:
            raise BridgeError(
                f"pipelined: dense returned {name}{jax.tree_util.keystr(path)} as {shown}; expected "
                f"{wanted}, as in {of}"
            )


def _describe(leaf: Any) -> str:
    aval = jax.typeof(leaf)
    return f"{aval.dtype.name}{list(aval.shape)}"
