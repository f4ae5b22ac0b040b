"""What several passes of this family share: uses of values, and reports of validators.

What pictures ask of a program as well is in `sdykit.core.mpmd`.
"""
