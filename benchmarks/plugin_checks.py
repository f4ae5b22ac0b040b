"""Time what the plugin checks before jax-tpu-embedding's preprocessing, beside that.

    python benchmarks/plugin_checks.py             # print the table
    python benchmarks/plugin_checks.py --quick     # fewer runs
    python benchmarks/plugin_checks.py --write docs/benchmarks.md

The library preprocesses a batch with and without the checks before it, in turns in one process.
"""

from __future__ import annotations

import statistics
from typing import Any

import jax
import numpy as np
from preprocess import VOCABULARY, Case, Library, needed_buffer, silence
from report import Cells, Table, arguments, figure, publish, seconds

from sdykit.bridge.jax_tpu_embedding.preprocessing.ids import check_ids
from sdykit.bridge.jax_tpu_embedding.preprocessing.samples import check_samples
from sdykit.sparsecore.specs import System

SHAPES = ((1, 64, 8), (1, 4096, 8), (1, 65536, 8), (26, 512, 8), (26, 4096, 1), (26, 4096, 32))
AIM = 0.05
HEADS = ["ids", "features x batch x valency", "library, ms", "with checks, ms", "checks"]


def ragged(ids: np.ndarray) -> np.ndarray:
    """Return an object array of samples, of 1 to all ids each."""
    lengths = np.random.default_rng(0).integers(1, ids.shape[1] + 1, len(ids))
    samples = np.empty(len(ids), object)
    samples[:] = [ids[i, :length].copy() for i, length in enumerate(lengths)]
    return samples


def measure(case: Case, kind: str, runs: int) -> Cells:
    """Return the row of a case: medians in milliseconds, and what the checks add."""
    library = Library(case, needed_buffer(case, System(1, 4)))
    features: list[Any] = list(case.ids().values())
    if kind == "ragged":
        features = [ragged(each) for each in features]
    given = {
        "features": features,
        "feature_weights": None,
        "feature_specs": library.specs,
        "local_device_count": 1,
        "global_device_count": 1,
        "num_sc_per_device": 4,
    }

    def with_checks() -> None:
        # Together: memory that the checks have brought into caches, the library finds there.
        check_samples(given)
        check_ids(given, outside=True)
        library(features, None)

    with silence():
        alone, checked = zip(
            *(
                (seconds(lambda: library(features, None)), seconds(with_checks))
                for _ in range(runs)
            ),
            strict=True,
        )
    plain, total = statistics.median(alone), statistics.median(checked)
    shape = f"{case.features} x {case.batch} x {case.valency}"
    return [
        kind,
        shape,
        figure(plain * 1e3, ".2f"),
        figure(total * 1e3, ".2f"),
        figure(total / plain - 1, ".1%"),
    ]


def main() -> None:
    """Run the benchmark."""
    args = arguments(__doc__).parse_args()
    jax.devices()  # So that the plugin is there, and stays out of what is timed.
    rows = [
        measure(Case("uniform", *shape, 1, False), kind, 5 if args.quick else 31)
        for kind in ("dense", "ragged")
        for shape in SHAPES
    ]
    notes = [f"Vocabularies of {VOCABULARY}; aim: at most {AIM:.0%}."]
    table = Table("Checks of the plugin", HEADS, rows, notes=notes)
    publish("plugin_checks.py", [table], args)


if __name__ == "__main__":
    main()
