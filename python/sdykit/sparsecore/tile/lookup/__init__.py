"""The tile program of a lookup.

Start with `build`, then `tile_phase`: the tiles' work, block by block. `staging` holds a block,
`distinct_rows` finds and gathers its rows, `prefetch` asks for rows early. `index_phase` comes
first where the buffers have no index.
"""
