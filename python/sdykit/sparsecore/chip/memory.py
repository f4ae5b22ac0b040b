"""The former name of `sdykit.sparsecore.memory`."""

from sdykit.sparsecore.memory import *  # noqa: F403
