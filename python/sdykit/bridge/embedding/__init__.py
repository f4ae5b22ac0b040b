"""Embedding lookups and updates in JAX, on CPU devices that simulate chips with SparseCores.

`docs/embedding.md` shows how they are used; `sdykit.sparsecore` has the same names. `layer` is a
model's tables, `primitives` are lookups and updates of one table, `programs` are the tile programs
that they call. Read `primitives.lookup` first. All use `axes` (the mesh axes that a table is split
over), `buffers` (those of preprocessing, as a pytree) and `checks`; the chip and its flags are in
`sdykit.bridge.settings`.
"""

from __future__ import annotations

from pathlib import Path

from jax.extend import source_info_util

from sdykit.bridge.embedding.buffers import DeviceBuffers
from sdykit.bridge.embedding.layer.embedding import Batch, Embedding, Variables
from sdykit.bridge.embedding.memory.programs import program_ledger
from sdykit.bridge.embedding.prefetch import prefetch
from sdykit.bridge.embedding.primitives.lookup import lookup
from sdykit.bridge.embedding.primitives.update import grad_update
from sdykit.bridge.embedding.programs.counting import counters, reset_counters
from sdykit.bridge.host_devices import ensure_threads
from sdykit.bridge.settings import configure

__all__ = [
    "Batch",
    "DeviceBuffers",
    "Embedding",
    "Variables",
    "configure",
    "counters",
    "grad_update",
    "lookup",
    "prefetch",
    "program_ledger",
    "reset_counters",
]

# Locations name the code of the caller.
source_info_util.register_exclusion(str(Path(__file__).parent))
ensure_threads()
