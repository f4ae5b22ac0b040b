"""The steps of a lookup for one partition, in the order in which they run.

`load` copies the entries of the partition, `deduplicate` finds their distinct ids, `rows` has the
three steps that bring the rows of these ids, `csr` orders the entries by sample, and `reduce` sums
their rows.
"""
