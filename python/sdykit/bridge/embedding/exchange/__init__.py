"""Ids of several processes: each travels to the device that owns its row, and the row back.

Read `rounds` first: ids travel in rounds of a static size. `entries` are raw ids or those of buffers,
with their `status`: errors travel with ids. `route` numbers the distinct ids of a device in the order of
their owners; `lookup` and `update` use both. `choice` tells when, `bounds`, `rows` and `sums` hold the
programs that fill a round, copy rows and add them.
"""
