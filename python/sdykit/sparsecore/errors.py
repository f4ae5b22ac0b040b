"""The errors of the SparseCore's host side."""

from __future__ import annotations

from sdykit.errors import SdykitError


class SparseCoreError(SdykitError, ValueError):
    """Host input, a specification or a configuration is wrong; the text says what and where."""


class LimitExceeded(SparseCoreError):
    """The data need more than the program was compiled for.

    Apart from other errors, since a caller may compute new limits and try again.
    """
