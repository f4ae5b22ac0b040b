"""The former name of `sdykit.viz.mpmd_view.model`."""

from sdykit.viz.mpmd_view.model import *  # noqa: F403
