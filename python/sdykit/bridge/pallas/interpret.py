"""Parameters of JAX's interpret mode, which does not know subcores: kernels run here instead."""

from __future__ import annotations

import dataclasses
from typing import Any

from sdykit.sparsecore.mosaic.spec import MosaicSpec


def heed(interpret: Any, spec: MosaicSpec) -> MosaicSpec:
    """Return the spec of a kernel with `interpret=`: checked, with what its parameters say.

    Args:
        interpret: True, or `pltpu.InterpretParams`: what memory holds that was never written, reads out
            of bounds, and whether races are looked for; all other parameters are ignored.
        spec: the kernel, as the settings have it.
    """
    changes: dict[str, Any] = {"mode": "reference" if spec.mode == "reference" else "check"}
    if hasattr(interpret, "uninitialized_memory"):
        changes["uninitialized"] = interpret.uninitialized_memory
    if hasattr(interpret, "out_of_bounds_reads"):
        changes["out_of_bounds"] = interpret.out_of_bounds_reads
    if hasattr(interpret, "detect_races"):
        looked_for = "warn" if spec.races == "off" else spec.races
        changes["races"] = looked_for if interpret.detect_races else "off"
    return dataclasses.replace(spec, **changes)
