"""Flags of the simulated chip in `XLA_FLAGS`, where XLA would end the process for them."""

from __future__ import annotations

import os
import re
from typing import Final

FROM: Final = "XLA_FLAGS"
TO: Final = "LIBTPU_INIT_ARGS"
"""Where they go: `sdykit.sparsecore.config.flags` reads it next, and so do processes started later."""

# How XLA parts its flags; a quotation mark means something right behind `=` only.
# Source: ParseArgvFromString of xla/parse_flags_from_env.cc.
_WORD = re.compile(r"""-[-\w]*=(?:"(?:\\.|[^"\\])*"?|'[^']*'?)|\S+""", re.ASCII | re.DOTALL)

# What a word of XLA's most used flags begins with: none of ours does. Passing over them saves the
# list of ours, which takes longer to import than all else here together.
_XLAS = ("--xla_force_", "--xla_cpu_", "--xla_gpu_", "--xla_dump_")


def move_own_flags() -> None:
    """Move the flags of the chip from `XLA_FLAGS` to the front of `LIBTPU_INIT_ARGS`.

    What is said later counts more, so all flags count as before. Other flags stay as they are, and
    so does the name of a file that holds flags. Errors still name `XLA_FLAGS`.
    """
    text = os.environ.get(FROM, "")
    words = [word for word in _WORD.findall(text) if not word.startswith(_XLAS)]
    if not words or not text.lstrip().startswith("-"):
        return
    from sdykit.sparsecore.config.flags import MOVED, is_flag, warn_of_slip

    for word in words:
        warn_of_slip(FROM, word)  # XLA ends the process for it, without a word of what was meant.
    own = [word for word in words if is_flag(word)]
    if not own:
        return
    os.environ[FROM] = _WORD.sub(lambda word: "" if is_flag(word[0]) else word[0], text).strip()
    os.environ[TO] = " ".join([*own, os.environ.get(TO, "")]).strip()
    os.environ[MOVED] = " ".join(own)
