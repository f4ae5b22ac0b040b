"""The former name of `sdykit.sparsecore.config.flags`."""

from sdykit.sparsecore.config.flags import *  # noqa: F403
