"""The quality of a ranking of clicks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def auc(scores: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """Return the area under the ROC curve: how often a click scores higher than a sample without.

    Equal scores count half. Computed from ranks (Mann and Whitney 1947), in the time of a sort.

    Args:
        scores: `[samples]`, of any scale.
        labels: `[samples]`: 1 for a click, else 0.

    Returns:
        A number from 0 to 1, 0.5 by chance; NaN if all labels are equal, or a score is NaN.
    """
    values, clicked = np.asarray(scores), np.asarray(labels) > 0.5
    clicks = np.count_nonzero(clicked)
    others = clicked.size - clicks
    if not clicks or not others or np.isnan(values).any():
        return float("nan")
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    # Samples of equal score share the mean of the ranks that they take, which count from 1.
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return float((ranks[clicked].sum() - clicks * (clicks + 1) / 2) / (clicks * others))
