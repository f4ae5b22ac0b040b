"""Profiles of JAX with tracks of the SparseCores: `with sdykit.sparsecore.trace("logs/"):`.

JAX's own profile names a lookup or update `ffi_call.14`, as XLA does, among the threads of the host. Here
they are named after their tables, on a track for each device, beside those of XLA.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import jax
from jax.profiler import ProfileData

from sdykit.bridge.recording import record
from sdykit.files import write_whole
from sdykit.sparsecore.chip import chip
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.run import Run, read_run
from sdykit.sparsecore.timeline import Cut, of_recording
from sdykit.viz.timeline import MEASURED, xplane

_FILES: Final = "plugins/profile/*/*.xplane.pb"
_TASK, _START = "Task Environment", "profile_start_time"
_FIRST_PLANE: Final = 1000
"""Beyond the numbers of the planes that JAX writes."""

_logger = logging.getLogger("sdykit.trace")


@contextmanager
def trace(
    log_dir: str | os.PathLike[str], *, run: str | os.PathLike[str] | None = None
) -> Iterator[None]:
    """Profile what JAX does, as `jax.profiler.trace` does, with tracks of the SparseCores.

    The profile has a plane `/device:CUSTOM:measured TPU:0` for each device, with the calls of lookups
    and updates by the names of their tables, the TensorCore's part between them, and steps; and one for
    what the host did. xprof's and TensorBoard's trace viewer show them beside XLA's threads. What has not
    ended at the end of the body is not in it: wait for the last step with `jax.block_until_ready`.

    Args:
        log_dir: the folder of logs.
        run: the folder of a run, which `sdykit.sparsecore.record` would write; it is replaced if it is
            there. None: none is kept.

    Raises:
        SparseCoreError: a recording is on already, or the run cannot be written.
    """
    logs = Path(log_dir)
    before = set(logs.glob(_FILES))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run") if run is None else Path(run)
        # JAX's profile is written when the inner context ends, whatever ends the body.
        with record(path, overwrite=True), jax.profiler.trace(str(logs)):
            yield
        recorded = read_run(path)
    for file in sorted(set(logs.glob(_FILES)) - before):
        add_tracks(file, recorded)


def add_tracks(file: Path, run: Run) -> None:
    """Add the tracks of a run, up to 250,000 spans, to a profile of the same time.

    Args:
        file: the profile, an `xplane.pb` that JAX wrote.
        run: the run.

    Raises:
        SparseCoreError: the profile does not say when it began, or cannot be written.
    """
    data = file.read_bytes()
    task = ProfileData.from_serialized_xspace(data).find_plane_with_name(_TASK)
    start = dict(task.stats).get(_START) if task is not None else None
    if not isinstance(start, int):
        raise SparseCoreError(
            f"{file}: error: the profile has no plane '{_TASK}' with {_START}; expected one that "
            "jax.profiler wrote"
        )
    if not run.steps:
        _logger.warning("no lookup or update ran in the profile: it has no tracks of SparseCores")
        return
    later = run.began - start / 1e9
    spans = [replace(each, start=each.start + later) for each in of_recording(run, Cut())]
    spans = [each for each in spans if each.start >= 0]
    added = xplane({MEASURED: spans}, chip(run.chip), first=_FIRST_PLANE)
    try:
        # Messages one after the other are one with the planes of both.
        write_whole(file, data + added)
    except OSError as error:
        raise SparseCoreError(f"cannot write '{file}': {error.strerror or error}") from None
