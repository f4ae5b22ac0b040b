"""Files that a user writes: ids of batches, and tables.

`batches` reads ids from npz, parquet or csv, and `tables` the tables and features of a program. What
they and others share: `key_values` (JSON and TOML), `npz`, `whole` (files that are written whole or not
at all).
"""
