"""The chip that CPU devices play, and the flags of its compiler."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

from sdykit.sparsecore.chip import chip as find_chip
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.config.flags import resolve
from sdykit.sparsecore.errors import SparseCoreError

ENVIRONMENT = "SDYKIT_CHIP"
DEFAULT_CHIP = "v5p"


@dataclasses.dataclass(frozen=True)
class Settings:
    """What programs are compiled for, where a call says nothing else.

    Attributes:
        chip: a name, or the absolute path of a file that describes one.
        config: with what flags of the environment say.
        counters: whether programs count what they do.
    """

    chip: str
    config: SparsecoreConfig
    counters: bool = False

    @property
    def sparse_cores(self) -> int:
        """SparseCores of a device."""
        return find_chip(self.chip).sparse_cores_per_device

    @property
    def row_alignment(self) -> int:
        """Floats that rows of stacked tables are padded to a multiple of."""
        return find_chip(self.chip).row_alignment_bytes // 4

    @property
    def checks(self) -> dict[str, bool]:
        """The fields of a spec that add checks and counters."""
        return {
            "check_bounds": self.config.xla_sc_assert_level == "bounds",
            "check_nan": self.config.xla_sc_detect_nan,
            "counters": self.counters,
        }


_given: dict[str, Settings] = {}
_KEY = "process"


def configure(
    chip: str | os.PathLike[str] | None = None, *, counters: bool = False, **settings: Any
) -> Settings:
    """Say what the CPU devices of this process are; each call replaces the one before.

    Args:
        chip: a name such as `v6e`, or a file that describes a chip. None: `SDYKIT_CHIP` of the
            environment, else `v5p`.
        counters: whether programs count what each tile does; `sdykit.sparsecore.counters` reads it.
        settings: fields of `SparsecoreConfig`. Flags in `SDYKIT_FLAGS`, `LIBTPU_INIT_ARGS` and
            `XLA_FLAGS` count more.

    Returns:
        What holds from now on, for functions that are traced later.

    Raises:
        SparseCoreError: there is no such chip or setting, or a value is wrong.
    """
    if not isinstance(counters, bool):
        raise SparseCoreError(f"configure: counters is {counters!r}; expected True or False")
    found = make_settings(chip, SparsecoreConfig(**settings), counters=counters)
    _given[_KEY] = found
    return found


def make_settings(
    chip: str | os.PathLike[str] | None, config: SparsecoreConfig | None, *, counters: bool = False
) -> Settings:
    """Complete settings from the environment.

    Raises:
        SparseCoreError: there is no such chip, or a flag is wrong.
    """
    name = os.fspath(chip) if chip is not None else os.environ.get(ENVIRONMENT) or DEFAULT_CHIP
    find_chip(name)
    # A program may be compiled from another working directory.
    path = Path(name)
    name = str(path.absolute()) if path.is_file() else name
    return Settings(name, resolve(config), counters)


def current() -> Settings:
    """Give the settings of this process.

    Raises:
        SparseCoreError: the environment names no chip, or a flag that is wrong.
    """
    if _KEY not in _given:
        configure()
    return _given[_KEY]
