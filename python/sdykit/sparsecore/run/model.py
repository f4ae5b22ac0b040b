"""A run: what was recorded of a training loop."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.counts import Statistics
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.memory import Ledger
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.run.columns import Batches, Calls, HostSpans, ScopeSpans
from sdykit.sparsecore.run.figures import FigureColumns
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec

Source = Literal["compiled", "memory", "disk"]
"""Where the machine code of a program came from: it was compiled, or another call of the process had it,
or the directory that processes share."""

KERNEL: Final = "kernel"
"""The kind of programs that are kernels of users."""


@dataclasses.dataclass(frozen=True)
class Feature:
    """A feature that looks up a table."""

    name: str
    batch_size: int
    """Samples in a step, over all devices."""


@dataclasses.dataclass(frozen=True)
class Table:
    """A table of the recorded program."""

    name: str
    vocabulary_size: int
    embedding_dim: int
    dtype: str
    optimizer: Mapping[str, Any]
    """`name`, and the hyperparameters that are known; empty: unknown."""
    combiner: str
    features: tuple[Feature, ...]
    """The features that look it up."""


@dataclasses.dataclass(frozen=True)
class StackOfTables:
    """Tables that the devices hold as one."""

    name: str
    tables: tuple[str, ...]
    """The names of its tables, in order."""
    rotations: tuple[int, ...]
    """For each table, the partition of its id 0."""
    vocabulary_size: int
    """Rows of all tables, padded."""
    embedding_dim: int
    """Elements in a row, padded."""
    batch_size: int
    """Samples of all features, over all devices."""
    limits: Mapping[str, Any]
    """The limits by their names in specs: `max_ids_per_partition` and so on."""


@dataclasses.dataclass(frozen=True)
class Change:
    """A field of a spec in which a program differs from the one before it."""

    name: str
    before: Any
    after: Any


@dataclasses.dataclass(frozen=True)
class Program:
    """A program that a compiled JAX function calls."""

    spec: TileSpec | MosaicSpec
    name: str
    """What it looks up or updates: the name of a stack or a table; "": unknown. Or the name of a kernel."""
    where: str
    """The prefix of its errors."""
    compile_seconds: float
    """How long it took until its machine code was there."""
    compiled_at: float
    """When that began, in seconds since the recording did; negative: before."""
    source: Source
    changed: tuple[Change, ...] = ()
    """Where its spec differs from that of the last program of the same name and kind; a program with none
    is the first one, or the same again."""

    def __post_init__(self) -> None:
        if self.source not in get_args(Source):
            raise SparseCoreError(
                f"run: a program's source is {self.source!r}; expected one of "
                f"{', '.join(get_args(Source))}"
            )

    @property
    def kind(self) -> str:
        """What it is: `lookup`, `update`, another kind of specs, or `kernel`: one of the user's own."""
        return KERNEL if isinstance(self.spec, MosaicSpec) else self.spec.kind

    @property
    def is_lookup(self) -> bool:
        """Whether it looks up."""
        return isinstance(self.spec, LookupSpec)

    @property
    def is_update(self) -> bool:
        """Whether it updates, by an optimizer of the library or the user's own."""
        return not isinstance(self.spec, LookupSpec | MosaicSpec)

    @property
    def tile(self) -> TileSpec:
        """The spec of a program that looks up or updates.

        Raises:
            SparseCoreError: it is a kernel.
        """
        if isinstance(self.spec, MosaicSpec):
            raise SparseCoreError(f"kernel {self.name} is neither a lookup nor an update")
        return self.spec


@dataclasses.dataclass(frozen=True, eq=False)
class RawBatch:
    """The ids of a whole batch, as they were before preprocessing."""

    batch: int
    """The number of the batch, as in `Batches`."""
    ids: Mapping[str, tuple[npt.NDArray[np.integer], npt.NDArray[np.integer]]]
    """By feature, the ids `[n]`, and the splits `[samples + 1]`: the position of each sample's first
    id, and `n`."""


@dataclasses.dataclass(frozen=True, eq=False)
class Run:
    """What was recorded of a training loop; times are seconds since the recording began."""

    path: Path
    """The folder."""
    chip: str
    """The name of the chip, or the path of the file that describes it."""
    devices: int
    """The number of devices that ran programs, over all processes."""
    settings: Mapping[str, Any]
    """Flags and fields of the configuration, with their values."""
    versions: Mapping[str, str]
    """The versions of Python and of the packages."""
    seconds: float
    """How long was recorded."""
    tables: tuple[Table, ...]
    stacks: tuple[StackOfTables, ...]
    programs: tuple[Program, ...]
    """The programs that ran while the recording was on, or were compiled then."""
    calls: Calls
    host: HostSpans
    batches: Batches
    sampled: FigureColumns
    """The figures of some steps; `figures` returns them."""
    ids: tuple[RawBatch, ...] = ()
    """The ids of a few whole batches."""
    scopes: ScopeSpans = dataclasses.field(default_factory=ScopeSpans.none)
    """What subcores did in some calls of kernels that were traced with counters."""
    ledger: Ledger | None = None
    """What the HBM of each device holds; None: unknown."""
    left_out: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """How many `calls`, `spans`, `batches` and `samples` there was no room for."""
    error: str = ""
    """The exception that the loop ended with; "": none."""
    began: float = 0.0
    """When the recording began, in seconds since 1970; 0: unknown."""

    @property
    def steps(self) -> tuple[int, ...]:
        """The numbers of the steps that have calls, ascending."""
        return tuple(step for step in map(int, np.unique(self.calls.step)) if step >= 0)

    @property
    def sampled_steps(self) -> tuple[int, ...]:
        """The steps whose figures are known, ascending."""
        return self.sampled.steps

    def figures(self, step: int) -> dict[tuple[int, int], Statistics]:
        """Return the figures of a sampled step, by the numbers of program and device.

        Raises:
            SparseCoreError: the step was not sampled.
        """
        if step not in self.sampled_steps:
            expected = ", ".join(map(str, self.sampled_steps)) or "none: no step was sampled"
            raise SparseCoreError(
                f"run '{self.path}': step {step} was not sampled; expected one of {expected}"
            )
        return self.sampled.of(step)
