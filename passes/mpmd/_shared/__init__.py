"""Code that several passes of this family share: uses of values, and reports of validators.

Questions to a program that `sdykit.viz` has as well are answered in `sdykit.core.mpmd`.
"""
