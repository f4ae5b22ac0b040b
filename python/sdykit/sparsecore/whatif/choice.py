"""A system and the settings of a program on it, which are compared with others."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from sdykit.sparsecore.chip import Chip, chip
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.limits import check_headroom
from sdykit.sparsecore.specs import Dtype, FeatureSpec, System, check_count

MAX_DEVICES: Final = 4096
"""The maximum number of devices of a system."""
MIN_LIMITS: Final = 1 / 64
"""The smallest factor of limits: a batch has at most 64 minibatches."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A system and settings.

    Attributes:
        chip: the name of a chip, or the file that describes one.
        devices: the number of JAX devices, 1 to 4,096; a chip of 7x has two.
        batch: the samples of a step, over all devices.
        width: the number of elements of a row of all tables; None: that of the model.
        dtype: the element type of all tables; None: that of the model.
        stacking: whether tables may share a stack.
        rotation: as for `sdykit.sparsecore.stacking.stack`.
        limits: the factor between what the batch needs and the limits. With 1 or more there is
            one minibatch; with less, the batch is split into minibatches. Or a limits file.
        pipelined: whether SparseCores look up the next step while the TensorCore works.
        prefetched: the number of steps whose input is in HBM before they run.

    Raises:
        SparseCoreError: a field is out of its range.
    """

    batch: int
    chip: str = "v5p"
    devices: int = 1
    width: int | None = None
    dtype: Dtype | None = None
    stacking: bool = True
    rotation: int | None = None
    limits: float | str = 1.2
    pipelined: bool = False
    prefetched: int = 0

    def __post_init__(self) -> None:
        check_count("whatif", "batch", self.batch)
        if self.width is not None:
            check_count("whatif", "width", self.width)
        if not 1 <= check_count("whatif", "devices", self.devices) <= MAX_DEVICES:
            raise SparseCoreError(
                f"whatif: devices is {self.devices}; expected an integer from 1 to {MAX_DEVICES}"
            )
        if isinstance(self.limits, str):
            return
        if MIN_LIMITS <= self.limits < 1:
            return
        if self.limits < 1:
            raise SparseCoreError(
                f"whatif: limits is {self.limits:g}; expected {MIN_LIMITS:g} or more, since a batch "
                "has at most 64 minibatches"
            )
        check_headroom(self.limits)

    @property
    def hardware(self) -> Chip:
        """The chip.

        Raises:
            SparseCoreError: there is no such chip.
        """
        return chip(self.chip)

    @property
    def system(self) -> System:
        """The devices and their SparseCores.

        Raises:
            SparseCoreError: there is no such chip, or their number is not a power of two.
        """
        return System(self.devices, self.hardware.sparse_cores_per_device)

    @property
    def chips(self) -> float:
        """The number of chips."""
        return self.devices / self.hardware.devices_per_chip

    @property
    def has_minibatches(self) -> bool:
        """Whether programs have room for several minibatches."""
        return not isinstance(self.limits, str) and self.limits < 1

    @property
    def label(self) -> str:
        """The settings that differ from the defaults, as text; "": none."""
        return ", ".join(_settings(self))

    def of_feature(self, feature: FeatureSpec, share: float) -> FeatureSpec:
        """Return a feature with this batch and these tables.

        Args:
            feature: the feature in the model.
            share: the size of the batch, divided by that of the model.

        Raises:
            SparseCoreError: its batch is no multiple of the number of SparseCores.
        """
        table = dataclasses.replace(
            feature.table,
            embedding_dim=self.width or feature.table.embedding_dim,
            dtype=self.dtype or feature.table.dtype,
        )
        batch, cores = feature.batch_size * share, self.system.num_sparse_cores
        if batch % cores:
            below = int(batch // cores * cores)
            raise SparseCoreError(
                f"whatif: feature {feature.name!r} has a batch of {batch:g} samples, which is no multiple "
                f"of the {cores} SparseCores of {self.devices} device{'s' * (self.devices > 1)} of "
                f"{self.hardware.name}; expected {f'{below} or ' if below else ''}{below + cores}"
            )
        return FeatureSpec(feature.name, table, int(batch))


def _settings(choice: Choice) -> Iterator[str]:
    if choice.width is not None:
        yield f"width {choice.width}"
    if choice.dtype is not None:
        yield choice.dtype
    if not choice.stacking:
        yield "not stacked"
    if choice.rotation is not None:
        yield f"rotation {choice.rotation}"
    if choice.limits != Choice.limits:
        yield f"limits {choice.limits if isinstance(choice.limits, str) else f'{choice.limits:g}'}"
    if choice.pipelined:
        yield "pipelined"
    if choice.prefetched:
        yield f"{choice.prefetched} prefetched"


def choices(
    *,
    batch: Iterable[int],
    chip: Iterable[str] = ("v5p",),
    devices: Iterable[int] = (1,),
    width: Iterable[int | None] = (None,),
    dtype: Iterable[Dtype | None] = (None,),
    stacking: Iterable[bool] = (True,),
    rotation: Iterable[int | None] = (None,),
    limits: Iterable[float | str] = (1.2,),
    pipelined: Iterable[bool] = (False,),
    prefetched: Iterable[int] = (0,),
) -> list[Choice]:
    """Return every combination of some values of each field of `Choice`.

    Raises:
        SparseCoreError: a value is out of its range.
    """
    given = (batch, chip, devices, width, dtype, stacking, rotation, limits, pipelined, prefetched)
    names = [field.name for field in dataclasses.fields(Choice)]
    combined = itertools.product(*map(tuple, given))
    fields: list[dict[str, Any]] = [dict(zip(names, each, strict=True)) for each in combined]
    return [Choice(**each) for each in fields]
