"""The forms in which a user passes a feature's ids, and the one that preprocessing works on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError, shown
from sdykit.sparsecore.specs import INT32_MAX, TableSpec, as_integer

NO_WEIGHTS = np.empty(0, np.float32)
_NO_SPLITS = np.empty(0, np.int64)
_ID_DTYPES = (np.dtype(np.int32), np.dtype(np.int64))


@dataclasses.dataclass(frozen=True, eq=False)
class Ragged:
    """Samples of any number of ids: sample `i` has `values[row_splits[i] : row_splits[i + 1]]`."""

    values: npt.ArrayLike
    """int32 or int64 `[n]`."""
    row_splits: npt.ArrayLike
    """Integers `[samples + 1]`, from 0 to `n`, not falling."""


@dataclasses.dataclass(frozen=True, eq=False)
class Sparse:
    """Ids at places of a `[samples, valency]` matrix; within a sample their order is kept."""

    indices: npt.ArrayLike
    """Integers `[n, 2]`: sample and column."""
    values: npt.ArrayLike
    """int32 or int64 `[n]`."""
    shape: tuple[int, int]
    """Samples and columns."""


FeatureInput = npt.ArrayLike | Ragged | Sparse
"""Dense ids `[samples, valency]`, in which -1 is padding, or one of the classes above."""

NO_ID = -1
"""The padding of dense samples that have fewer ids than columns, as in
`sdykit.sparsecore.lookup`."""


@dataclasses.dataclass(frozen=True, eq=False)
class Ids:
    """A feature's ids, sample after sample."""

    name: str
    """The name of the feature."""
    table: TableSpec
    values: npt.NDArray[np.int32] | npt.NDArray[np.int64]
    """`[n]`: the ids."""
    splits: npt.NDArray[np.int64]
    """`[samples + 1]`: the position of each sample's first id, and `n`; empty if all samples have
    `valency` ids."""
    valency: int
    """Ids in every sample, or -1 if the samples differ."""
    weights: npt.NDArray[np.float32]
    """`[n]`, or empty: every weight is 1."""
    samples: int

    def sample_of(self, position: int) -> int:
        """Find the sample that an id belongs to."""
        if self.valency >= 0:
            return position // self.valency
        return int(np.searchsorted(self.splits, position, side="right")) - 1


def read_feature(
    name: str,
    table: TableSpec,
    given: FeatureInput,
    weights: npt.ArrayLike | None,
    samples: int,
    *,
    is_padded: bool = True,
) -> Ids:
    """Check the form of a feature; its ids and weights are checked where they are read.

    Weights have the shape of dense ids, or of `values`. float64 weights are rounded to float32.

    Args:
        name: the name of the feature.
        table: the table that it looks up.
        given: its ids.
        weights: a weight for each id; None: all are 1.
        samples: the number of samples that the feature must have.
        is_padded: whether `NO_ID` in dense ids is padding; otherwise it is an id out of range.

    Raises:
        SparseCoreError: a dtype, rank, length or batch size is wrong, row splits do not go from 0
            to the number of values, or indices are outside of their shape.
    """
    where = f"feature {name!r}"
    if isinstance(given, Ragged):
        values = _ids(where, given.values, 1)
        splits = _splits(where, given.row_splits, len(values))
        _check_samples(where, len(splits) - 1, samples)
        return Ids(name, table, values, splits, -1, _weights(where, weights, values.shape), samples)
    if isinstance(given, Sparse):
        return _read_sparse(name, table, given, weights, samples)
    values = _ids(where, given, 2)
    _check_samples(where, len(values), samples)
    factors = _weights(where, weights, values.shape)
    is_id = values != NO_ID if is_padded and values.size and values.min() < 0 else None
    if is_id is None or is_id.all():
        return Ids(name, table, values.reshape(-1), _NO_SPLITS, values.shape[1], factors, samples)
    splits = np.concatenate(([0], np.cumsum(is_id.sum(axis=1, dtype=np.int64))))
    factors = factors[is_id.reshape(-1)] if factors.size else factors
    return Ids(name, table, values[is_id], splits, -1, factors, samples)


def _read_sparse(
    name: str, table: TableSpec, given: Sparse, weights: npt.ArrayLike | None, samples: int
) -> Ids:
    where = f"feature {name!r}"
    values = _ids(where, given.values, 1)
    factors = _weights(where, weights, values.shape)
    indices = _array(where, "indices", given.indices)
    shape = _shape(where, given.shape)
    if indices.dtype.kind not in "iu" or indices.shape != (len(values), 2):
        raise SparseCoreError(
            f"{where}: indices are {indices.dtype}{list(indices.shape)}; "
            f"expected integers [{len(values)}, 2], as there are {len(values)} values"
        )
    _check_samples(where, shape[0], samples)
    outside = np.flatnonzero(((indices < 0) | (indices >= shape)).any(axis=1))
    if outside.size:
        place = int(outside[0])
        raise SparseCoreError(
            f"{where}: indices[{place}] is {indices[place].tolist()}; "
            f"expected a place in {list(shape)}"
        )
    rows = indices[:, 0]
    if (rows[1:] < rows[:-1]).any():
        order = np.argsort(rows, kind="stable")
        rows, values = rows[order], values[order]
        factors = factors[order] if factors.size else factors
    splits = np.searchsorted(rows, np.arange(samples + 1)).astype(np.int64)
    return Ids(name, table, values, splits, -1, factors, samples)


def _array(where: str, what: str, given: npt.ArrayLike) -> npt.NDArray:
    if isinstance(given, np.ma.MaskedArray):
        raise SparseCoreError(
            f"{where}: {what} are a masked array; expected one without a mask, or Ragged"
        )
    try:
        return np.asarray(given)
    except ValueError:
        raise SparseCoreError(
            f"{where}: {what} have rows of several lengths; expected an array"
            f"{', or Ragged' if what == 'ids' else ''}"
        ) from None


def _shape(where: str, given: object) -> tuple[int, int]:
    sizes = [as_integer(each) for each in given] if isinstance(given, Iterable) else []
    if len(sizes) != 2 or sizes[0] is None or sizes[1] is None:
        raise SparseCoreError(
            f"{where}: shape is {shown(given)}; expected the integers (samples, columns)"
        )
    return sizes[0], sizes[1]


def _ids(where: str, given: npt.ArrayLike, rank: int) -> npt.NDArray[np.int32]:
    values = _array(where, "ids", given)
    if values.ndim != rank:
        raise SparseCoreError(
            f"{where}: ids have shape {list(values.shape)}; expected {rank} "
            f"dimension{'s' if rank > 1 else ''}"
        )
    if values.dtype not in _ID_DTYPES:
        raise SparseCoreError(f"{where}: ids are {values.dtype}; expected int32 or int64")
    return np.ascontiguousarray(values)


def _weights(
    where: str, given: npt.ArrayLike | None, shape: tuple[int, ...]
) -> npt.NDArray[np.float32]:
    if given is None:
        return NO_WEIGHTS
    weights = _array(where, "weights", given)
    if weights.dtype not in (np.float32, np.float64):
        raise SparseCoreError(f"{where}: weights are {weights.dtype}; expected float32")
    if weights.shape != shape:
        raise SparseCoreError(
            f"{where}: weights have shape {list(weights.shape)}; expected that of the ids, "
            f"{list(shape)}"
        )
    with np.errstate(over="ignore"):  # What float32 cannot hold becomes inf, and is found later.
        return np.ascontiguousarray(weights, np.float32).reshape(-1)


def _splits(where: str, given: npt.ArrayLike, ids: int) -> npt.NDArray[np.int64]:
    splits = _array(where, "row_splits", given)
    if splits.ndim != 1 or splits.dtype.kind not in "iu" or not splits.size:
        raise SparseCoreError(
            f"{where}: row_splits are {splits.dtype}{list(splits.shape)}; "
            "expected integers [samples + 1]"
        )
    if splits[0] != 0 or splits[-1] != ids:
        raise SparseCoreError(
            f"{where}: row_splits go from {splits[0]} to {splits[-1]}; "
            f"expected from 0 to {ids}, the number of values"
        )
    falling = np.flatnonzero(splits[1:] < splits[:-1])
    if falling.size:
        sample = int(falling[0])
        raise SparseCoreError(
            f"{where}: row_splits fall from {splits[sample]} to {splits[sample + 1]} "
            f"at sample {sample}; expected them to rise or stay"
        )
    return np.ascontiguousarray(splits, np.int64)


def _check_samples(where: str, found: int, expected: int) -> None:
    if found != expected:
        raise SparseCoreError(f"{where}: there are {found} samples; expected {expected}")


def report_bad_id(ids: Ids, bound: int) -> NoReturn:
    """Raise an error for the first id outside `[0, bound)`."""
    position = int(np.flatnonzero((ids.values < 0) | (ids.values >= bound))[0])
    size = ids.table.vocabulary_size
    expected = (
        f"[0, {size}), the vocabulary of table {ids.table.name!r}"
        if bound == size
        else f"[0, {INT32_MAX}]"
    )
    raise SparseCoreError(
        f"feature {ids.name!r}, sample {ids.sample_of(position)}: id is "
        f"{ids.values[position]}; expected one in {expected}"
    )
