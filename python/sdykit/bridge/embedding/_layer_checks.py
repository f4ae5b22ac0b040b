"""Checks of what a layer is made of, and of what its functions are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sdykit.bridge.embedding._stacks import check_names
from sdykit.bridge.embedding._variables import Variables
from sdykit.bridge.embedding.buffers import DeviceBuffers
from sdykit.bridge.sharding_api import BridgeError
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.limits import Limits
from sdykit.sparsecore.specs import FeatureSpec
from sdykit.sparsecore.stacking import Stack

Batch = dict[str, DeviceBuffers]
"""Stack -> its buffers: a pytree of arrays split over the devices by their first dimension."""


def check_types(features: object, config: object, limits: object) -> None:
    """Check the types of what a layer is made of; what they hold is checked where it is used.

    Raises:
        BridgeError: one is another.
    """
    _check("features", features, Sequence)
    _check("config", config, SparsecoreConfig, type(None))
    _check("limits", limits, Limits, type(None))
    for number, feature in enumerate(features if isinstance(features, Sequence) else ()):
        _check(f"features[{number}]", feature, FeatureSpec)


def _check(name: str, value: object, *kinds: type) -> None:
    if not isinstance(value, kinds):
        expected = " or ".join(each.__name__ for each in kinds).replace("NoneType", "None")
        found = type(value).__name__
        raise BridgeError(f"Embedding: {name} is of type {found}; expected {expected}")


def parts_of(
    where: str, stacks: Sequence[Stack], variables: Variables, batch: Batch
) -> list[tuple[Stack, dict[str, Any], DeviceBuffers]]:
    """Give each stack with its table and slots, and its buffers.

    Raises:
        BridgeError: variables or batch are not those of the stacks.
    """
    names = [each.name for each in stacks]
    check_names(where, "variables", variables, names)
    check_names(where, "stacks of the batch", batch, names)
    for name in names:
        held, buffers = variables[name], batch[name]
        if not isinstance(held, Mapping) or "table" not in held:
            raise BridgeError(
                f"{where}: variables[{name!r}] has no table; expected table and slots"
            )
        # Raw ids are rows of a table in its natural order, which a stack's is not.
        if not isinstance(buffers, DeviceBuffers):
            raise BridgeError(
                f"{where}: batch[{name!r}] is of type {type(buffers).__name__}; "
                "expected DeviceBuffers, as preprocess gives them"
            )
    return [(each, variables[each.name], batch[each.name]) for each in stacks]
