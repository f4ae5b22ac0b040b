"""Errors about weights, their sums, and the gains of duplicates, which name the sample."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.inputs import Ids
from sdykit.sparsecore.reference.gains import add_square

Vector = npt.NDArray[np.float32]


def check_weights(ids: Ids) -> None:
    """Check that weights are finite.

    Raises:
        SparseCoreError: one is not; the text names the first, its sample and its id.
    """
    not_finite = np.flatnonzero(~np.isfinite(ids.weights))
    if not_finite.size:
        position = int(not_finite[0])
        raise SparseCoreError(
            f"feature {ids.name!r}, sample {ids.sample_of(position)}: weight of id "
            f"{ids.values[position]} is {ids.weights[position]}; expected a finite float32"
        )


def check_sums(ids: Ids, combiner: str) -> None:
    """Check that weights can be divided by their sums, and gains of duplicates can be added.

    Sums are computed in float32, in the order of the ids, as in the native loops.

    Raises:
        SparseCoreError: they cannot; the text names the first such sample.
    """
    weights = ids.weights if ids.weights.size else np.ones(len(ids.values), np.float32)
    splits = ids.splits if ids.valency < 0 else np.arange(ids.samples + 1) * ids.valency
    samples = np.repeat(np.arange(ids.samples), np.diff(splits))
    with np.errstate(all="ignore"):
        if combiner == "sum":
            _check_duplicates(ids, samples, weights, "weights")
            return
        totals = _totals(combiner, samples, weights, ids.samples)
        _check_totals(ids, samples, totals, combiner)
        gains = weights / (np.sqrt(totals) if combiner == "sqrtn" else totals)[samples]
        _check_quotients(ids, samples, totals, gains)
        _check_duplicates(ids, samples, gains, "gains")


def _totals(combiner: str, samples: npt.NDArray[np.int64], weights: Vector, number: int) -> Vector:
    totals = np.zeros(number, np.float32)
    if combiner == "mean":
        np.add.at(totals, samples, weights)
        return totals
    for sample, weight in zip(samples.tolist(), weights, strict=True):
        totals[sample] = add_square(np.float32(totals[sample]), weight)
    return totals


def _check_totals(ids: Ids, samples: npt.NDArray[np.int64], totals: Vector, combiner: str) -> None:
    wrong = np.flatnonzero(((totals == 0) | ~np.isfinite(totals))[samples])
    if wrong.size:
        sample = samples[wrong[0]]
        what = "weights" if combiner == "mean" else "squares of weights"
        raise SparseCoreError(
            f"feature {ids.name!r}, sample {sample}: the {what} sum to {totals[sample]}; "
            f"expected a finite sum other than 0, as {combiner} divides by it"
        )


def _check_quotients(
    ids: Ids, samples: npt.NDArray[np.int64], totals: Vector, gains: Vector
) -> None:
    wrong = np.flatnonzero(np.isinf(gains))
    if wrong.size:
        sample = samples[wrong[0]]
        raise SparseCoreError(
            f"feature {ids.name!r}, sample {sample}: the weights sum to {totals[sample]}, and a "
            "weight divided by it is beyond float32; expected a sum farther from 0"
        )


def _check_duplicates(ids: Ids, samples: npt.NDArray[np.int64], gains: Vector, what: str) -> None:
    order = np.lexsort((ids.values, samples))  # Stable: duplicates keep their order.
    keys = np.stack([samples[order], ids.values[order]])
    entries = np.cumsum(np.append(False, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    sums = np.zeros(len(order), np.float32)
    np.add.at(sums, entries, gains[order])
    wrong = np.flatnonzero(np.isinf(sums[entries]))
    if wrong.size:
        sample, number = keys[:, wrong[0]]
        raise SparseCoreError(
            f"feature {ids.name!r}, sample {sample}: the {what} of id {number}, which is there "
            f"more than once, sum to {sums[entries[wrong[0]]]}; expected a finite float32"
        )
