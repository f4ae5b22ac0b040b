"""Batches to preprocess, drawn from a seed, and their entries decoded from buffers."""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.inputs import FeatureInput, Ragged
from sdykit.sparsecore.preprocess import Layout, Minibatching, preprocess
from sdykit.sparsecore.preprocess.results import Preprocessed, StackBuffers
from sdykit.sparsecore.specs import Combiner, FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import Stack, stack

ANY_SAMPLE = SparsecoreConfig(max_ids_per_chip_per_sample=2**30)
UNCHECKED = dataclasses.replace(ANY_SAMPLE, xla_sparse_core_enable_id_bound_check=False)
"""Ids are not compared with their vocabulary either."""
DROPPING = SparsecoreConfig(max_ids_per_chip_per_sample=2**30, allow_id_dropping=True)
VOCABULARIES = (1, 7, 64, 1000, 5000, 3_000_000)


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    """A batch, and the system and stacks that it is preprocessed for."""

    system: System
    stacks: tuple[Stack, ...]
    features: Mapping[str, FeatureInput]
    weights: Mapping[str, npt.NDArray[np.float32]] | None

    def run(
        self,
        layout: Layout = "sdykit",
        minibatching: Minibatching = "off",
        config: SparsecoreConfig = ANY_SAMPLE,
        **options: Any,
    ) -> Preprocessed:
        """Preprocess it."""
        return preprocess(
            self.features,
            self.stacks,
            self.system,
            weights=self.weights,
            layout=layout,
            minibatching=minibatching,
            config=config,
            **options,
        )

    def limited(self, ids: int, unique_ids: int, buffer_size: int | None = None) -> Case:
        """Return the same batch with other limits."""
        stacks = tuple(
            dataclasses.replace(
                each,
                max_ids_per_partition=ids,
                max_unique_ids_per_partition=unique_ids,
                buffer_size_per_device=buffer_size,
            )
            for each in self.stacks
        )
        return dataclasses.replace(self, stacks=stacks)


def make_case(
    random: np.random.Generator,
    system: System,
    *,
    tables: int,
    features: int,
    combiners: Sequence[Combiner],
    weighted: bool,
    stacking: bool,
    valencies: Sequence[int] = (1, 2, 5, 16, 64),
    vocabularies: Sequence[int] = VOCABULARIES,
    rows: int = 6,
) -> Case:
    """Draw a batch whose limits are not exceeded.

    Args:
        random: the source of random numbers.
        system: the devices.
        tables: the number of tables.
        features: the number of features, at least one for each table.
        combiners: the combiners of the tables, in turns.
        weighted: whether ids have weights, of either sign and sometimes 0.
        stacking: whether tables may share a stack.
        valencies: numbers to draw the maximum ids of a sample of each feature from.
        vocabularies: numbers to draw the vocabulary of each table from.
        rows: the maximum number of samples of a feature on one SparseCore.
    """
    specs = [
        TableSpec(
            f"t{number}",
            int(random.choice(vocabularies)),
            int(random.choice([4, 8, 20])),
            combiner=combiners[number % len(combiners)],
        )
        for number in range(tables)
    ]
    wanted = [
        FeatureSpec(
            f"f{number}",
            specs[number if number < tables else int(random.integers(tables))],
            system.num_sparse_cores * int(random.integers(1, rows + 1)),
        )
        for number in range(features)
    ]
    ids: dict[str, FeatureInput] = {}
    weights: dict[str, npt.NDArray[np.float32]] = {}
    for spec in wanted:
        ids[spec.name], shape = _draw_feature(random, spec, int(random.choice(valencies)))
        weights[spec.name] = _draw_weights(random, shape)
    case = Case(
        system,
        stack(wanted, system, disable_table_stacking=not stacking),
        ids,
        weights if weighted else None,
    )
    return case.limited(4096, 4096)


def _draw_feature(
    random: np.random.Generator, spec: FeatureSpec, valency: int
) -> tuple[FeatureInput, tuple[int, ...]]:
    dtype = np.int32 if random.integers(2) else np.int64
    if random.integers(2):
        shape = (spec.batch_size, valency)
        return _draw_ids(random, spec, shape).astype(dtype), shape
    lengths = random.integers(0, valency + 1, spec.batch_size)
    lengths[random.integers(spec.batch_size)] = valency
    splits = np.concatenate([[0], np.cumsum(lengths)])
    shape = (int(splits[-1]),)
    return Ragged(_draw_ids(random, spec, shape).astype(dtype), splits), shape


def _draw_ids(
    random: np.random.Generator, spec: FeatureSpec, shape: tuple[int, ...]
) -> npt.NDArray[np.int64]:
    size = spec.table.vocabulary_size
    if random.integers(2):
        return random.integers(0, size, shape)
    return np.minimum(random.zipf(1.3, shape), 2**60) % size


def _draw_weights(random: np.random.Generator, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    if random.integers(3) == 0:
        return random.integers(-1, 2, shape).astype(np.float32)
    return random.normal(size=shape).astype(np.float32)


Entry = tuple[int, int, int]
"""SparseCore of the batch, row on it, column of the stack."""


def decode(
    buffers: StackBuffers, system: System, minibatches: int, absolute: bool
) -> tuple[list[Entry], list[float]]:
    """Return the entries of a stack and their gains, in the order of the buffers."""
    cores, partitions = system.sparse_cores_per_device, system.num_sparse_cores
    width = max(partitions, 8)
    entries: list[Entry] = []
    gains: list[float] = []
    for device, pointers in enumerate(buffers.row_pointers):
        room = buffers.gains.shape[1]
        start = 0
        for segment in range(cores * minibatches):
            core = segment // minibatches
            base = 0 if absolute else core * room // cores
            start = start if absolute else 0
            for partition in range(partitions):
                end = int(pointers[segment * width + partition])
                for place in range(base + start, base + end):
                    row = int(buffers.embedding_ids[device, place])
                    sample = int(buffers.sample_ids[device, place])
                    entries.append((device * cores + core, sample, row * partitions + partition))
                    gains.append(float(buffers.gains[device, place]))
                start = -(-end // 8) * 8
    return entries, gains


def expected_entries(case: Case, number: int) -> dict[Entry, float]:
    """Return the gains of all entries that a stack's buffers must have, computed in float64."""
    chosen, cores = case.stacks[number], case.system.num_sparse_cores
    result: dict[Entry, float] = defaultdict(float)
    for feature in chosen.features:
        spec = feature.spec
        rows = spec.batch_size // cores
        for sample, (ids, weights) in enumerate(samples(case, spec.name)):
            total = {
                "sum": 1.0,
                "mean": float(weights.sum()),
                "sqrtn": float(np.sqrt((weights**2).sum())),
            }[chosen.combiner]
            core, row = sample // rows, feature.row_offset // cores + sample % rows
            for number_, weight in zip(ids.tolist(), weights.tolist(), strict=True):
                column = (number_ + feature.col_shift) % cores + number_ // cores * cores
                result[core, row, column + feature.col_offset] += weight / total
    return dict(result)


def samples(case: Case, name: str) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]:
    """Return ids and weights of each sample of a feature."""
    given = case.features[name]
    weights = None if case.weights is None else case.weights[name].astype(np.float64)
    if isinstance(given, Ragged):
        values, splits = np.asarray(given.values), np.asarray(given.row_splits)
        flat = np.ones(len(values)) if weights is None else weights
        return [(values[a:b], flat[a:b]) for a, b in itertools.pairwise(splits)]
    ids = np.asarray(given)
    return list(zip(ids, np.ones(ids.shape) if weights is None else weights, strict=True))
