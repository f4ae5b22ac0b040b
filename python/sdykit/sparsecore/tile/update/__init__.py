"""The tile program of an update.

Start with `build`. First entries are sorted by row, as `words`: those of preprocessed buffers by
`collecting` and `vector_sorting`, raw ids by `id_sorting` and `id_vectors`. A CPU sorts by
`radix_sort` and `shared_radix_sort`. Then `tile_phase` updates the rows:
`row_sums` sums the gradients of each, `row_copies` gathers and scatters them, `applying` applies a
rule of `sdykit.sparsecore.tile.rules`. A chip takes one minibatch after another: `minibatches`.
The buffers that tiles hold are in `held`.
"""
