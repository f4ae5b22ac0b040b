"""`vector`: `elements` and masks, `shuffles`, `reductions`, `memory` and `transfers`."""

from sdykit.sparsecore.codegen.translation.vector import (
    elements,
    memory,
    reductions,
    shuffles,
    transfers,
)

OPS = {**elements.OPS, **memory.OPS, **reductions.OPS, **shuffles.OPS, **transfers.OPS}
