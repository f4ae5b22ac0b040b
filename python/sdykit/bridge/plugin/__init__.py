"""The JAX plugin: its `initialize` is called before the first backend starts.

JAX finds this module by the entry point group `jax_plugins`. It simulates SparseCores on CPU devices
for programs of jax-tpu-embedding and for Pallas kernels; `docs/plugin.md` describes what it does, and
how to turn it off.
It imports nothing heavy, and changes nothing for other programs. `import_hook` acts on modules of
the library when they are imported, `xla_flags` moves flags of the chip to where XLA ignores them.
"""

from __future__ import annotations

import functools
import os
import re
import sys
import warnings
from collections.abc import Callable
from types import ModuleType

ENVIRONMENT = "SDYKIT_PLUGIN"

TESTED = ("0.1.0", "0.2.0")
"""The first and the last release of jax-tpu-embedding that are tested."""


NO_KERNELS = "Pallas kernels for SparseCores will not run on CPU devices"
"""The beginning of the warning that they will not."""


def initialize() -> None:
    """Prepare this process for the programs that SparseCores run; do nothing for all others.

    - Flags of the chip in `XLA_FLAGS` move to `LIBTPU_INIT_ARGS`, before XLA sees them.
    - `NPROC` is raised so that several CPU devices have enough threads.
    - Modules of jax-tpu-embedding, imported now or later, are changed to run on CPU devices.
    - Once `jax.experimental.pallas.tpu_sc` is imported, its kernels run on CPU devices.

    With `SDYKIT_PLUGIN=off` it does nothing at all.

    Warns:
        UserWarning: one of these steps failed; JAX itself works as without the plugin.
    """
    setting = os.environ.get(ENVIRONMENT) or "on"
    if setting == "off":
        return
    problems = [] if setting == "on" else [f"{ENVIRONMENT} is {setting!r}; expected on or off"]
    for step in (_move_flags, _ensure_threads, _watch_imports):
        try:
            step()
        except Exception as error:
            problems.append(_message(error))
    # After all steps, so that none is left out where warnings are errors.
    if problems:
        warnings.warn(f"sdykit: {'; '.join(problems)}", stacklevel=2)


def prepare_library() -> bool:
    """Watch for imports of the library before JAX starts; return whether the plugin is on.

    Warns:
        UserWarning: it failed; the import goes on.
    """
    if os.environ.get(ENVIRONMENT) == "off":
        return False
    try:
        _watch_imports()
    except Exception as error:
        warn_once(f"sdykit: {_message(error)}")
    return True


def _move_flags() -> None:
    from sdykit.bridge.plugin.xla_flags import move_own_flags

    move_own_flags()


def _ensure_threads() -> None:
    from sdykit.bridge.host_devices import ensure_threads

    ensure_threads()


@functools.cache  # JAX calls `initialize` once, but others may call it again.
def _watch_imports() -> None:
    from sdykit.bridge.jax_tpu_embedding.registry import MODULES
    from sdykit.bridge.plugin.import_hook import watch

    actions = {name: _preparing(function) for name, function in MODULES.items()}
    watch({**actions, "jax.experimental.pallas.tpu_sc": _prepare_kernels})


def _prepare_kernels(module: ModuleType) -> None:
    try:
        from sdykit.bridge.pallas.hook import register

        register(module)
    except Exception as error:
        # JAX works as without the plugin: it has an error of its own for these kernels.
        warn_once(f"sdykit: {NO_KERNELS}: {_message(error)}")


def _preparing(function: str) -> Callable[[ModuleType], None]:
    """Return a function that calls `module:function` with a module of the library."""

    def prepare(module: ModuleType) -> None:
        import pkgutil

        _check_version()
        try:
            pkgutil.resolve_name(function)(module)
        except Exception as error:
            # The library works as without the plugin: on TPUs.
            warn_once(f"sdykit: jax-tpu-embedding will not run on CPU devices: {_message(error)}")

    return prepare


@functools.cache
def _check_version() -> None:
    from importlib import metadata

    from sdykit.bridge.jax_tpu_embedding.registry import LIBRARY

    try:
        version = metadata.version(LIBRARY)
    except metadata.PackageNotFoundError:
        return  # It is not installed: its sources are on the path.
    first, last = map(_release, TESTED)
    if version and not first <= _release(version) <= last:
        warn_once(
            f"sdykit: jax-tpu-embedding is {version}; its programs were tested on CPU devices "
            f"from {TESTED[0]} to {TESTED[1]}"
        )


def _release(version: str) -> tuple[int, ...]:
    """Return the first three numbers of a version, 0 for those that it lacks."""
    return tuple(map(int, [*re.findall(r"\d+", version), 0, 0, 0][:3]))


_warned: set[str] = set()


def warn_once(text: str) -> None:
    """Warn, once in a process; print the text where warnings are errors."""
    if text in _warned:
        return
    _warned.add(text)
    try:
        warnings.warn(text, stacklevel=3)
    except Warning as error:
        # Where warnings are errors, it is not an error of the import.
        print(error, file=sys.stderr)


def _message(error: Exception) -> str:
    from sdykit.errors import SdykitError

    return str(error) if isinstance(error, SdykitError) else f"{type(error).__name__}: {error}"
