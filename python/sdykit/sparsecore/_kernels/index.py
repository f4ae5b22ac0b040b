"""The entries of a SparseCore in the order of their samples."""

from __future__ import annotations

from numba import njit

from sdykit.sparsecore._kernels.pack import PAD


@njit(nogil=True, cache=True, error_model="numpy")
def index_samples(samples, span, splits, order):
    """Sort the positions of entries by sample; those of a sample stay in their order.

    Args:
        samples: int32 `[entries]` of a device, with pads.
        span: `(begin, end, stop)`: the SparseCore's entries are in `[begin, end)`, and no other
            has any in `[end, stop)`.
        splits: int32 `[samples + 1]`: where a sample starts in `order`; overwritten.
        order: int32 `[entries]`: positions; `[begin, stop)` is overwritten, pads last.
    """
    begin, end, stop = span
    splits[:] = 0
    for position in range(begin, end):
        if samples[position] != PAD:
            splits[samples[position] + 1] += 1
    for sample in range(1, splits.size):
        splits[sample] += splits[sample - 1]
    for position in range(begin, end):
        sample = samples[position]
        if sample != PAD:
            order[begin + splits[sample]] = position
            splits[sample] += 1
    for sample in range(splits.size - 1, 0, -1):
        splits[sample] = begin + splits[sample - 1]
    splits[0] = begin
    order[splits[splits.size - 1] : stop] = PAD
