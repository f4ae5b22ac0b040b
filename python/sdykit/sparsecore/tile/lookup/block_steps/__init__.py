"""The steps of a lookup for a block of raw ids of each tile, in the order in which they run.

`block` says which ids they are. `load` copies them and filters those that name rows of the device;
`sort`, `deduplicate` and `reduce` have a step each, the last one also `gather`. No tile uses what
another one holds.
"""
