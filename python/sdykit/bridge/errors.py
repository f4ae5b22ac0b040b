"""The exception of the bridge; of its own, so that importing it imports no JAX."""

from __future__ import annotations

from sdykit.errors import SdykitError


class BridgeError(SdykitError, ValueError):
    """An argument, sharding or mesh given from Python cannot be used; the text says why."""
