"""The tile program of a lookup, in two readings.

`build` makes both. What the chip does is in `partitions`, with the room `partition_steps`, for
buffers; and for raw ids in `blocks`, with the room `block_steps`. Their steps share a `core.Core` and
the buffers in `held`, and add to the `sums` of samples.

What a CPU does starts with `tile_phase`, the work of the tiles. It takes entries in blocks:
`staging` loads a block, `distinct_rows` finds and gathers its rows, `prefetch` prefetches them.
`index_phase` is the phase before it, for buffers without an index. `elements`, loads of a table's
elements as float32, serves both.
"""
