"""Activations and gradients of a stack, on one device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from sdykit.bridge.embedding.checks import as_array, check
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack


def unstack_activations(stack: Stack, system: System, stacked: jax.Array) -> dict[str, jax.Array]:
    """Return the activations of each feature of a stack, on one device.

    Args:
        stack: the stack of the features.
        system: the numbers of devices and SparseCores.
        stacked: the activations of the stack, float32 `[samples of a device, dim]`.

    Returns:
        Name of the feature -> float32 `[samples of a device, its dim]`.
    """
    cores = system.sparse_cores_per_device
    parts = stacked.reshape(cores, -1, stack.embedding_dim)
    result: dict[str, jax.Array] = {}
    for feature in stack.features:
        first = feature.row_offset // system.num_sparse_cores
        rows = feature.spec.batch_size // system.num_sparse_cores
        width = feature.spec.table.embedding_dim
        piece = parts[:, first : first + rows, :width]
        result[feature.spec.name] = piece.reshape(cores * rows, width)
    return result


def stack_gradients(
    where: str, stack: Stack, system: System, gradients: Mapping[str, Any]
) -> jax.Array:
    """Return the gradients of a stack: the inverse of `unstack_activations`, with zeros as padding.

    Raises:
        BridgeError: an array has another shape or dtype than the feature's activations.
    """
    cores = system.sparse_cores_per_device
    parts: list[jax.Array] = []
    for feature in stack.features:
        name, width = feature.spec.name, feature.spec.table.embedding_dim
        rows = feature.spec.batch_size // system.num_sparse_cores
        array = as_array(where, f"gradients[{name!r}]", gradients[name])
        check(where, f"gradients[{name!r}]", array, jnp.float32, (cores * rows, width))
        missing = stack.embedding_dim - width
        part = array.reshape(cores, rows, width)
        parts.append(jnp.pad(part, ((0, 0), (0, 0), (0, missing))) if missing else part)
    whole = parts[0] if len(parts) == 1 else jnp.concatenate(parts, axis=1)
    return whole.reshape(-1, stack.embedding_dim)


def check_names(where: str, what: str, found: Any, expected: list[str]) -> None:
    """Check the keys of a dictionary.

    Raises:
        BridgeError: one is missing or unknown.
    """
    if not isinstance(found, Mapping) or set(found) != set(expected):
        shown = sorted(map(str, found)) if isinstance(found, Mapping) else [type(found).__name__]
        raise BridgeError(
            f"{where}: {what} are {', '.join(shown) or 'none'}; "
            f"expected {', '.join(sorted(expected))}"
        )


_MAX_NAMES = 4


def describe_stack(stack: Stack) -> str:
    """Return the names of a stack's tables and features, for errors."""
    tables = _describe_names("table", [each.spec.name for each in stack.tables])
    features = _describe_names("feature", [each.spec.name for each in stack.features])
    return f"{tables} ({features})"


def _describe_names(kind: str, names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:_MAX_NAMES]))
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return f"{kind}{'s' * (len(names) > 1)} {shown}{more}"
