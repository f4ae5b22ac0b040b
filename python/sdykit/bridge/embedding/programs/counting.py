"""What programs have counted.

A program in the chip reading counts as it runs. Of one in the cpu reading, each run records its
inputs, and what the chip reading would count is computed from them when somebody asks.
"""

from __future__ import annotations

import atexit
import dataclasses
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdykit.bridge import _native
from sdykit.bridge.kernels.compile import counting
from sdykit.sparsecore.counts import Statistics
from sdykit.sparsecore.counts.runs import add_runs, count_run, statistics_of_run
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.counters import Counters, make_counters
from sdykit.sparsecore.tile.spec import TileSpec, spec_from_fields

_sums: dict[_native.Kernel, dict[int, Counters]] = {}
"""The counters of the records that were read since the last reset, by kernel and device."""
_errors: dict[_native.Kernel, SparseCoreError] = {}
"""Why the counters of a kernel cannot be computed from its records."""
_lock = threading.Lock()
_keepers: list[list[ProgramRuns]] = []
"""Where runs are added as long as somebody keeps them."""


@dataclass(frozen=True, eq=False)
class ProgramRuns:
    """Runs of a program, of all devices of the process, in the order in which they ended.

    Attributes:
        spec: the spec of the program, in the cpu reading.
        kernel: the compiled program, by which runs of programs that are equal can be told apart.
        devices: the number of the device of each run, int64 `[runs]`.
        starts: when each run began, in seconds of `time.perf_counter`, float64 `[runs]`.
        ends: when it ended.
        records: what was recorded of each run.
    """

    spec: TileSpec
    kernel: _native.Kernel
    devices: npt.NDArray[np.int64]
    starts: npt.NDArray[np.float64]
    ends: npt.NDArray[np.float64]
    records: Sequence[_native.Record]

    def statistics(self, run: int) -> Statistics:
        """Return the figures of a run, which `sdykit.sparsecore.counts.count` takes.

        Raises:
            SparseCoreError: they do not follow from what was recorded.
        """
        return statistics_of_run(self.spec, _operands(self.records[run]))


@contextmanager
def keep_runs() -> Iterator[Callable[[], list[ProgramRuns]]]:
    """Keep the figures of each run of programs that count in the cpu reading, as well as their counters.

    Runs are kept from now on, and until the end of the context; programs count if they were traced
    after `configure(counters=True)`.

    Yields:
        A function that returns the runs since its last call, and forgets them. Wait for the results of
        programs before, with `jax.block_until_ready`.
    """
    kept: list[ProgramRuns] = []
    _read_all()
    _keepers.append(kept)

    def take() -> list[ProgramRuns]:
        _read_all()
        with _lock:
            taken = kept.copy()
            kept.clear()
        return taken

    try:
        yield take
    finally:
        _keepers.remove(kept)


def counters() -> list[Counters]:
    """Return what programs have counted since `reset_counters`, for each program and device.

    The counts are those of the chip reading, whichever reading was executed: with `execute="cpu"`,
    they are computed here, from the inputs of each run. Programs count if they were traced after
    `configure(counters=True)`. Wait for their results first, with `jax.block_until_ready`: programs
    that still run are not counted.

    Raises:
        SparseCoreError: a program was executed with `execute="cpu"`, and its counts do not follow from
            its inputs.
    """
    found = []
    with _lock:
        for fields, program, kernel in counting():
            spec = spec_from_fields(fields)
            if spec.reading == "chip":
                found += make_counters(spec, program.module, kernel.counts())
                continue
            _read(spec, kernel)
            if kernel in _errors:
                raise _not_counted(spec, _errors[kernel])
            found += [each for _, each in sorted(_sums.get(kernel, {}).items())]
    return found


def reset_counters() -> None:
    """Set the counters of all programs to zero."""
    with _lock:
        _sums.clear()
        _errors.clear()
        for _, _, kernel in counting():
            kernel.forget_counts()


def _read_all() -> None:
    """Read the records of all kernels, which then take no memory."""
    with _lock:
        for fields, _, kernel in counting():
            spec = spec_from_fields(fields)
            if spec.reading == "cpu":
                _read(spec, kernel)


def _read(spec: TileSpec, kernel: _native.Kernel) -> None:
    """Add what the recorded runs of a kernel count to its counters."""
    sums = _sums.setdefault(kernel, {})
    records = kernel.take_records()
    if records and _keepers:
        runs = ProgramRuns(
            spec,
            kernel,
            np.array([each.device for each in records]),
            np.array([each.start for each in records]),
            np.array([each.end for each in records]),
            records,
        )
        for kept in _keepers:
            kept.append(runs)
    for record in records:
        if kernel in _errors:
            return
        try:
            counted = count_run(spec, _operands(record))
        except SparseCoreError as error:
            _errors[kernel] = error
            return
        counted = dataclasses.replace(counted, device=record.device)
        known = sums.get(record.device)
        sums[record.device] = counted if known is None else add_runs(known, counted)


def _operands(record: _native.Record) -> list[npt.NDArray[np.int32]]:
    return [np.frombuffer(each, np.int32) for each in record.operands()]


def _not_counted(spec: TileSpec, error: SparseCoreError) -> SparseCoreError:
    of_label = f" {spec.label!r}" if spec.label else ""
    return SparseCoreError(
        f"counters: of {spec.kind}{of_label}, layout {spec.layout}, the counts do not follow from the "
        f'inputs of its runs: {error}. Expected configure(execute="chip"), with which a program counts '
        "as it runs"
    )


_native.set_record_reader(_read_all)
# Native code must not hold Python objects when Python ends.
atexit.register(_native.set_record_reader, None)
