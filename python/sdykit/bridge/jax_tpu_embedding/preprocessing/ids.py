"""Checks of ids that the library's preprocessing would misread, or use for rows of other tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sdykit.bridge import _native
from sdykit.bridge.jax_tpu_embedding.warn import warn_once
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.inputs import NO_WEIGHTS, Ids, report_bad_id
from sdykit.sparsecore.specs import INT32_MAX, TableSpec

_DENSE = 2
_IDS, _WEIGHTS = ("ids", "int32"), ("weights", "float32")
"""The arrays of a sample, and the dtype that the library expects of them."""
_NO_SPLITS = np.empty(0, np.int64)


def check_ids(given: Mapping[str, Any], *, outside: bool) -> None:
    """Check the ids of a call, and that weights have the form of the ids.

    Args:
        given: the arguments by name; the ids are `features`, or `values` at `indices`.
        outside: whether an id outside of its vocabulary is an error.

    Raises:
        SparseCoreError: an id is outside of its vocabulary, or the library would end the process
            or read other memory with these features.

    Warns:
        UserWarning: the library misreads the memory of ids or weights.
    """
    specs = given["feature_specs"]
    if "features" in given:
        weights = given["feature_weights"] or [None] * len(specs)
        for spec, feature, factors in zip(specs, given["features"], weights, strict=True):
            _check_feature(spec, feature, factors, outside=outside)
        return
    sparse = zip(given["indices"], given["values"], given["dense_shapes"], strict=True)
    for spec, feature in zip(specs, sparse, strict=True):
        if outside and not _is_within(np.asarray(feature[1]), _vocabulary(spec)):
            _report(spec, *_ordered(*map(np.asarray, feature)))


def _check_feature(spec: Any, feature: Any, weights: Any, *, outside: bool) -> None:
    last = min(_vocabulary(spec) - 1, INT32_MAX) if outside else None
    try:
        # One pass in C++ over all samples; Python then determines the error or warning.
        if _native.first_bad_sample(feature, weights, last) < 0:
            return
    except TypeError:
        pass  # Neither samples nor a row-major matrix.
    _check_rank(spec.name, feature)
    if is_ragged(feature):
        _check_samples(spec.name, feature, weights)
    elif isinstance(feature, np.ndarray):
        _check_memory(spec.name, feature)
    if outside and not _is_within(_flat(feature)[0], _vocabulary(spec)):
        _report(spec, *_flat(feature))


def is_ragged(feature: Any) -> bool:
    """Return whether a feature is a collection of samples, and not a matrix of ids."""
    return getattr(feature, "ndim", 1) != _DENSE or feature.dtype == object


def _check_rank(name: str, feature: Any) -> None:
    if not isinstance(feature, np.ndarray) or feature.dtype == object or feature.ndim == _DENSE:
        return
    shape = ",".join(map(str, feature.shape))
    raise SparseCoreError(
        f"feature {name!r}: ids are {feature.dtype}[{shape}]; expected [samples,valency], or "
        "an object array of samples"
    )


def _check_samples(name: str, feature: Any, weights: Any) -> None:
    """Check each sample, since the library reads the memory of arrays without a check."""
    if isinstance(feature, np.ndarray):
        for place, sample in enumerate(feature):
            _check_vector(name, place, sample, _IDS)
    if weights is None:
        return
    for place, (sample, factors) in enumerate(zip(feature, weights, strict=True)):
        if isinstance(weights, np.ndarray):
            _check_vector(name, place, factors, _WEIGHTS)
        if np.size(sample) != np.size(factors):
            raise SparseCoreError(
                f"feature {name!r}: sample {place} has {np.size(sample)} ids and "
                f"{np.size(factors)} weights; expected a weight for each id"
            )


def _check_vector(name: str, place: int, sample: Any, expected: tuple[str, str]) -> None:
    contents, dtype = expected
    if not isinstance(sample, np.ndarray) or sample.ndim != 1:
        kind = type(sample).__name__
        if isinstance(sample, np.ndarray):
            kind = f"{sample.ndim}-D numpy array"
        raise SparseCoreError(
            f"feature {name!r}: the {contents} of sample {place} are a {kind}; expected a 1-D "
            "numpy array, since the feature is an object array"
        )
    if sample.dtype != dtype and sample.size:
        warn_once(
            f"{contents} of {name}",
            f"feature {name!r}: the {contents} of sample {place} are an array of {sample.dtype}, "
            f"whose memory jax-tpu-embedding reads as {dtype}, so that they are wrong; "
            f"expected {dtype}",
        )


def _check_memory(name: str, feature: npt.NDArray[Any]) -> None:
    if feature.flags.fnc:
        warn_once(
            f"order of {name}",
            f"feature {name!r}: the ids are in column-major order, which jax-tpu-embedding reads "
            "as row-major, so that they are wrong; expected numpy.ascontiguousarray of them",
        )


Flat = tuple[npt.NDArray[Any], npt.NDArray[np.int64], int]
"""The ids; the position of each sample, if they differ in length; and their length, if not."""


def _flat(feature: Any) -> Flat:
    if not is_ragged(feature):
        matrix = np.asarray(feature)
        return matrix.reshape(-1), _NO_SPLITS, matrix.shape[1]
    samples = [np.ravel(sample) for sample in feature]
    splits = np.cumsum([0, *map(len, samples)], dtype=np.int64)
    return np.concatenate([np.empty(0, np.int32), *samples]), splits, -1


def _ordered(indices: npt.NDArray[Any], values: npt.NDArray[Any], shape: npt.NDArray[Any]) -> Flat:
    """Return the ids of a sparse matrix, sample after sample."""
    order = np.argsort(indices[:, 0], kind="stable")
    splits = np.searchsorted(indices[order, 0], np.arange(int(shape[0]) + 1))
    return values[order], splits.astype(np.int64), -1


def _is_within(values: npt.NDArray[Any], vocabulary: int) -> bool:
    if not values.size:
        return True
    if values.dtype == np.int32:
        # As unsigned numbers, negative ones are the largest: one comparison instead of two.
        return int(values.view(np.uint32).max()) < vocabulary
    return bool(values.min() >= 0 and values.max() < vocabulary)


def _vocabulary(spec: Any) -> int:
    return int(spec.table_spec.vocabulary_size)


def _report(
    spec: Any, values: npt.NDArray[Any], splits: npt.NDArray[np.int64], valency: int
) -> None:
    size = _vocabulary(spec)
    table = TableSpec(spec.table_spec.name, size, int(spec.table_spec.embedding_dim))
    # The number of samples does not matter here.
    report_bad_id(Ids(spec.name, table, values, splits, valency, NO_WEIGHTS, 0), size)


def ids_of(given: Mapping[str, Any]) -> dict[str, tuple[npt.NDArray[Any], npt.NDArray[np.int64]]]:
    """Return copies of the ids of a call by feature, and the position of each sample's first one.

    Args:
        given: the arguments by name, which `check_ids` has checked.
    """
    specs = given["feature_specs"]
    if "features" in given:
        flat = [_flat(feature) for feature in given["features"]]
    else:
        sparse = zip(given["indices"], given["values"], given["dense_shapes"], strict=True)
        flat = [_ordered(*map(np.asarray, each)) for each in sparse]
    found = {}
    for spec, (values, splits, valency) in zip(specs, flat, strict=True):
        even = np.arange(len(values) // max(valency, 1) + 1, dtype=np.int64) * valency
        found[spec.name] = (np.array(values), splits if valency < 0 else even)
    return found
