"""The former name of `sdykit.sparsecore.limits.statistics_files`."""

from sdykit.sparsecore.limits.statistics_files import *  # noqa: F403
