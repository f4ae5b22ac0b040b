"""The cores whose buffers the sanitizer compares."""

from __future__ import annotations

from typing import Final

CORES: Final = ("TC", "SC_SCS", "SC_TILE")
"""TensorCore, sequencer of a SparseCore, tile of a SparseCore."""
