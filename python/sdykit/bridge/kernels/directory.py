"""Where compiled programs are kept for other processes, and how many bytes of them."""

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
    """Give the directory of compiled programs; None: there is no place for it.

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


@functools.cache  # Once a process.
def _warn_of_no_home() -> None:
    _logger.warning(
        "there is no home directory to keep compiled programs in; each process compiles those that "
        "it uses. SDYKIT_CACHE_DIR names a directory"
    )


def cache_bytes() -> int:
    """Return the bound of what is kept there: `$SDYKIT_CACHE_SIZE`, by default 1 GiB.

    Raises:
        BridgeError: it is no size.
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
