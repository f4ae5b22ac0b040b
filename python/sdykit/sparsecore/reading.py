"""How programs are executed: the two readings of a tile program."""

from __future__ import annotations

from typing import Literal

Reading = Literal["cpu", "chip"]
"""Fast on a CPU, or step by step as the chip does it."""
