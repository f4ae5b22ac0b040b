"""The tile program of a lookup.

Start with `build`, then `tile_phase`, the work of the tiles. It takes entries in blocks: `staging`
loads a block, `distinct_rows` finds and gathers its rows, `prefetch` prefetches them.
`index_phase` is the phase before it, for buffers without an index.
"""
