"""The tile program of an update.

Start with `build`. Entries are sorted by row as `words`: those of preprocessed buffers by
`collecting` and `sorting`, ids as they are by `shared_sorting`. Then `tile_phase` goes over the
rows: `row_sums` adds up the gradients of each, `applying` applies a rule of
`sdykit.sparsecore.tile.rules`.
"""
