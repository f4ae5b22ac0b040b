"""Random programs with their data, and their limits counted in plain Python."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from typing import Any

import numpy as np

from sdykit.sparsecore.inputs import Ragged, Sparse
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import Stack, stack

Samples = list[list[int]]


@dataclasses.dataclass(frozen=True)
class Case:
    """A program, and its batches in two forms: as lists, and as a user passes features."""

    system: System
    features: list[FeatureSpec]
    disable_table_stacking: bool
    rotation: int | None
    samples: list[dict[str, Samples]]
    batches: list[dict[str, Any]]
    weights: list[dict[str, Any]]

    @property
    def stacks(self) -> tuple[Stack, ...]:
        return stack(self.features, self.system, self.disable_table_stacking, self.rotation)


def random_case(seed: int, steps: int = 1) -> Case:
    """Make a program of some tables and features, and some batches."""
    rng = np.random.default_rng(seed)
    system = System(int(rng.choice([1, 2, 4])), int(rng.choice([1, 2, 4])))
    combiner = str(rng.choice(["sum", "mean", "sqrtn"]))
    tables = [
        TableSpec(
            f"table{number}",
            int(rng.integers(1, 200)),
            int(rng.choice([3, 8, 16])),
            combiner=combiner,  # pyright: ignore[reportArgumentType]
            buffer_size_per_device=8 if rng.random() < 0.2 else None,
        )
        for number in range(rng.integers(1, 5))
    ]
    features = [
        FeatureSpec(
            f"feature{number}",
            tables[number] if number < len(tables) else tables[rng.integers(len(tables))],
            system.num_sparse_cores * int(rng.integers(1, 5)),
        )
        for number in range(len(tables) + rng.integers(0, 3))
    ]
    drawn = [{each.name: _drawn(rng, each) for each in features} for _ in range(steps)]
    return Case(
        system=system,
        features=features,
        disable_table_stacking=bool(rng.random() < 0.3),
        rotation=None if rng.random() < 0.5 else int(rng.integers(0, 20)),
        samples=[{name: each[0] for name, each in step.items()} for step in drawn],
        batches=[{name: each[1] for name, each in step.items()} for step in drawn],
        weights=[{name: each[2] for name, each in step.items()} for step in drawn],
    )


def _drawn(rng: np.random.Generator, feature: FeatureSpec) -> tuple[Samples, Any, Any]:
    """Draw the ids of a feature; hot ones and duplicates in a sample are frequent."""
    kind, max_ids = rng.choice(["dense", "ragged", "sparse"]), int(rng.integers(0, 9))
    lengths = np.full(feature.batch_size, max_ids)
    if kind != "dense":
        lengths = rng.integers(0, max_ids + 1, feature.batch_size)
    size = feature.table.vocabulary_size
    values = rng.integers(0, size, lengths.sum())
    values = np.where(rng.random(values.size) < 0.5, values % min(size, 3), values)
    values = values.astype(str(rng.choice(["int32", "int64"])))
    weights = (rng.random(values.size) + 0.5).astype(np.float32)
    splits = np.concatenate([[0], np.cumsum(lengths)])
    samples = [each.tolist() for each in np.split(values, splits[1:-1])]
    if kind == "dense":
        shape = (feature.batch_size, max_ids)
        return samples, values.reshape(shape), weights.reshape(shape)
    if kind == "ragged":
        return samples, Ragged(values, splits), weights
    rows = np.repeat(np.arange(feature.batch_size), lengths)
    columns = np.arange(values.size) - splits[rows]
    shape = (feature.batch_size, max_ids + 1)
    return samples, Sparse(np.stack([rows, columns], axis=1), values, shape), weights


@dataclasses.dataclass
class Plain:
    """The ids of one table or stack, counted one by one."""

    ids: Counter[tuple[int, int, int]] = dataclasses.field(default_factory=Counter)
    """The number of ids by step, SparseCore and partition."""
    unique_ids: defaultdict[tuple[int, int, int], set[Any]] = dataclasses.field(
        default_factory=lambda: defaultdict(set)
    )
    of_sample: Counter[Any] = dataclasses.field(default_factory=Counter)

    def add(self, place: tuple[int, int, int], table: str, number: int, sample: Any) -> None:
        self.ids[place] += 1
        self.unique_ids[place].add((table, number))
        self.of_sample[*sample, place] += 1

    def figures(self) -> tuple[int, int, int, int, int]:
        """Return five maxima: ids, unique ids, ids of a sample, ids and unique ids of a step."""
        of_step, unique_of_step = Counter[int](), Counter[int]()
        for place, number in self.ids.items():
            of_step[place[0]] += number
            unique_of_step[place[0]] += len(self.unique_ids[place])
        return (
            max(self.ids.values(), default=0),
            max(map(len, self.unique_ids.values()), default=0),
            max(self.of_sample.values(), default=0),
            max(of_step.values(), default=0),
            max(unique_of_step.values(), default=0),
        )

    def of_partition(self, partition: int) -> tuple[int, int]:
        """Return the maximum number of ids and of unique ids of a list to a partition."""
        places = [place for place in self.ids if place[2] == partition]
        return (
            max((self.ids[place] for place in places), default=0),
            max((len(self.unique_ids[place]) for place in places), default=0),
        )


def plain_figures(case: Case) -> tuple[dict[str, Plain], dict[tuple[str, ...], Plain]]:
    """Return the counts by table, and by the tables of a stack."""
    cores = case.system.num_sparse_cores
    groups: dict[Any, list[str]] = {}
    for feature in case.features:
        table = feature.table
        alone = table.name if case.disable_table_stacking else ""
        group = groups.setdefault(
            (-(-table.embedding_dim // 8), alone),
            [],
        )
        if table.name not in group:
            group.append(table.name)
    of_table = {
        name: (tuple(names), at) for names in groups.values() for at, name in enumerate(names)
    }
    rotation = case.system.sparse_cores_per_device if case.rotation is None else case.rotation
    tables, stacks = defaultdict[str, Plain](Plain), defaultdict[tuple[str, ...], Plain](Plain)
    for step, features in enumerate(case.samples):
        for feature in case.features:
            name = feature.table.name
            names, at = of_table[name]
            for row, sample in enumerate(features[feature.name]):
                core = row // (feature.batch_size // cores)
                for number in set(sample):
                    place = (step, core, (number + at * rotation) % cores)
                    tables[name].add(place, name, number, (feature.name, row))
                    stacks[names].add(place, name, number, (feature.name, row))
    return tables, stacks
