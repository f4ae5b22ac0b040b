"""Flags of the simulated chip in `XLA_FLAGS`, because of which XLA would end the process."""

from __future__ import annotations

import os
import re
from typing import Final

FROM: Final = "XLA_FLAGS"
TO: Final = "LIBTPU_INIT_ARGS"
"""Where they move: `sdykit.sparsecore.config.flags` reads it next, as do child processes."""

# How XLA splits its flags; a quotation mark has a meaning only right after `=`.
# Source: ParseArgvFromString of xla/parse_flags_from_env.cc.
_WORD = re.compile(r"""-[-\w]*=(?:"(?:\\.|[^"\\])*"?|'[^']*'?)|\S+""", re.ASCII | re.DOTALL)

# Prefixes of XLA's most used flags; none of ours has one. Skipping them avoids the import of the
# list of our flags, which takes longer than all the rest of the plugin.
_XLAS = ("--xla_force_", "--xla_cpu_", "--xla_gpu_", "--xla_dump_")


def move_own_flags() -> None:
    """Move the flags of the chip from `XLA_FLAGS` to the front of `LIBTPU_INIT_ARGS`.

    The later of two flags wins, so that all flags have the effect that they had. Other flags stay
    as they are, and so does the name of a file that holds flags. Errors still name `XLA_FLAGS`.
    """
    text = os.environ.get(FROM, "")
    words = [word for word in _WORD.findall(text) if not word.startswith(_XLAS)]
    if not words or not text.lstrip().startswith("-"):
        return
    from sdykit.sparsecore.config.flags import MOVED, is_flag, warn_of_slip

    for word in words:
        # XLA would end the process without naming the flag that was meant.
        warn_of_slip(FROM, word)
    own = [word for word in words if is_flag(word)]
    if not own:
        return
    os.environ[FROM] = _WORD.sub(lambda word: "" if is_flag(word[0]) else word[0], text).strip()
    os.environ[TO] = " ".join([*own, os.environ.get(TO, "")]).strip()
    os.environ[MOVED] = " ".join(own)
