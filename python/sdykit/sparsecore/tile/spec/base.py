"""The fields that all specs have, and checks of fields."""

from __future__ import annotations

import dataclasses
import json
from typing import ClassVar, Literal, get_args

from sdykit.sparsecore.chip import Chip, chip
from sdykit.sparsecore.chip.cores import CORES
from sdykit.sparsecore.errors import SparseCoreError, shown
from sdykit.sparsecore.optimizers import Optimizer
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.reading import Reading
from sdykit.sparsecore.specs import INT32_MAX

VERSION = 1
MAX_DIM = 2**16
MAX_DEVICES = 2**16
POINTERS = 8
"""The minimum number of row pointers of a SparseCore and minibatch, and the alignment of the
entries of a segment."""
MAX_MINIBATCHES = 64
"""The maximum number of minibatches of a batch."""

Layout = Literal["sdykit", "jax_tpu_embedding", "ids"]
Staging = Literal["auto", "spmem", "hbm"]
Transport = Literal["collectives", "memory"]


_CHECKS = ("check_bounds", "check_nan", "verify_launch", "counters")
"""The flags of a spec that add to its program, or to what is kept of its runs."""


class BufferLayout:
    """What the layout of the buffers of a batch follows from."""

    samples_per_core: int
    """The number of samples of each SparseCore."""
    minibatches: bool
    """Whether the buffers are laid out for up to 64 minibatches."""
    num_devices: int
    """The number of devices that the table is split over."""

    @property
    def limits(self) -> tuple[int, int]:
        """The maximum numbers of ids, and of unique ids, that one SparseCore sends to one partition."""
        raise NotImplementedError

    @property
    def limits_of_partitions(self) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
        """The same for each partition, in their order; None: `limits` for all. The largest is there."""
        raise NotImplementedError

    @property
    def sparse_cores(self) -> int:
        """The number of SparseCores of a device, and of partitions of its part of the table."""
        raise NotImplementedError

    @property
    def all_cores(self) -> int:
        """The number of SparseCores of all devices, and of partitions of the table."""
        return self.sparse_cores * self.num_devices

    @property
    def samples(self) -> int:
        """The number of samples of all devices."""
        return self.all_cores * self.samples_per_core

    @property
    def pointers(self) -> int:
        """The number of row pointers of a SparseCore and minibatch."""
        return max(self.all_cores, POINTERS)

    @property
    def segments(self) -> int:
        """The number of segments of a device's buffers, unused minibatches included."""
        minibatches = MAX_MINIBATCHES if self.minibatches else 1
        return self.sparse_cores * minibatches * self.all_cores


@dataclasses.dataclass(frozen=True, kw_only=True)
class TileSpec(BufferLayout):
    """The fields that lookups and updates have in common.

    Raises:
        SparseCoreError: a field is out of its range; the text names it.
    """

    dim: int
    """The number of elements of a row."""
    samples_per_core: int
    """The number of samples of each SparseCore."""
    minibatches: bool = False
    """Whether the buffers are laid out for up to 64 minibatches."""
    chip: str = "v5p"
    """The name of a chip, or a file that describes one."""
    num_devices: int = 1
    """The number of devices that the table is split over: a power of two."""
    layout: Layout = "sdykit"
    """How entries are passed: `sdykit` and `jax_tpu_embedding` are buffers of preprocessing, the
    former with an index of the entries by sample, which updates do without; `ids` are raw ids."""
    reading: Reading = "cpu"
    """What is compiled: with `chip` the program as the chip runs it, step by step; with `cpu` the
    same computation, as fast as a CPU can. Results are equal bit for bit."""
    tile_memory_bytes: int | None = None
    """The size of a tile's SPMEM; None: that of the chip."""
    gains: bool = True
    """Whether entries have gains. Only layout ids may be without; every gain is 1 then."""
    check_bounds: bool = False
    """Whether the program checks the bounds of every load and store, and reports in its status."""
    check_nan: bool = False
    """Whether the program reports the first NaN that it reads or writes in its status."""
    sanitize: tuple[str, ...] = ()
    """The cores whose buffers are compared with what they were before what does not own them: some of
    `TC`, `SC_SCS` and `SC_TILE`, see `-sparsecore-sanitize`. With `chip` only: a program for a CPU has no
    steps."""
    verify_launch: bool = False
    """Whether each SparseCore checks that all devices execute the same launch, see
    `-sparsecore-verify-launch`. With `chip` only."""
    counters: bool = False
    """Whether runs are counted: with `chip`, the program counts what each tile reads, writes and
    computes; with `cpu`, it has no code for that, and the caller keeps the figures of each run, from which
    `sdykit.sparsecore.counts.runs` computes what the chip's program would count."""
    label: str = ""
    """The name that counters are kept under, so that two tables are counted apart."""
    transport: Transport = "collectives"
    """How ids, rows and gradients reach other devices: by XLA's `collectives`, around a program of each
    device; or through the `memory` of one process, in which one program runs for all devices, and reads
    and writes the arrays of each where they are. The latter with several devices and reading `cpu` only,
    without checks and counters."""
    max_ids_of_partitions: tuple[int, ...] | None = None
    """The maximum number of ids that one SparseCore sends to each partition, in the order of all
    partitions; the largest is `max_ids_per_partition`, which sizes the buffers that hold one partition
    after another. None: that for all."""
    max_unique_ids_of_partitions: tuple[int, ...] | None = None
    """The same for distinct ids; the largest is `max_unique_ids_per_partition`."""

    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        check_count(self.kind, "dim", self.dim, MAX_DIM)
        check_count(self.kind, "samples_per_core", self.samples_per_core, INT32_MAX)
        if self.tile_memory_bytes is not None:
            check_count(self.kind, "tile_memory_bytes", self.tile_memory_bytes, 2**40)
        check_count(self.kind, "num_devices", self.num_devices, MAX_DEVICES)
        if self.num_devices & (self.num_devices - 1):
            raise SparseCoreError(
                f"{self.kind}: num_devices is {self.num_devices}; expected a power of two"
            )
        check_choice(self.kind, "layout", self.layout, get_args(Layout))
        check_choice(self.kind, "reading", self.reading, get_args(Reading))
        check_flag(self.kind, "minibatches", self.minibatches)
        if self.minibatches and self.layout == "ids":
            raise SparseCoreError(
                f"{self.kind}: minibatches is True in layout ids, which has none; expected False"
            )
        check_flag(self.kind, "gains", self.gains)
        if not self.gains and self.layout != "ids":
            raise SparseCoreError(
                f"{self.kind}: gains is False in layout {self.layout}, which has gains; "
                "expected True"
            )
        for name in _CHECKS:
            check_flag(self.kind, name, getattr(self, name))
        self._check_checks_of_chip()
        self._check_transport()
        if not isinstance(self.chip, str):
            raise SparseCoreError(
                f"{self.kind}: chip is {self.chip!r}; expected the name of a chip or of a file"
            )
        if not isinstance(self.label, str):
            raise SparseCoreError(f"{self.kind}: label is {self.label!r}; expected a string")

    @property
    def limits_of_partitions(self) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
        return self.max_ids_of_partitions, self.max_unique_ids_of_partitions

    def _check_checks_of_chip(self) -> None:
        """Check that `sanitize` names cores, and that a program with such checks is a chip's."""
        cores = self.sanitize
        if not isinstance(cores, tuple) or not set(cores) <= set(CORES):
            expected = f"a tuple of {', '.join(CORES)}, or an empty one"
            raise SparseCoreError(f"{self.kind}: sanitize is {cores!r}; expected {expected}")
        checks = {"sanitize": cores, "verify_launch": self.verify_launch}
        for name, value in checks.items():
            if value and self.reading != "chip":
                raise SparseCoreError(
                    f"{self.kind}: {name} is {value!r} with reading '{self.reading}', whose steps are "
                    "fused; expected reading 'chip'"
                )

    def _check_transport(self) -> None:
        """Check that a program for all devices of a process is one that there is."""
        check_choice(self.kind, "transport", self.transport, get_args(Transport))
        if self.transport == "collectives":
            return
        others = {
            "reading": (self.reading, "cpu"),
            **{name: (getattr(self, name), False) for name in _CHECKS},
        }
        for name, (found, expected) in others.items():
            if found != expected:
                raise SparseCoreError(
                    f"{self.kind}: transport is 'memory' with {name} {found!r}; expected {expected!r}"
                )
        if self.num_devices == 1:
            raise SparseCoreError(
                f"{self.kind}: transport is 'memory' with num_devices 1; expected several devices"
            )

    def _check_limits_of_partitions(self) -> None:
        """Check that there is one limit for each partition, and that the largest is that of all."""
        names = ("max_ids_of_partitions", "max_unique_ids_of_partitions")
        for name, highest, each in zip(names, self.limits, self.limits_of_partitions, strict=True):
            if each is None:
                continue
            if self.layout == "ids":
                raise SparseCoreError(
                    f"{self.kind}: {name} is given in layout ids, which has no limits; expected None"
                )
            count = self.all_cores
            if not isinstance(each, tuple) or len(each) != count or not _are_limits(each, highest):
                raise SparseCoreError(
                    f"{self.kind}: {name} is {shown(each)}; expected {count} integers from 1 to "
                    f"{highest}, one for each partition, the largest {highest}"
                )

    @property
    def hardware(self) -> Chip:
        """The chip that the program is for.

        Raises:
            SparseCoreError: there is no chip of this name, or its file is wrong.
        """
        found = chip(self.chip)
        if self.tile_memory_bytes is None:
            return found
        return dataclasses.replace(found, tile_memory_bytes=self.tile_memory_bytes)

    @property
    def sparse_cores(self) -> int:
        """The number of SparseCores of a device, and of partitions of its part of the table."""
        return self.hardware.sparse_cores_per_device

    def to_fields(self) -> dict[str, object]:
        """Return the version, the kind and the fields as values that JSON can hold."""
        values = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        values = {name: plain(value) for name, value in values.items()}
        return {"version": VERSION, "kind": self.kind, **values}

    def to_json(self) -> str:
        """Return the spec as one line of JSON; equal specs have equal lines."""
        return json.dumps(self.to_fields())


def _are_limits(given: tuple[object, ...], highest: int) -> bool:
    """Return whether all are positive integers, the largest of which is known."""
    numbers = [each for each in given if isinstance(each, int) and not isinstance(each, bool)]
    return len(numbers) == len(given) and min(numbers) >= 1 and max(numbers) == highest


def plain(value: object) -> object:
    """Return a field as a value that JSON can hold."""
    if isinstance(value, Optimizer):
        return {"name": value.name, **dataclasses.asdict(value)}
    return dataclasses.asdict(value) if isinstance(value, Quantization) else value


def check_count(where: str, name: str, value: object, highest: int) -> None:
    """Check that a field is an integer from 1 to `highest`."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= highest:
        raise SparseCoreError(
            f"{where}: {name} is {value!r}; expected an integer from 1 to {highest}"
        )


def check_flag(where: str, name: str, value: object) -> None:
    """Check that a field is true or false."""
    if not isinstance(value, bool):
        raise SparseCoreError(f"{where}: {name} is {value!r}; expected true or false")


def check_names(where: str, name: str, value: object) -> None:
    """Check that a field is a tuple of distinct names."""
    names = value if isinstance(value, tuple) else None
    if (
        names is None
        or not all(isinstance(each, str) and each for each in names)
        or len(set(names)) < len(names)
    ):
        raise SparseCoreError(f"{where}: {name} is {value!r}; expected a tuple of distinct names")


def check_choice(where: str, name: str, value: object, choices: tuple[str, ...]) -> None:
    """Check that a field is one of some choices."""
    if value not in choices:
        raise SparseCoreError(f"{where}: {name} is {value!r}; expected one of {', '.join(choices)}")
