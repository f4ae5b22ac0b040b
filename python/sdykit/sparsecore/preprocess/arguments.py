"""The arguments of `preprocess`: their types and ranges, and the features read from them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal, get_args

import numpy.typing as npt

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import SparseCoreError, shown
from sdykit.sparsecore.inputs import FeatureInput, Ids, read_feature
from sdykit.sparsecore.specs import System, as_integer
from sdykit.sparsecore.stacking import Stack

Layout = Literal["sdykit", "jax_tpu_embedding"]
Minibatching = Literal["off", "vocabulary", "sample"]
Agree = Callable[[int], int]
"""Gives the bitwise or of what the processes of a program pass to it."""


def check_options(config: object, layout: object, minibatching: object) -> None:
    """Check a configuration, a layout and a way to make minibatches.

    Raises:
        SparseCoreError: one is none of those there are.
    """
    if not isinstance(config, SparsecoreConfig):
        raise _unfit("preprocess", "config", config, "a SparsecoreConfig")
    for name, value, choices in (
        ("layout", layout, get_args(Layout)),
        ("minibatching", minibatching, get_args(Minibatching)),
    ):
        if not isinstance(value, str) or value not in choices:
            raise _unfit("preprocess", name, value, f"one of {', '.join(choices)}")


def check_threads(where: str, threads: object) -> int:
    """Give the number of threads, for the function that `where` names.

    Raises:
        SparseCoreError: it is no integer, or below 1.
    """
    number = as_integer(threads)
    if number is None or number < 1:
        raise _unfit(where, "threads", threads, "an integer from 1 on")
    return number


def check_mapping(where: str, name: str, value: object) -> None:
    """Check that an argument has something for features, by name.

    Raises:
        SparseCoreError: it is no mapping, or its keys are no strings.
    """
    if not isinstance(value, Mapping):
        raise _unfit(where, name, value, "a mapping from the names of features")
    for key in value:
        if not isinstance(key, str):
            raise SparseCoreError(
                f"{where}: {name} has the key {shown(key)}; expected the name of a feature"
            )


def check_devices(
    local_devices: object, system: System, minibatching: str, agree: Agree | None
) -> int:
    """Give the number of this host's devices.

    Raises:
        SparseCoreError: it is none that the system can have here, or the hosts of a system would
            not agree on minibatches.
    """
    devices = system.num_devices if local_devices is None else as_integer(local_devices)
    if devices is None or not 1 <= devices <= system.num_devices:
        expected = f"1 to {system.num_devices}, the devices of the system"
        raise _unfit("preprocess", "local_devices", local_devices, expected)
    if agree is not None and not callable(agree):
        raise _unfit("preprocess", "agree", agree, "a function from an integer to one, or None")
    if minibatching != "off" and devices < system.num_devices and agree is None:
        raise SparseCoreError(
            f"preprocess: this host has {devices} of {system.num_devices} devices; "
            "expected `agree`, as all hosts must use the same minibatches"
        )
    return devices


def read_features(
    features: Mapping[str, FeatureInput],
    stacks: Sequence[Stack],
    system: System,
    weights: Mapping[str, npt.ArrayLike] | None,
    devices: int,
    *,
    is_padded: bool,
) -> dict[str, Ids]:
    """Check the form of all features; return them in the order of the stacks.

    Args:
        features: ids by name.
        stacks: that have these features.
        system: the devices of all hosts.
        weights: of some features.
        devices: of this host.
        is_padded: whether -1 in dense ids is no id.

    Raises:
        SparseCoreError: no mappings, other features than the stacks have, or a bad one.
    """
    weights = {} if weights is None else weights
    check_mapping("preprocess", "features", features)
    check_mapping("preprocess", "weights", weights)
    specs = {feature.spec.name: feature.spec for each in stacks for feature in each.features}
    if set(features) != set(specs):
        raise SparseCoreError(
            f"preprocess: features are {_listed(features)}; "
            f"expected {_listed(specs)}, as the stacks have them"
        )
    unknown = set(weights) - set(specs)
    if unknown:
        raise SparseCoreError(
            f"preprocess: there are weights for {_listed(unknown)}; "
            f"expected names among {_listed(specs)}"
        )
    result: dict[str, Ids] = {}
    for name, spec in specs.items():
        samples = spec.batch_size // system.num_devices * devices
        result[name] = read_feature(
            name, spec.table, features[name], weights.get(name), samples, is_padded=is_padded
        )
    return result


def agreed(agree: Agree | None, bits: int) -> int:
    """Give the bits that all processes agree on.

    Raises:
        SparseCoreError: `agree` gives something else.
    """
    if agree is None:
        return bits
    given = agree(bits)
    together = as_integer(given)
    if together is None or together < 0 or together & bits != bits:
        raise SparseCoreError(
            f"preprocess: agree({bits}) is {shown(given)}; expected an integer with these bits "
            "and those of the other processes"
        )
    return together


def _listed(names: Collection[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _unfit(where: str, name: str, value: object, expected: str) -> SparseCoreError:
    return SparseCoreError(f"{where}: {name} is {shown(value)}; expected {expected}")
