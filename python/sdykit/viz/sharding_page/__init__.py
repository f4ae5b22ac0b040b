"""The page of a propagation: the program with its shardings, step by step, and why each is as it is.

The page holds the propagation as JSON and scripts that draw it; it needs no network. `rendering` makes
it of what `sdykit.explain.page` hands over.
"""

from sdykit.viz.sharding_page.rendering import sharding_page

__all__ = ["sharding_page"]
