"""SparseCore: preprocessing on the host, a simulated chip, lookups and updates in JAX.

What is where:

- What a user declares and passes: `specs` (tables, features, the system), `quantization` (and `int8`:
  tables that are quantized after training), `optimizers`, `inputs` (ids), `config` (settings and flags).
- The host's work: `stacking` (tables that share a program), `preprocess` (ids to static buffers),
  `limits` (counted in data, stored in files), `files` (of ids and tables), `prefetching` (batches made
  ahead). Its loops are C++, in `native`.
- The chip: `chip` (its numbers).
- What it computes: `reference`, in plain numpy.
- The compiler: `tile` (tile programs in MLIR) and `codegen` (machine code).
- What a chip would do: `memory` (what is in HBM), `counts` (DMAs, bytes, vector operations) and `cost`
  (seconds, with error bars).
- What it did: `run` (a recorded training loop), and `timeline` (when what did what).

`errors`, `extras` (optional dependencies) and `threads` serve all of them; `explain` has the texts
about settings and errors. Modules of a single import are former names of modules that are in a
folder now.

Names are looked up when they are used: what compiles code, and what needs JAX, is imported with
the first name that needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sdykit.bridge.embedding import (
        DeviceBuffers,
        Embedding,
        configure,
        counters,
        grad_update,
        lookup,
        prefetch,
        program_ledger,
        reset_counters,
    )
    from sdykit.bridge.pipelining import pipelined
    from sdykit.bridge.profiling import trace
    from sdykit.bridge.recording import record
    from sdykit.sparsecore.chip import CHIPS, Chip
    from sdykit.sparsecore.config import SparsecoreConfig, resolve, split_arguments
    from sdykit.sparsecore.errors import LimitExceeded, SparseCoreError
    from sdykit.sparsecore.inputs import Ragged, Sparse
    from sdykit.sparsecore.int8 import int8_tables
    from sdykit.sparsecore.quantization import Quantization
    from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec

_HERE = "sdykit.sparsecore"
_BRIDGE = "sdykit.bridge.embedding"
_PIPELINING = "sdykit.bridge.pipelining"

# No name here is that of a module (`chip` is one): the import of the module would hide it.
_MODULES = {
    "CHIPS": f"{_HERE}.chip",
    "Chip": f"{_HERE}.chip",
    "DeviceBuffers": _BRIDGE,
    "Embedding": _BRIDGE,
    "FeatureSpec": f"{_HERE}.specs",
    "LimitExceeded": f"{_HERE}.errors",
    "Quantization": f"{_HERE}.quantization",
    "Ragged": f"{_HERE}.inputs",
    "Sparse": f"{_HERE}.inputs",
    "SparseCoreError": f"{_HERE}.errors",
    "SparsecoreConfig": f"{_HERE}.config",
    "System": f"{_HERE}.specs",
    "TableSpec": f"{_HERE}.specs",
    "configure": _BRIDGE,
    "counters": _BRIDGE,
    "grad_update": _BRIDGE,
    "int8_tables": f"{_HERE}.int8",
    "lookup": _BRIDGE,
    "pipelined": _PIPELINING,
    "prefetch": _BRIDGE,
    "program_ledger": _BRIDGE,
    "record": "sdykit.bridge.recording",
    "reset_counters": _BRIDGE,
    "resolve": f"{_HERE}.config",
    "split_arguments": f"{_HERE}.config",
    "trace": "sdykit.bridge.profiling",
}

__all__ = [
    "CHIPS",
    "Chip",
    "DeviceBuffers",
    "Embedding",
    "FeatureSpec",
    "LimitExceeded",
    "Quantization",
    "Ragged",
    "Sparse",
    "SparseCoreError",
    "SparsecoreConfig",
    "System",
    "TableSpec",
    "configure",
    "counters",
    "grad_update",
    "int8_tables",
    "lookup",
    "pipelined",
    "prefetch",
    "program_ledger",
    "record",
    "reset_counters",
    "resolve",
    "split_arguments",
    "trace",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
