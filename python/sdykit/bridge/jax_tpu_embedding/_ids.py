"""Ids that the library's preprocessing would misread, or read rows of nobody with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sdykit.bridge.jax_tpu_embedding._warn import warn_once
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.inputs import NO_WEIGHTS, Ids, report_bad_id
from sdykit.sparsecore.specs import TableSpec

_DENSE = 2
_NO_SPLITS = np.empty(0, np.int64)


def check_ids(given: Mapping[str, Any], *, outside: bool) -> None:
    """Check the ids of a call.

    Args:
        given: the arguments by name; ids are the `features`, or the `values` at `indices`.
        outside: whether ids outside of their vocabulary are an error.

    Raises:
        SparseCoreError: one is; or features are such that the library would end the process.

    Warns:
        UserWarning: the samples of a feature are arrays that are not int32.
    """
    specs, features = given["feature_specs"], given.get("features", ())
    if "features" in given and len(features) != len(specs):
        raise SparseCoreError(
            f"features: there are {len(features)}; expected {len(specs)}, as many as feature_specs"
        )
    for spec, feature in zip(specs, features, strict=False):
        _check_form(spec.name, feature)
        _check_dtype(spec.name, feature)
        if outside:
            _check_range(spec, *_flat(feature))
    if outside and "values" in given:
        sparse = zip(given["indices"], given["values"], given["dense_shapes"], strict=False)
        for spec, feature in zip(given["feature_specs"], sparse, strict=False):
            _check_range(spec, *_ordered(*map(np.asarray, feature)))


def _check_form(name: str, feature: Any) -> None:
    if not isinstance(feature, np.ndarray):
        return
    shape = ",".join(map(str, feature.shape))
    if feature.dtype != object and feature.ndim != _DENSE:
        raise SparseCoreError(
            f"feature {name!r}: ids are {feature.dtype}[{shape}]; expected [samples,valency], or "
            "an object array of samples"
        )
    if feature.dtype != object or feature.ndim != 1 or not feature.size:
        return
    first = feature[0]
    if not isinstance(first, np.ndarray) or first.ndim != 1:
        raise SparseCoreError(
            f"feature {name!r}: sample 0 is a {type(first).__name__}; expected a 1-D numpy array, "
            "as the feature is an object array"
        )


def _check_dtype(name: str, feature: Any) -> None:
    """Look at the first sample; to look at all would take longer than preprocessing."""
    if not _is_ragged(feature) or not len(feature):
        return
    dtype = getattr(feature[0], "dtype", np.dtype(np.int32))
    if dtype != np.int32:
        warn_once(
            f"dtype of {name}",
            f"feature {name!r}: the samples are arrays of {dtype}, whose memory jax-tpu-embedding "
            "reads as int32, so that the ids are wrong; expected int32",
        )


def _is_ragged(feature: Any) -> bool:
    if isinstance(feature, np.ndarray):
        return feature.dtype == object
    return isinstance(feature, Sequence)


Flat = tuple[npt.NDArray[Any], npt.NDArray[np.int64], int]
"""Ids; where the samples start, if they differ in length; and their length, if not."""


def _flat(feature: Any) -> Flat:
    if not _is_ragged(feature):
        ids = np.asarray(feature)
        return ids.reshape(-1), _NO_SPLITS, ids.shape[1] if ids.ndim == 2 else 1
    samples = [np.ravel(sample) for sample in feature]
    splits = np.cumsum([0, *map(len, samples)], dtype=np.int64)
    return np.concatenate([np.empty(0, np.int32), *samples]), splits, -1


def _ordered(indices: npt.NDArray[Any], values: npt.NDArray[Any], shape: npt.NDArray[Any]) -> Flat:
    """Give the ids of a sparse matrix sample after sample."""
    order = np.argsort(indices[:, 0], kind="stable")
    splits = np.searchsorted(indices[order, 0], np.arange(int(shape[0]) + 1))
    return values[order], splits.astype(np.int64), -1


def _check_range(
    spec: Any, values: npt.NDArray[Any], splits: npt.NDArray[np.int64], valency: int
) -> None:
    size = int(spec.table_spec.vocabulary_size)
    if not values.size or (values.min() >= 0 and values.max() < size):
        return
    table = TableSpec(spec.table_spec.name, size, int(spec.table_spec.embedding_dim))
    # How many samples there are is of no account here.
    report_bad_id(Ids(spec.name, table, values, splits, valency, NO_WEIGHTS, 0), size)
