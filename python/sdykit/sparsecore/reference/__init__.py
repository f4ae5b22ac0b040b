"""What a SparseCore must compute, in plain numpy: slow, and easy to check by eye.

Lookups, gradient sums, the optimizers' updates, quantization, and how tables are sharded. Compiled
programs return the same bits. `docs/sparsecore-reference.md` has the order of the sums. Read
`lookup` first, then `entries`; `updates` has the rules of the optimizers, and `packed` reads the
static buffers of preprocessing.
"""

from sdykit.sparsecore.reference.entries import Entries, entries_from_coo
from sdykit.sparsecore.reference.gains import fold_gains
from sdykit.sparsecore.reference.lookup import GradientSums, gradient_sums, lookup, update
from sdykit.sparsecore.reference.packed import entries_from_packed
from sdykit.sparsecore.reference.quantize import from_int8, simulate, to_int8
from sdykit.sparsecore.reference.shards import shard, unshard
from sdykit.sparsecore.reference.updates import update_rows

__all__ = [
    "Entries",
    "GradientSums",
    "entries_from_coo",
    "entries_from_packed",
    "fold_gains",
    "from_int8",
    "gradient_sums",
    "lookup",
    "shard",
    "simulate",
    "to_int8",
    "unshard",
    "update",
    "update_rows",
]
