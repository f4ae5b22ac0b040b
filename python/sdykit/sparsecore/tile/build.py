"""The tile program of any spec."""

from __future__ import annotations

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.lookup import build_lookup
from sdykit.sparsecore.tile.program import TileProgram
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, LookupSpec, TileSpec, UpdateSpec
from sdykit.sparsecore.tile.update import build_update


def build_tile(spec: TileSpec) -> TileProgram:
    """Build the program of a lookup or an update.

    Raises:
        SparseCoreError: there is no such chip, the spec is none of these, or a user's update has
            an op that cannot be.
    """
    if isinstance(spec, LookupSpec):
        return build_lookup(spec)
    if isinstance(spec, (UpdateSpec, CustomUpdateSpec)):
        return build_update(spec)
    raise SparseCoreError(
        f"spec: it is {spec!r}; expected a LookupSpec, UpdateSpec or CustomUpdateSpec"
    )
