"""The former name of `sdykit.sparsecore.optimizers.rounding`."""

from sdykit.sparsecore.optimizers.rounding import *  # noqa: F403
