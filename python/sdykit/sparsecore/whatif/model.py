"""A model, and the samples that its ids are counted in."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from sdykit.sparsecore.cost import Estimate
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.files.batches import read_batches
from sdykit.sparsecore.inputs import FeatureInput, Ids, Ragged, read_feature
from sdykit.sparsecore.optimizers import Custom, Optimizer, make_optimizer
from sdykit.sparsecore.optimizers.rules import OPTIMIZERS
from sdykit.sparsecore.run import Run, read_run
from sdykit.sparsecore.run.model import Table
from sdykit.sparsecore.specs import DEFAULT_OPTIMIZER, FeatureSpec, TableSpec
from sdykit.sparsecore.whatif.pool import Pool, first_samples, joined_ids

_NO_TIME = Estimate(0.0, 0.0, 0.0)
MEASURED: Final = (
    "TensorCore and host have the times of the machine that recorded the run, which simulates the chip; "
    "give those of a chip."
)
"""A note on the times of a run."""


@dataclass(frozen=True)
class Measured:
    """A time that a device takes for some samples.

    Attributes:
        time: the seconds; 0: unknown.
        samples: the number of samples of a device, of the model's batch.
    """

    time: Estimate = _NO_TIME
    samples: float = 1.0

    def of(self, samples: float) -> Estimate:
        """Return the time for other samples of a device, in proportion to their number."""
        factor = samples / self.samples
        return Estimate(*(each * factor for each in dataclasses.astuple(self.time)))


@dataclass(frozen=True, eq=False)
class Model:
    """Tables, the features that look them up, and samples of their ids.

    Attributes:
        name: its name, for titles.
        batch: the samples of a step in the model.
        pool: the samples, in batches of that size.
        tensor_core: what the TensorCore takes.
        host: what the host takes, beside the device.
        notes: what else to know about it, in sentences.
    """

    name: str
    batch: int
    pool: Pool
    tensor_core: Measured = dataclasses.field(default_factory=Measured)
    host: Measured = dataclasses.field(default_factory=Measured)
    notes: tuple[str, ...] = ()

    @property
    def samples(self) -> int:
        """The samples of a feature with the batch of the model, in the pool."""
        return int(self.batch * self.pool.steps)


def model_of(
    features: Sequence[FeatureSpec],
    batches: Sequence[Mapping[str, FeatureInput]],
    *,
    name: str = "model",
) -> Model:
    """Return a model with recorded batches.

    Args:
        features: the features; the largest batch size of them is the batch of the model.
        batches: the ids of each feature, of one or several batches.
        name: its name, for titles.

    Raises:
        SparseCoreError: there are no features or batches, or ids of a feature are missing or bad.
    """
    if not features or not batches:
        raise SparseCoreError(
            f"whatif: there are {len(features)} features and {len(batches)} batches; expected at least "
            "one of each"
        )
    ids = {
        each.name: joined_ids([_read(each, batch, at) for at, batch in enumerate(batches)])
        for each in features
    }
    batch = max(each.batch_size for each in features)
    return Model(name, batch, Pool(tuple(features), ids, len(batches)))


def _read(feature: FeatureSpec, batch: Mapping[str, FeatureInput], number: int) -> Ids:
    if feature.name not in batch:
        raise SparseCoreError(
            f"whatif: batch {number} has no ids of feature {feature.name!r}; it has {', '.join(batch)}"
        )
    return read_feature(feature.name, feature.table, batch[feature.name], None, feature.batch_size)


def model_of_run(run: Run | str | Path) -> Model:
    """Return the model of a run: its tables, the ids that were recorded, and the times of its steps.

    The TensorCore's time of a step is from the end of its last lookup to the start of its first update,
    the host's that of its spans, but for waiting and compiling; both are the median over the steps, with the 10th and 90th percentile.

    Raises:
        SparseCoreError: it is no run, or has no tables or recorded ids.
    """
    found = run if isinstance(run, Run) else read_run(run)
    if not found.tables or not found.ids:
        missing = "tables" if not found.tables else "whole batches of ids"
        raise SparseCoreError(
            f"whatif: the run '{found.path}' has no {missing}; expected a run of an Embedding or of "
            "jax-tpu-embedding, whose batches `sdykit.sparsecore.record` saw"
        )
    features = [
        FeatureSpec(each.name, spec, each.batch_size)
        for table, spec in ((each, _spec_of(each)) for each in found.tables)
        for each in table.features
    ]
    batches = [
        {name: Ragged(values, splits) for name, (values, splits) in each.ids.items()}
        for each in found.ids
    ]
    model = model_of(features, batches, name=found.path.name)
    samples = model.batch / max(found.devices, 1)
    return dataclasses.replace(
        model,
        tensor_core=Measured(_typical(_tensor_core_seconds(found)), samples),
        host=Measured(_typical(_host_seconds(found)), samples),
        notes=(MEASURED, *_notes(found.tables)),
    )


def _spec_of(table: Table) -> TableSpec:
    return TableSpec(
        table.name,
        table.vocabulary_size,
        table.embedding_dim,
        optimizer=_optimizer_of(table) or DEFAULT_OPTIMIZER,
        combiner=table.combiner,  # pyright: ignore[reportArgumentType]  # TableSpec checks it.
        dtype=table.dtype,  # pyright: ignore[reportArgumentType]
    )


def _optimizer_of(table: Table) -> Optimizer | None:
    """Return the optimizer of a recorded table; None: it is not one of sdykit's own.

    Runs of sdykit have its name in files, those of jax-tpu-embedding the name of its class.
    """
    values = {"learning_rate": 0.01, **table.optimizer}
    name = str(values.pop("name", ""))
    for key, kind in OPTIMIZERS.items():
        if name.lower() in (key, kind.__name__.lower()) and kind is not Custom:
            return make_optimizer(key, **values)
    return None


def _notes(tables: Sequence[Table]) -> tuple[str, ...]:
    unknown = [each.name for each in tables if _optimizer_of(each) is None]
    if not unknown:
        return ()
    return (f"Optimizers that are not known are taken for SGD: of {', '.join(unknown)}.",)


def _tensor_core_seconds(run: Run) -> list[float]:
    """Return the TensorCore's time of each step and device with lookups and updates."""
    is_lookup = np.array([each.is_lookup for each in run.programs], np.bool_)
    is_update = np.array([each.is_update for each in run.programs], np.bool_)
    found = []
    pairs = zip(run.calls.step.tolist(), run.calls.device.tolist(), strict=True)
    for step, device in sorted(set(pairs)):
        here = (run.calls.step == step) & (run.calls.device == device)
        program = run.calls.program[here]
        ends = run.calls.end[here][is_lookup[program]]
        starts = run.calls.start[here][is_update[program]]
        if step >= 0 and len(ends) and len(starts):
            found.append(max(float(starts.min() - ends.max()), 0.0))
    return found


def _host_seconds(run: Run) -> list[float]:
    """Return the time of the host's spans of each step, without those in which it waits."""
    steps = np.unique(run.host.step)
    is_work = np.isin(run.host.name, ("compile", "wait for input"), invert=True)
    durations = run.host.end - run.host.start
    return [
        float(durations[is_work & (run.host.step == step)].sum()) for step in steps if step >= 0
    ]


def _typical(seconds: Sequence[float]) -> Estimate:
    if not seconds:
        return _NO_TIME
    value, low, high = np.percentile(seconds, (50, 10, 90)).tolist()
    return Estimate(value, low, high)


def model_of_files(
    features: Sequence[FeatureSpec], paths: Sequence[str | Path], *, name: str = "model"
) -> Model:
    """Return a model with the ids of files, of as many samples as a batch has if there are so many.

    Args:
        features: the features, all with the same batch size.
        paths: files as for `sdykit.sparsecore.files.batches.read_batches`.
        name: its name, for titles.

    Raises:
        SparseCoreError: a file is bad, or there are no samples.
    """
    batch = features[0].batch_size
    names = [each.name for each in features]
    first = next(iter(read_batches(paths, names, batch)), None)
    if first is None or not first.samples:
        raise SparseCoreError(
            f"whatif: there are no samples in {', '.join(map(str, paths))}; expected some"
        )
    ids = {
        each.name: first_samples(_read(each, first.features, 0), first.samples) for each in features
    }
    return Model(name, batch, Pool(tuple(features), ids, first.samples / batch))
