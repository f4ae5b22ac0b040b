"""The arguments of `preprocess`: checks of their types and ranges, and the ids of all features."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal, get_args

import numpy.typing as npt

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.config.warn import warn
from sdykit.sparsecore.errors import SparseCoreError, shown
from sdykit.sparsecore.inputs import FeatureInput, Ids, read_feature
from sdykit.sparsecore.specs import System, as_integer
from sdykit.sparsecore.stacking import Stack
from sdykit.sparsecore.threads import default_threads

Layout = Literal["sdykit", "jax_tpu_embedding"]
Minibatching = Literal["off", "vocabulary", "sample"]
_LAYOUTS, _MINIBATCHINGS = get_args(Layout), get_args(Minibatching)
Agree = Callable[[int], int]
"""A function that returns the bitwise or of the integers that the processes of a program pass."""


def check_options(config: object, layout: object, minibatching: object) -> None:
    """Check a configuration, a layout and a kind of minibatching.

    Raises:
        SparseCoreError: one is something else.

    Warns:
        UserWarning: the check of ids is off, which the layout always makes.
    """
    if not isinstance(config, SparsecoreConfig):
        raise _unfit("preprocess", "config", config, "a SparsecoreConfig")
    for name, value, choices in (
        ("layout", layout, _LAYOUTS),
        ("minibatching", minibatching, _MINIBATCHINGS),
    ):
        if not isinstance(value, str) or value not in choices:
            raise _unfit("preprocess", name, value, f"one of {', '.join(choices)}")
    if layout == "sdykit" and not config.xla_sparse_core_enable_id_bound_check:
        warn(
            "preprocess: xla_sparse_core_enable_id_bound_check is False, and has no effect: ids are "
            "always checked with the layout sdykit"
        )


def check_threads(where: str, threads: object) -> int:
    """Return the number of threads as a Python integer.

    Args:
        where: the function that the error begins with.
        threads: the argument; None: the default of `sdykit.sparsecore.threads`.

    Raises:
        SparseCoreError: it is not an integer, or is below 1.
    """
    number = default_threads() if threads is None else as_integer(threads)
    if number is None or number < 1:
        raise _unfit(where, "threads", threads, "an integer from 1 on")
    return number


def check_mapping(where: str, name: str, value: object) -> None:
    """Check that an argument is a mapping whose keys are strings, the names of features.

    Args:
        where: the function that the error begins with.
        name: the name of the argument.
        value: the argument.

    Raises:
        SparseCoreError: it is something else.
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
    """Return the number of this host's devices.

    Raises:
        SparseCoreError: it is not from 1 to the devices of the system, or there are several hosts,
            and no function by which they agree on minibatches.
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
    """Check the form of all features, and return their ids by name in the order of the stacks.

    Args:
        features: ids by the name of the feature.
        stacks: the stacks that have these features.
        system: the devices of all hosts.
        weights: weights by the name of the feature, of some features or all.
        devices: the number of this host's devices.
        is_padded: whether -1 in dense ids is padding.

    Raises:
        SparseCoreError: an argument is not a mapping, has other features than the stacks, or has a
            bad one.
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
    """Return the bitwise or of the bits of all processes.

    Raises:
        SparseCoreError: `agree` returns something that cannot be it.
    """
    if agree is None:
        return bits
    returned = agree(bits)
    all_bits = as_integer(returned)
    if all_bits is None or all_bits < 0 or all_bits & bits != bits:
        raise SparseCoreError(
            f"preprocess: agree({bits}) is {shown(returned)}; expected an integer with these bits "
            "and those of the other processes"
        )
    return all_bits


def _listed(names: Collection[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _unfit(where: str, name: str, value: object, expected: str) -> SparseCoreError:
    return SparseCoreError(f"{where}: {name} is {shown(value)}; expected {expected}")
