"""The former name of `sdykit.sparsecore.limits.file`."""

from sdykit.sparsecore.limits.file import *  # noqa: F403
