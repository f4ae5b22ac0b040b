"""Tile programs: what the SparseCores and their tiles do, as MLIR, compiled from a spec.

Read `compile` first: it runs all stages, from a spec to machine code. `build` makes the program of
a spec, `entry_function` the function around it, `arguments` describes its arguments, and `counters`
names what it has counted. The rooms, each of which uses only those before it:

- `spec`: what to compile.
- `builder`: adds MLIR ops, from constants and arithmetic to vectors of a row's columns.
- `entries`: where a program finds the entries that it reads: ids, samples and gains.
- `checks`: code that looks for wrong input and reports it in the status.
- `rules`: what an optimizer, or a user's StableHLO, does to a row.
- `lookup` and `update`: the programs and their phases.
"""
