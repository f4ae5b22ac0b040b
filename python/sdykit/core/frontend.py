"""The warning about shardings that XLA keeps as text in frontend attributes."""

from __future__ import annotations

from collections.abc import Iterable

from sdykit.core.diagnostics import warn
from sdykit.core.plan import Step
from sdykit.mlir import ir

FRONTEND_ATTRIBUTES = "mhlo.frontend_attributes"
MESHES = "xla.sdy.meshes"
"""The frontend attribute of a module that holds its meshes, if its shardings are text."""

_FAMILIES = ("sdy-", "mpmd-", "cpp-sdy-")
_EXPORT = "xla-sdy-round-trip-export-shardy-attrs"


def warn_of_frontend_attributes(module: ir.Operation, steps: Iterable[Step]) -> None:
    """Warn if passes on sdy or mpmd have run on a module whose shardings are still text."""
    names = {name for step in steps for name in _names(step)}
    if _EXPORT in names or not any(name.startswith(_FAMILIES) for name in names):
        return
    if holds_meshes(module):
        warn(
            module.location,
            f"the shardings of this module are text in '{FRONTEND_ATTRIBUTES}' (xla.sdy.*), where"
            " no sdy pass sees them; -xla-sdy-round-trip-import-pipeline imports them",
        )


def holds_meshes(module: ir.Operation) -> bool:
    """Return whether a module has meshes in its frontend attributes."""
    attributes = module.attributes.get(FRONTEND_ATTRIBUTES)
    return isinstance(attributes, ir.DictAttr) and MESHES in attributes


def _names(step: Step) -> Iterable[str]:
    if step.nested is None:
        return (step.name,)
    return (name for inner in step.nested for name in _names(inner))
