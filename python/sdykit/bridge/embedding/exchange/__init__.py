"""Raw ids of several processes: each id travels to the device that owns its row, and the row back.

Read `rounds` first: ids travel in rounds of a static size. `route` numbers the distinct ids of a device in
the order of their owners, `lookup` and `update` use both. `checked` lets all devices fail together, and
`rows` and `sums` hold the programs that copy rows and add them.
"""
