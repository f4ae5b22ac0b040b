"""What programs have counted.

A program in the chip reading counts as it runs. Of one in the cpu reading, each run records the figures of
its batch, and what the chip reading would count is computed from them when somebody asks.
"""

from __future__ import annotations

import atexit
import threading

import numpy as np

from sdykit.bridge import _native
from sdykit.bridge.kernels.compile import counting
from sdykit.sparsecore.counts.records import Record
from sdykit.sparsecore.counts.runs import add_runs, count_records
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.mosaic.counters import counters_of_kernel
from sdykit.sparsecore.mosaic.spec import KIND, MosaicSpec
from sdykit.sparsecore.tile.counters import Counters, make_counters
from sdykit.sparsecore.tile.spec import TileSpec, spec_from_fields

_sums: dict[_native.Kernel, dict[int, Counters]] = {}
"""The counters of the records that were read since the last reset, by kernel and device."""
_errors: dict[_native.Kernel, SparseCoreError] = {}
"""Why the counters of a kernel cannot be computed from its records."""
_lock = threading.Lock()


def counters() -> list[Counters]:
    """Return what programs have counted since `reset_counters`, for each program and device.

    The counts are those of the chip reading, whichever reading was executed: with `execute="cpu"`,
    they are computed here, from what each run recorded. Programs count if they were traced after
    `configure(counters=True)`. Wait for their results first, with `jax.block_until_ready`: programs
    that still run are not counted. Pallas kernels are counted as they run, in any mode.

    Raises:
        SparseCoreError: a program was executed with `execute="cpu"`, and its counts do not follow from
            what its runs recorded.
    """
    found = []
    with _lock:
        for fields, program, kernel in counting():
            if program is None or fields["kind"] == KIND:
                found += counters_of_kernel(MosaicSpec.from_fields(fields), kernel.counts())
                continue
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
            if fields["kind"] == KIND:
                continue
            spec = spec_from_fields(fields)
            if spec.reading == "cpu":
                _read(spec, kernel)


def _read(spec: TileSpec, kernel: _native.Kernel) -> None:
    """Add what the recorded runs of a kernel count to its counters."""
    records = kernel.take_records()
    if not records:
        return
    by_device: dict[int, list[Record]] = {}
    for each in records:
        by_device.setdefault(each.device, []).append(_arrays(each))
    try:
        counted = count_records(spec, by_device)
    except SparseCoreError as error:
        _errors[kernel] = error
        return
    sums = _sums.setdefault(kernel, {})
    for each in counted:
        known = sums.get(each.device)
        sums[each.device] = each if known is None else add_runs(known, each)


def _arrays(record: _native.Record) -> Record:
    return [np.frombuffer(each, np.int32) for each in record.arrays()]


def _not_counted(spec: TileSpec, error: SparseCoreError) -> SparseCoreError:
    of_label = f" {spec.label!r}" if spec.label else ""
    return SparseCoreError(
        f"counters: of {spec.kind}{of_label}, layout {spec.layout}, the counts do not follow from what "
        f'its runs recorded: {error}. Expected configure(execute="chip"), with which a program counts '
        "as it runs"
    )


_native.set_record_reader(_read_all)
# Native code must not hold Python objects when Python ends.
atexit.register(_native.set_record_reader, None)
