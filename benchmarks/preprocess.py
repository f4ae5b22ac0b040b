"""Compare the speed of preprocessing with jax-tpu-embedding's C++ preprocessor.

    python benchmarks/preprocess.py                # print the table
    python benchmarks/preprocess.py --quick        # small batches, fewer runs
    python benchmarks/preprocess.py --write docs/benchmarks.md

Both get the same arrays and write buffers of the same sizes; they take turns in one process, and
their buffers are compared before they are timed.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import os
import statistics
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax_tpu_embedding.sparsecore.lib.nn import embedding, embedding_spec
from report import Cells, Table, arguments, figure, publish, seconds
from rich.console import Console

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.preprocess import Layout, preprocess
from sdykit.sparsecore.preprocess.results import Preprocessed
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import Stack, stack

native: Any = importlib.import_module(  # A compiled module without types.
    "jax_tpu_embedding.sparsecore.lib.core.pybind_input_preprocessing"
)

SHAPES = (
    (1, 4096, 1),
    (1, 16384, 1),
    (1, 65536, 1),
    (1, 4096, 16),
    (26, 4096, 1),
    (26, 16384, 1),
    (26, 65536, 1),
    (26, 4096, 16),
)
QUICK_SHAPES = ((1, 4096, 1), (26, 4096, 1))
DEVICES = (1, 4)
SPARSE_CORES = 4
VOCABULARY = 1_000_000
ZIPF = 1.2
AIM, FLOOR = 3, 1.5
UNLIMITED = 2**30
CONFIG = SparsecoreConfig(max_ids_per_chip_per_sample=UNLIMITED)
HEADS = [
    "ids",
    "features x batch x valency",
    "devices",
    "C++, ms",
    "ours, ms",
    "ratio",
    "own, ms",
    "ratio of own",
]


@dataclass(frozen=True)
class Case:
    """A batch, and the number of devices that it is preprocessed for."""

    kind: str
    features: int
    batch: int
    valency: int
    devices: int
    weighted: bool

    def ids(self) -> dict[str, np.ndarray]:
        """Return random ids by feature, the same in every call."""
        random = np.random.default_rng(self.features * self.batch * self.valency)
        shape = (self.batch, self.valency)
        result: dict[str, np.ndarray] = {}
        for number in range(self.features):
            if self.kind == "zipf":
                drawn = np.minimum(random.zipf(ZIPF, shape), 2**60) % VOCABULARY
            else:
                drawn = random.integers(0, VOCABULARY, shape)
            result[f"f{number:02}"] = drawn.astype(np.int32)
        return result

    def weights(self) -> dict[str, np.ndarray] | None:
        """Return random weights by feature, the same in every call; None if there are none."""
        if not self.weighted:
            return None
        random = np.random.default_rng(1)
        shape = (self.batch, self.valency)
        names = [f"f{number:02}" for number in range(self.features)]
        return {name: random.random(shape, np.float32) for name in names}


@dataclass(frozen=True)
class Row:
    """The median times of a case, in seconds."""

    case: Case
    native: float
    compatible: float
    own: float

    @property
    def ratio(self) -> float:
        """The time of the C++ preprocessor, divided by that of the compatible layout."""
        return self.native / self.compatible

    @property
    def ratio_of_own(self) -> float:
        """The same for the layout `sdykit`."""
        return self.native / self.own

    def cells(self) -> Cells:
        """Return a row of the table."""
        case = self.case
        return [
            f"{case.kind}, weighted" if case.weighted else case.kind,
            f"{case.features} x {case.batch} x {case.valency}",
            str(case.devices),
            figure(self.native * 1e3, ".2f"),
            figure(self.compatible * 1e3, ".2f"),
            figure(self.ratio, ".2f", "x"),
            figure(self.own * 1e3, ".2f"),
            figure(self.ratio_of_own, ".2f", "x"),
        ]


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Discard the lines that C++ writes to standard error for each table and call."""
    sys.stderr.flush()
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


class Library:
    """The C++ preprocessor, set up for a case."""

    def __init__(self, case: Case, buffer_size: int) -> None:
        self.case = case
        self.specs: list[Any] = []
        for name in case.ids():
            table = embedding_spec.TableSpec(
                name=f"t{name[1:]}",
                vocabulary_size=VOCABULARY,
                embedding_dim=8,
                initializer=jax.nn.initializers.zeros,
                optimizer=embedding_spec.SGDOptimizerSpec(learning_rate=0.1),
                combiner="sum",
                max_ids_per_partition=UNLIMITED,
                max_unique_ids_per_partition=UNLIMITED,
                suggested_coo_buffer_size_per_device=buffer_size,
            )
            self.specs.append(
                embedding_spec.FeatureSpec(
                    name=name,
                    table_spec=table,
                    input_shape=(case.batch, case.valency),
                    output_shape=(case.batch, 8),
                )
            )
        embedding.prepare_feature_specs_for_training(
            self.specs, global_device_count=case.devices, num_sc_per_device=SPARSE_CORES
        )

    def __call__(self, ids: list[np.ndarray], weights: list[np.ndarray] | None) -> Any:
        devices = self.case.devices
        return native.preprocess_sparse_dense_matmul_input(
            ids, weights, self.specs, devices, devices, num_sc_per_device=SPARSE_CORES
        )


def our_stacks(case: Case, system: System, buffer_size: int) -> tuple[Stack, ...]:
    """Return the stacks of a case: a table for each feature, none stacked."""
    features = [
        FeatureSpec(
            name,
            TableSpec(
                f"t{name[1:]}",
                VOCABULARY,
                8,
                max_ids_per_partition=UNLIMITED,
                max_unique_ids_per_partition=UNLIMITED,
                buffer_size_per_device=buffer_size,
            ),
            case.batch,
        )
        for name in case.ids()
    ]
    return stack(features, system, disable_table_stacking=True)


def needed_buffer(case: Case, system: System) -> int:
    """Return the number of entries in a device's buffers that is enough for every table."""
    generous = case.batch * case.valency + 8 * system.num_sparse_cores * SPARSE_CORES
    stacks = our_stacks(case, system, generous * SPARSE_CORES)
    found = preprocess(
        case.ids(), stacks, system, config=CONFIG, layout="jax_tpu_embedding"
    ).statistics
    largest = max(int(each.required_buffer_size.max()) for each in found.values())
    return largest * SPARSE_CORES


def check_same(ours: Preprocessed, theirs: Any, case: Case) -> None:
    """Check that row pointers, and the entries between them, are equal."""
    width = max(case.devices * SPARSE_CORES, 8)
    for name, mine in ours.buffers.items():
        if not np.array_equal(mine.row_pointers.reshape(-1), theirs[0][name]):
            raise SystemExit(f"{case}: row pointers of {name} differ")
        ends = mine.row_pointers.reshape(-1, width)[:, -1]
        for array, other in zip(
            (mine.embedding_ids, mine.sample_ids, mine.gains), theirs[1:4], strict=True
        ):
            pair = (array.reshape(len(ends), -1), other[name].reshape(len(ends), -1))
            for core, end in enumerate(-(-ends // 8) * 8):
                left, right = (each[core, :end].view(np.int32) for each in pair)
                if not np.array_equal(left, right):
                    raise SystemExit(f"{case}: entries of {name} differ")


def measure(case: Case, runs: int) -> Row:
    """Return the times of one case; the preprocessors take turns."""
    system = System(case.devices, SPARSE_CORES)
    size = needed_buffer(case, system)
    library, stacks, ids = Library(case, size), our_stacks(case, system, size), case.ids()
    weights = case.weights()
    arrays = list(ids.values()), list(weights.values()) if weights else None

    def ours(layout: Layout) -> Preprocessed:
        return preprocess(ids, stacks, system, weights=weights, config=CONFIG, layout=layout)

    with silence():
        check_same(ours("jax_tpu_embedding"), library(*arrays), case)
        ours("sdykit")
        times = [
            (
                seconds(lambda: library(*arrays)),
                seconds(lambda: ours("jax_tpu_embedding")),
                seconds(lambda: ours("sdykit")),
            )
            for _ in range(runs)
        ]
    return Row(case, *(statistics.median(each) for each in zip(*times, strict=True)))


def geometric_mean(ratios: Iterable[float]) -> float:
    """Return the geometric mean of ratios."""
    return math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))


def cases(quick: bool) -> list[Case]:
    """Return the matrix."""
    return [
        Case(kind, *shape, devices, weighted)
        for weighted in (False, True)
        for kind in ("uniform", "zipf")
        for shape in (QUICK_SHAPES if quick else SHAPES)
        for devices in DEVICES
    ]


def main() -> None:
    """Run the benchmark."""
    parser = arguments(__doc__, quick="small batches, fewer runs")
    parser.add_argument("--runs", type=int, metavar="N", help="runs of each (default 21, or 5)")
    args = parser.parse_args()
    runs = args.runs or (5 if args.quick else 21)
    rows: list[Row] = []
    with Console(stderr=True).status("") as status:
        for case in cases(args.quick):
            status.update(str(case))
            rows.append(measure(case, runs))
    ratios, of_own = [row.ratio for row in rows], [row.ratio_of_own for row in rows]
    summary = (
        f"Geometric mean {geometric_mean(ratios):.2f}x, lowest {min(ratios):.2f}x; own layout: "
        f"{geometric_mean(of_own):.2f}x, lowest {min(of_own):.2f}x."
    )
    title = f"Preprocessing; aim: {AIM}x, nowhere below {FLOOR}x"
    missed = {at for at, row in enumerate(rows) if row.ratio < FLOOR}
    table = Table(title, HEADS, [row.cells() for row in rows], missed, [summary])
    publish("preprocess.py", [table], args, ["jax-tpu-embedding"])


if __name__ == "__main__":
    main()
