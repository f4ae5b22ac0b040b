"""Passes over the `sdy` dialect.

`pipeline` says which of them run in which order, and why. Shared by several: `_shardings` (all
shardings of a module), `_value_shardings` (the sharding of one value, data-flow edges),
`_data_flow_edges` (inserting those) and `_call_graph`.
"""
