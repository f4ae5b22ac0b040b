"""The chip that CPU devices simulate, and the flags of its compiler."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

from sdykit.bridge.pallas.settings import configure_pallas
from sdykit.sparsecore.chip import CHIPS
from sdykit.sparsecore.chip import chip as find_chip
from sdykit.sparsecore.config import SETTINGS, SparsecoreConfig
from sdykit.sparsecore.config.flags import resolve
from sdykit.sparsecore.config.warn import warn
from sdykit.sparsecore.errors import SparseCoreError, nearest, shown
from sdykit.sparsecore.reading import Reading

ENVIRONMENT = "SDYKIT_CHIP"
DEFAULT_CHIP = "v5p"
_OF_STEPS = ("xla_tpu_buffer_contents_sanitizer_config", "xla_tpu_verify_launch_id_across_cores")
"""The flags of checks of a chip's program: what its steps write, and what its SparseCores execute."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """The chip and flags that programs are compiled for, unless a layer has its own.

    Attributes:
        chip: the name of a chip, or the absolute path of a file that describes one.
        config: the configuration, flags of the environment included.
        counters: whether it is counted what each tile does on the chip.
        execute: how programs are executed, see `configure`.
    """

    chip: str
    config: SparsecoreConfig
    counters: bool = False
    execute: Reading = "cpu"

    @property
    def sparse_cores(self) -> int:
        """Number of SparseCores of a device."""
        return find_chip(self.chip).sparse_cores_per_device

    @property
    def tiles(self) -> int:
        """Number of tiles of a SparseCore."""
        return find_chip(self.chip).tiles_per_sparse_core

    @property
    def row_alignment(self) -> int:
        """Number of floats to a multiple of which rows of stacked tables are padded."""
        return find_chip(self.chip).row_alignment

    @property
    def checks(self) -> dict[str, Any]:
        """The fields of a spec that add checks and counters to its program."""
        is_chip = self.execute == "chip"
        sanitizer = self.config.sanitizer if is_chip else None
        return {
            "sanitize": sanitizer.cores if sanitizer else (),
            "verify_launch": self.config.xla_tpu_verify_launch_id_across_cores and is_chip,
            "check_bounds": self.config.xla_sc_assert_level == "bounds",
            "check_nan": self.config.xla_sc_detect_nan,
            "counters": self.counters,
        }


_ARGUMENTS = ("chip", "counters", "execute", "pallas")
"""The arguments of `configure` that are no fields of `SparsecoreConfig`."""

_given: dict[str, Settings] = {}
_KEY = "process"


def configure(
    chip: str | os.PathLike[str] | None = None,
    *,
    counters: bool = False,
    execute: Reading = "cpu",
    pallas: str | None = None,
    **settings: Any,
) -> Settings:
    """Set the chip that the CPU devices of this process simulate; each call replaces the one before.

    Args:
        chip: the name of a chip such as `v6e`, or a file that describes one. None: `SDYKIT_CHIP` of
            the environment, or else `v5p`.
        counters: whether `sdykit.sparsecore.counters` tells what each tile does on the chip. With `cpu`
            below, each run keeps the figures of its batch for it, or a copy of raw ids.
        execute: `cpu`: as fast as a CPU can; `chip`: step by step as the chip does, which is slow.
            Results are equal bit for bit.
        pallas: how Pallas kernels for SparseCores run: `check` (with all checks), `fast` (with those of
            bounds and deadlocks only), `reference` (op by op) or `off` (JAX is as without sdykit). None:
            `SDYKIT_PALLAS` of the environment, or else `check`.
        settings: fields of `SparsecoreConfig`. Flags in `SDYKIT_FLAGS`, `LIBTPU_INIT_ARGS` and
            `XLA_FLAGS` override them.

    Returns:
        The settings of functions that are traced from now on.

    Raises:
        SparseCoreError: there is no such chip or setting, or a value is wrong.
    """
    if not isinstance(counters, bool):
        raise SparseCoreError(f"configure: counters is {counters!r}; expected True or False")
    if execute not in get_args(Reading):
        expected = " or ".join(get_args(Reading))
        raise SparseCoreError(f"configure: execute is {execute!r}; expected {expected}")
    _check_names(settings)
    config = SparsecoreConfig(**settings)
    found = make_settings(chip, config, counters=counters, execute=execute)
    configure_pallas(pallas)  # After all that may fail: either all is set, or nothing.
    _given[_KEY] = found
    # Kernels ask JAX for the numbers of the chip, and it has those of the former one.
    hook = sys.modules.get("sdykit.bridge.pallas.hook")
    if hook is not None:
        hook.refresh()
    return found


def _check_names(settings: Iterable[str]) -> None:
    """Raise an error for a name that is nearest to an argument of `configure`, not to a setting."""
    for name in settings:
        near = nearest(name, (*_ARGUMENTS, *SETTINGS))
        if name not in SETTINGS and near in _ARGUMENTS:
            raise SparseCoreError(f"configure: unknown setting {name!r}; did you mean '{near}'?")


def make_settings(
    chip: str | os.PathLike[str] | None,
    config: SparsecoreConfig | None,
    *,
    counters: bool = False,
    execute: Reading = "cpu",
) -> Settings:
    """Return settings, completed from the environment.

    Raises:
        SparseCoreError: there is no such chip, or a flag is wrong.
    """
    given = (os.environ.get(ENVIRONMENT) or DEFAULT_CHIP) if chip is None else chip
    find_chip(given)
    # A program may be compiled from another working directory.
    name = os.fspath(given) if given in CHIPS else str(Path(given).absolute())
    found = Settings(name, resolve(config), counters, execute)
    if execute == "cpu":
        _warn_of_checks_of_steps(found.config)
    return found


def _warn_of_checks_of_steps(config: SparsecoreConfig) -> None:
    """Warn of the checks that a program for a CPU does not have."""
    for name in _OF_STEPS:
        value = getattr(config, name)
        if value != getattr(SparsecoreConfig, name):
            warn(
                f"{name} is {shown(value)}, and has no effect with execute='cpu', whose programs are no "
                "chip's; configure(execute='chip') checks"
            )


def current() -> Settings:
    """Return the settings of this process.

    Raises:
        SparseCoreError: the environment names a chip that does not exist, or has a wrong flag.
    """
    if _KEY not in _given:
        configure()
    return _given[_KEY]
