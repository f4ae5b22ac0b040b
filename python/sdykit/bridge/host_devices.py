"""Threads for many CPU devices in one process.

XLA runs the part of a collective of each device on a thread of one pool, where it waits for the
other devices. If the pool has fewer threads than twice the devices, all of them may end up waiting,
and the program ends in a time-out. XLA reads the number of threads from `NPROC` when the first
backend starts.
"""

from __future__ import annotations

import os
import re
import warnings
from typing import Any

import jax
from jax._src import xla_bridge

THREADS_PER_DEVICE = 2

_COUNT = re.compile(r"--xla_force_host_platform_device_count[= ](\d+)")


def ensure_threads() -> None:
    """Raise `NPROC` to twice the number of CPU devices that JAX will have.

    The devices are those of `jax_num_cpu_devices` or of
    `--xla_force_host_platform_device_count` in `XLA_FLAGS`. Nothing changes for one device, with
    an `NPROC` that is large enough, or after the backend has started.
    """
    devices = _devices_to_come()
    if devices > 1 and _threads() < THREADS_PER_DEVICE * devices and not _has_started():
        os.environ["NPROC"] = str(THREADS_PER_DEVICE * devices)


def warn_of_few_threads() -> None:
    """Warn if this process has more CPU devices than its threads can serve.

    Warns:
        UserWarning: collectives may end in a time-out.
    """
    if not _has_started():
        return
    devices = jax.local_device_count("cpu")
    needed = THREADS_PER_DEVICE * devices
    if devices > 1 and _threads() < needed:
        warnings.warn(
            f"NPROC is {os.environ.get('NPROC') or 'not set'} and there are {os.cpu_count()} cores "
            f"for {devices} CPU devices; expected NPROC={needed} or more: XLA's collectives may "
            "end in a time-out. Import sdykit.sparsecore after the number of devices is set and "
            "before JAX makes them, or set NPROC",
            stacklevel=3,
        )


def _devices_to_come() -> int:
    config: Any = jax.config  # Its options are not in the types.
    configured = config.jax_num_cpu_devices
    if configured > 0:
        return configured
    found = _COUNT.findall(os.environ.get("XLA_FLAGS", ""))
    return int(found[-1]) if found else 1


def _threads() -> int:
    """Return the number of threads in XLA's pool: `NPROC`, or else the number of cores."""
    text = os.environ.get("NPROC", "")
    return int(text) if text.isdigit() else os.cpu_count() or 1


def _has_started() -> bool:
    # Public functions of JAX would start the backend.
    return xla_bridge.backends_are_initialized()
