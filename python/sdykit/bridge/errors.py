"""The exception of the bridge. Importing it does not import JAX."""

from __future__ import annotations

from sdykit.errors import SdykitError


class BridgeError(SdykitError, ValueError):
    """An argument, sharding or mesh cannot be used; the text says which, and what is expected."""
