"""The tile program of a lookup, in two readings.

`build` makes the chip's. What the chip does is in `partitions`, with the room `partition_steps`, for
buffers; and for raw ids in `blocks`, with the room `block_steps`. Their steps share a `core.Core` and
the buffers in `held`, and add to the `sums` of samples; `elements` loads those of a table.

Passes derive the CPU's from it, and add what is here for a CPU only: `index_phase` computes an index
of the entries by sample, `id_blocks` loads raw ids, and `prefetch` prefetches rows.
"""
