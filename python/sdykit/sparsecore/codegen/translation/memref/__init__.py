"""`memref`: `memory` (allocation, loads, stores, copies) and `views` of the same memory."""

from sdykit.sparsecore.codegen.translation.memref import memory, views

OPS = {**memory.OPS, **views.OPS}
