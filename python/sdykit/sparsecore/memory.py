"""The former name of `sdykit.sparsecore.chip.memory`."""

from sdykit.sparsecore.chip.memory import *  # noqa: F403
