"""Programs that run once for all devices of a process, which share its memory.

Each device passes its own arrays, and the program reads and writes them where they are: see `pieces`. `lookup`
is for raw ids, whose `owners` it finds block by block, `indexed_lookup` for buffers; both sum by `sums`. The
phases of an update are `..._of_all` in `update`, beside those for one device.
"""
