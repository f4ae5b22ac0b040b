"""What to compile: a lookup or an update, and the chip it runs on.

A spec is frozen, hashable and JSON. It is the key of the caches, and all that a compiled JAX
program carries.
"""

from __future__ import annotations

from sdykit.sparsecore.tile.spec.base import (
    MAX_MINIBATCHES,
    POINTERS,
    BufferLayout,
    Layout,
    Reading,
    Staging,
    TileSpec,
    Transport,
)
from sdykit.sparsecore.tile.spec.json_text import spec_from_fields, spec_from_json
from sdykit.sparsecore.tile.spec.lookup import LookupSpec
from sdykit.sparsecore.tile.spec.update import AnyUpdateSpec, CustomUpdateSpec, UpdateSpec

__all__ = [
    "MAX_MINIBATCHES",
    "POINTERS",
    "AnyUpdateSpec",
    "BufferLayout",
    "CustomUpdateSpec",
    "Layout",
    "LookupSpec",
    "Reading",
    "Staging",
    "TileSpec",
    "Transport",
    "UpdateSpec",
    "spec_from_fields",
    "spec_from_json",
]
