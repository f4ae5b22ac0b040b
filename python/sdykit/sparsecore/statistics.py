"""The former name of `sdykit.sparsecore.limits.statistics`."""

from sdykit.sparsecore.limits.statistics import *  # noqa: F403
