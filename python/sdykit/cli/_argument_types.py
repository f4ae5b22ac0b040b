"""Types of arguments that several subcommands read."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Final

MAXIMUM: Final = 2**31 - 1


def at_least(low: int) -> Callable[[str], int]:
    """Return a function that reads an integer from `low` to 2^31 - 1.

    It raises `argparse.ArgumentTypeError` for any other text.
    """

    def integer(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,10}", text) or not low <= int(text) <= MAXIMUM:
            raise argparse.ArgumentTypeError(
                f"found {text!r}; expected an integer from {low} to {MAXIMUM}"
            )
        return int(text)

    return integer
