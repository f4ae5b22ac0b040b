"""Programs traced as if the devices were of several processes."""

from __future__ import annotations

from typing import Any
from unittest import mock

from sdykit.bridge.embedding.axes import Axes


def through_collectives() -> Any:
    """Return a context in which devices are not taken to be of one process."""
    return mock.patch.object(Axes, "are_in_one_process", return_value=False)
