"""A recording, from its begin to the run that it writes."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import logging
import os
import platform
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np

import sdykit
from sdykit.bridge import _native
from sdykit.bridge.recording.batches import Collected
from sdykit.bridge.recording.programs import Runs, read_runs
from sdykit.bridge.recording.samples import figures_of
from sdykit.bridge.recording.tables import Described, describe
from sdykit.bridge.settings import current
from sdykit.sparsecore import events
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.run import HostSpans, Run, write_run
from sdykit.sparsecore.run.breakdown import COMPILE, breakdown_of
from sdykit.sparsecore.run.model import KERNEL
from sdykit.sparsecore.run.writer import check_folder

MAX_CALLS: Final = 1_000_000
"""The maximum number of executions of programs in a run: 40 MB of memory."""
MAX_SAMPLE_BYTES: Final = 256 << 20
"""The maximum size of the inputs of programs from which figures are computed."""

_PACKAGES: Final = ("jax", "jaxlib", "numpy", "llvmlite", "jax-tpu-embedding")

_COMPILED: Final = "/jax/core/compile/backend_compile_duration"
"""JAX's event that it has compiled a function, with the programs of SparseCores in it."""

_logger = logging.getLogger("sdykit.record")
_lock = threading.Lock()


def _tell_of_compilation(event: str, duration_secs: float, **kwargs: Any) -> None:
    listener = events.listener()
    if listener is not None and event == _COMPILED:
        end = time.perf_counter_ns()
        listener.span(COMPILE, end - int(duration_secs * 1e9), end)


jax.monitoring.register_event_duration_secs_listener(_tell_of_compilation)


@contextmanager
def record(path: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[None]:
    """Record what the programs and the preprocessing of this process do, and write it as a run.

    The body is any training loop, of `Embedding`, of `lookup` and `grad_update`, or of jax-tpu-embedding.
    It records when each lookup and update began and ended, on each device; what preprocessing took and
    counted; what was compiled, how long that took, and why; and, of steps 0, 1, 2, 4, 8 and so on, the
    figures that counters follow from. Programs that were compiled before are recorded as well.

    At the end, also if that is an exception, the run is written: `sdykit report`, and
    `sdykit.sparsecore.run.read_run`, read it. What has not ended then is not in it: wait for the last
    step with `jax.block_until_ready`. A run has up to 1,000,000 executions, 64 MiB of counts of batches,
    and figures of up to 256 MiB of ids; what came after that is left out, and the run says how much.

    Args:
        path: the folder, which is written whole or not at all; its parent is there.
        overwrite: whether a run that is there is replaced.

    Raises:
        SparseCoreError: a recording is on already, or the folder is there and may not be replaced, or
            cannot be written.
    """
    folder = Path(path).absolute()
    check_folder(folder, overwrite=overwrite)
    if not _lock.acquire(blocking=False):
        raise SparseCoreError(
            "record: a recording is on already in this process; expected one at a time: end it first"
        )
    try:
        collected = Collected()
        error = ""
        _native.start_recording(MAX_CALLS, MAX_SAMPLE_BYTES)
        try:
            with events.listening(collected):
                yield
        except BaseException as found:
            error = f"{type(found).__name__}: {found}"
            raise
        finally:
            end = time.perf_counter_ns()
            _finish(folder, collected, end, error, overwrite=overwrite)
    finally:
        _lock.release()


def _finish(folder: Path, collected: Collected, end: int, error: str, *, overwrite: bool) -> None:
    """End the recording and write the run; an error does not replace the one that ended the loop."""
    try:
        run = _make_run(folder, collected, end, error)
        write_run(folder, run, overwrite=overwrite)
    except SparseCoreError as found:
        if not error:
            raise
        _logger.error("the run is not written: %s", found)


def _make_run(folder: Path, collected: Collected, end: int, error: str) -> Run:
    begin = collected.begin
    described = describe(collected.tables, collected.settings)
    runs = read_runs(_native.stop_recording(), begin, [each.name for each in described.stacks])
    settings = current()
    batches, left_out_batches = collected.columns()
    sampled, failed = figures_of(runs)
    run = Run(
        path=folder,
        chip=settings.chip,
        devices=_devices(runs, described),
        settings=_settings(collected.settings),
        versions=_versions(),
        seconds=(end - begin) / 1e9,
        tables=described.tables,
        stacks=described.stacks,
        programs=runs.programs,
        calls=runs.calls,
        host=_host_spans(collected, runs),
        batches=batches,
        sampled=sampled,
        ids=tuple(collected.ids),
        scopes=runs.scopes,
        ledger=described.ledger,
        left_out={
            "calls": runs.left_out_calls,
            "samples": runs.left_out_samples + failed,
            "batches": left_out_batches,
            "spans": collected.left_out_spans,
        },
        error=error,
        began=time.time() - (time.perf_counter_ns() - begin) / 1e9,
    )
    return dataclasses.replace(
        run, settings={**run.settings, "pipelined": breakdown_of(run).is_pipelined}
    )


def _devices(runs: Runs, described: Described) -> int:
    """Return the number of devices of all processes."""
    local = int(runs.calls.device.max(initial=-1)) + 1
    split = [each.tile.num_devices for each in runs.programs if each.kind != KERNEL]
    return max([local, described.devices, *split])


def _settings(of_batches: Mapping[str, Any]) -> dict[str, Any]:
    settings = current()
    found: dict[str, Any] = {
        "chip": settings.chip,
        "execute": settings.execute,
        "counters": settings.counters,
    }
    names = SparsecoreConfig.__dataclass_fields__
    found |= {name: getattr(settings.config, name) for name in names}
    return found | dict(of_batches)


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "sdykit": sdykit.__version__}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _host_spans(collected: Collected, runs: Runs) -> HostSpans:
    """Return what the host did, each with the step that the first device was in.

    What JAX compiles is there already; programs that it did not compile are added.
    """
    known = [each for each in collected.spans if each[0] == COMPILE]
    alone = [
        each
        for each in runs.compile_spans
        if not any(start <= each[1] <= end for _, start, end, _ in known)
    ]
    found = [*collected.spans, *alone]
    found.sort(key=lambda each: each[1])
    names, starts, ends, threads = zip(*found, strict=True) if found else ([],) * 4
    start = (np.array(starts, np.int64) - collected.begin) / 1e9
    end = (np.array(ends, np.int64) - collected.begin) / 1e9
    on_first = runs.calls.where(runs.calls.device == runs.calls.device.min(initial=0))
    at = np.searchsorted(on_first.start, start, side="right") - 1
    step = np.where(at >= 0, np.append(on_first.step, -1)[at], -1)
    return HostSpans(np.array(names, np.str_), step, start, end, np.array(threads, np.int64))
