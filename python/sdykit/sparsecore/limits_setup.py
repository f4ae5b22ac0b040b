"""The former name of `sdykit.sparsecore.limits.setup`."""

from sdykit.sparsecore.limits.setup import *  # noqa: F403
