"""Samples written to files of all kinds, as `sdykit limits` reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

Samples = Sequence[Sequence[int]]


def write_npz(path: Path, features: Mapping[str, Samples], dense: Sequence[str] = ()) -> None:
    """Write ragged features, and those named `dense` as matrices."""
    arrays: dict[str, np.ndarray] = {}
    for name, samples in features.items():
        if name in dense:
            arrays[name] = np.array(samples, np.int64).reshape(len(samples), -1)
            continue
        lengths = [len(sample) for sample in samples]
        arrays[f"{name}.values"] = np.array([i for each in samples for i in each], np.int64)
        arrays[f"{name}.row_splits"] = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    np.savez(path, allow_pickle=False, **arrays)


def write_csv(
    path: Path, features: Mapping[str, Samples], first: int = 0, gains: bool = False
) -> None:
    """Write lines in the order of the samples, which are numbered from `first` on."""
    lines = ["sample,feature,id,gain" if gains else "sample,feature,id"]
    for row in range(max(len(samples) for samples in features.values())):
        for name, samples in features.items():
            lines += [
                f"{first + row},{name},{number}" + (",0.0" if gains else "")
                for number in samples[row]
            ]
    path.write_text("\n".join(lines) + "\n")
