"""The former name of `sdykit.sparsecore.limits.counter`."""

from sdykit.sparsecore.limits.counter import *  # noqa: F403
