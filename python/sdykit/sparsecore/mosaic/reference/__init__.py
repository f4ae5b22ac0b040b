"""The reference machine: what each op of a kernel means, in Python and numpy.

What is where:

- `scalars`, `lanes`: the meanings of ops on scalars and vectors; `meanings` finds that of an op.
- `checks`: races between subcores, and data that are touched before their transfer was waited for.
"""
