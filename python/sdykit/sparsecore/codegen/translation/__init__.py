"""All ops that code generation knows."""

from __future__ import annotations

from sdykit.sparsecore.codegen import (
    _arith,
    _constants,
    _floats,
    _math,
    _memref,
    _scf,
    _shuffles,
    _transfers,
    _vector,
    _vector_memory,
    _views,
)
from sdykit.sparsecore.codegen._translator import Handler

HANDLERS: dict[str, Handler] = {
    **_arith.OPS,
    **_constants.OPS,
    **_floats.OPS,
    **_math.OPS,
    **_memref.OPS,
    **_scf.OPS,
    **_shuffles.OPS,
    **_transfers.OPS,
    **_vector.OPS,
    **_vector_memory.OPS,
    **_views.OPS,
}
"""Name of an op to what translates it."""
