"""Files that a user writes: ids of batches, and descriptions of tables.

Read `batches` first, which reads ids from npz, parquet or csv piece by piece (`pieces`); `tables`
reads the tables and features of a program. Readers and writers of other files use `key_values`
(JSON and TOML), `npz` and `whole` (a file is written whole or not at all).
"""
