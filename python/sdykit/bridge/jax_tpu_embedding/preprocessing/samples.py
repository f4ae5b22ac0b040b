"""Checks of the size of batches: a wrong one would end the process or mix samples.

A lookup is compiled for the number of samples in the spec of a feature, but preprocessing accepts
any number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sdykit.bridge.jax_tpu_embedding.preprocessing.ids import is_ragged
from sdykit.sparsecore.errors import SparseCoreError


def check_samples(given: Mapping[str, Any]) -> None:
    """Check the number of samples of each feature.

    Args:
        given: the arguments of preprocessing, by name.

    Raises:
        SparseCoreError: it is not that of the spec or of the weights; the SparseCores of this
            process cannot share the samples evenly; or the numbers of features and specs differ.
    """
    specs = given["feature_specs"]
    for name in ("features", "feature_weights", "indices", "values", "dense_shapes"):
        found = given.get(name)
        # An empty list of weights stands for none.
        if found is not None and len(found) != len(specs) and (name != "feature_weights" or found):
            raise SparseCoreError(
                f"{name}: there are {len(found)}; expected {len(specs)}, as many as feature_specs"
            )
    names = ("local_device_count", "global_device_count", "num_sc_per_device")
    local, devices, cores = (int(given[name]) for name in names)
    system = local, devices, cores
    if "features" not in given:
        for spec, shape in zip(specs, given["dense_shapes"], strict=True):
            _check_count(spec, int(shape[0]), system)
        return
    weights = given["feature_weights"] or [None] * len(specs)
    for spec, feature, factors in zip(specs, given["features"], weights, strict=True):
        if factors is not None:
            _check_form_of_weights(spec.name, feature, factors)
        _check_count(spec, len(feature), system)


def _check_form_of_weights(name: str, feature: Any, weights: Any) -> None:
    ragged = is_ragged(feature)
    found = (len(weights),) if ragged else tuple(getattr(weights, "shape", (len(weights),)))
    expected = (len(feature),) if ragged else tuple(feature.shape)
    if found != expected or ragged != is_ragged(weights):
        raise SparseCoreError(
            f"feature {name!r}: the weights are {_form(weights)}; expected the form of the ids, "
            f"{_form(feature)}"
        )


def _form(values: Any) -> str:
    if is_ragged(values):
        return f"{len(values)} samples"
    return f"a matrix [{','.join(map(str, values.shape))}]"


def _check_count(spec: Any, found: int, system: tuple[int, int, int]) -> None:
    local, devices, cores = system
    if not found or found % (local * cores):
        raise SparseCoreError(
            f"feature {spec.name!r}: there are {found} samples; expected a positive multiple "
            f"of {local * cores}, as {_counted(local, 'device')} of "
            f"{_counted(cores, 'SparseCore')} share them evenly. Pad the batch or "
            "leave its rest out, and set output_shape of the FeatureSpec to the samples of all devices"
        )
    batch = spec.output_shape[:-1]
    if None in batch:
        return  # The size is known only when the program is traced.
    of_all = math.prod(batch)
    if found * devices != of_all * local:
        of_devices = (
            "" if local == devices else f" on the {local} of {devices} devices that are here"
        )
        raise SparseCoreError(
            f"feature {spec.name!r}: there are {found} samples{of_devices}; expected "
            f"{of_all * local // devices}, as the output_shape of its FeatureSpec is "
            f"{tuple(spec.output_shape)}. Change that, and prepare the specs again, or the batch"
        )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
