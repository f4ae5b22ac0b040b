"""The directory in which processes share compiled programs, and its size limit."""

from __future__ import annotations

import functools
import logging
import os
import re
from pathlib import Path

from sdykit.bridge.errors import BridgeError

DEFAULT_CACHE_BYTES = 1 << 30

_logger = logging.getLogger(__name__)


def cache_directory() -> Path | None:
    """Return the directory of compiled programs, or None if there is no place for it.

    It is `objects` in `$SDYKIT_CACHE_DIR`, else in `$XDG_CACHE_HOME/sdykit`, else in
    `~/.cache/sdykit`.
    """
    own = os.environ.get("SDYKIT_CACHE_DIR")
    if own:
        return Path(own).absolute() / "objects"
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG base directory specification: a relative path is to be ignored.
    if Path(xdg).is_absolute():
        return Path(xdg) / "sdykit" / "objects"
    try:
        return Path.home() / ".cache" / "sdykit" / "objects"
    except RuntimeError:
        _warn_of_no_home()
        return None


@functools.cache  # Warn once in a process.
def _warn_of_no_home() -> None:
    _logger.warning(
        "there is no home directory to keep compiled programs in, so each process compiles those that "
        "it uses; set SDYKIT_CACHE_DIR to a directory"
    )


def cache_bytes() -> int:
    """Return the maximum size of the directory: `$SDYKIT_CACHE_SIZE`, by default 1 GiB.

    Raises:
        BridgeError: the variable does not hold a size.
    """
    text = os.environ.get("SDYKIT_CACHE_SIZE")
    if not text:
        return DEFAULT_CACHE_BYTES
    found = re.fullmatch(r"([0-9]+)([KMG]?)", text)
    if found is None:
        raise BridgeError(
            f"SDYKIT_CACHE_SIZE is {text!r}; expected bytes, or a number and K, M or G (of 1024)"
        )
    return int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[found[2]]
