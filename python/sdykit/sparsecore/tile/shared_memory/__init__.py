"""Programs that run once for all devices of a process, which share its memory.

Each device passes its own arrays, and the program reads and writes them where they are: see `pieces`.
`lookup` and `sorting` are what raw ids need; the rest of an update is `update.tile_phase`.
"""
