"""jaxlib's C++ partitioner, run in this process: it makes fragments of named computations.

jaxlib has no pass of it one by one, but three phases. `IMPORT` and `OPTIMIZE` turn named
computations into fragments and transfers, and order them by a schedule. `PARTITION` propagates
shardings, cleans up and then exports; we take what it has before the export, which is ours.

Input that the partitioner does not expect aborts the process, so the product runs this in a child
(`sdykit.mpmd.partitioning.child`).
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType

from sdykit.core.mpmd.program import ARG_ATTRS, MEMORY_KIND, RES_ATTRS
from sdykit.mlir import ir

Meshes = tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
"""The meshes of a topology: name, axes with sizes."""


@dataclass(frozen=True)
class Request:
    """What the partitioner needs to know beside the module."""

    phases: tuple[str, ...]
    meshes: Meshes
    function: str = "main"
    donated: tuple[int, ...] = ()
    assignment: Mapping[str, str | tuple[str, int]] = field(default_factory=dict)
    """The mesh, or mesh and stage, of each named computation."""
    input_meshes: Mapping[int, str] = field(default_factory=dict)
    output_meshes: Mapping[int, str] = field(default_factory=dict)
    options: Mapping[str, str | bool] = field(default_factory=dict)


def apply(module: ir.Module, request: Request) -> ir.Module:
    """Run phases of the partitioner on a module, in place, and return what they make of it.

    Raises:
        RuntimeError: the partitioner fails; the text holds its diagnostics.
    """
    kind = ir.FunctionType(
        ir.TypeAttr(function_of(module, request.function).attributes["function_type"]).value
    )
    partitioner = _extension()
    phases = partitioner.PartitioningPhase.NONE
    for phase in request.phases:
        phases |= partitioner.PartitioningPhase[phase]
    return partitioner.apply_mpmd_partitioning(
        module,
        request.function,
        request.meshes,
        dict(request.assignment),
        [request.input_meshes.get(at) for at in range(len(kind.inputs))],
        [request.output_meshes.get(at) for at in range(len(kind.results))],
        list(request.donated),
        partitioning_options=dict(request.options),
        fragment_merge_rules=[],
        fragment_schedule_rules=[],
        phases=phases,
    ).mpmd_module


@cache
def _extension() -> ModuleType:
    # Its import asks for a module of jaxlib by the name that it has inside another build of JAX.
    import jaxlib._jax

    sys.modules.setdefault("jax.jaxlib._jax", jaxlib._jax)
    return importlib.import_module("jaxlib._sdy_mpmd")


def function_of(module: ir.Module, name: str) -> ir.Operation:
    """Return the function of this name.

    Raises:
        ValueError: there is none.
    """
    for op in module.body.operations:
        symbol = op.operation.attributes.get("sym_name")
        if symbol is not None and ir.StringAttr(symbol).value == name:
            return op.operation
    raise ValueError(f"the module has no function @{name}")


class ExportStop:
    """Memory kinds that no program has, which the first export pass finds at fault.

    The partitioner works in place: after the error, the module is what that pass was given,
    but for the attribute arrays that it has put on every fragment.
    """

    ERROR = "Memory kind mismatch"

    _PROBE = "probe"

    def __init__(self, func: ir.Operation) -> None:
        """Mark a function whose fragments have no attribute arrays yet.

        Raises:
            ValueError: a fragment has attribute arrays, which could not be kept.
        """
        fragments = [op.operation for op in func.regions[0].blocks[0]]
        if any(ARG_ATTRS in op.attributes or RES_ATTRS in op.attributes for op in fragments):
            raise ValueError("a fragment has attributes that could not be kept")
        self._kinds = {name: self._set(func, name, {}) for name in (ARG_ATTRS, RES_ATTRS)}

    def _set(
        self, func: ir.Operation, name: str, kinds: Mapping[int, ir.Attribute | None]
    ) -> dict[int, ir.Attribute | None]:
        """Set memory kinds, or the probe where none is given; return those that there were."""
        kind = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value)
        count = len(kind.inputs if name == ARG_ATTRS else kind.results)
        dictionaries = ir.ArrayAttr(func.attributes[name]) if name in func.attributes else None
        before, after = {}, []
        with func.context:
            for at in range(count):
                each = (
                    {n.name: n.attr for n in ir.DictAttr(dictionaries[at])} if dictionaries else {}
                )
                before[at] = each.pop(MEMORY_KIND, None)
                wanted = kinds[at] if kinds else ir.StringAttr.get(self._PROBE)
                after.append(ir.DictAttr.get(each | ({MEMORY_KIND: wanted} if wanted else {})))
            func.attributes[name] = ir.ArrayAttr.get(after)
        return before

    def remove(self, func: ir.Operation) -> None:
        """Bring back the memory kinds that there were."""
        for name, kinds in self._kinds.items():
            self._set(func, name, kinds)
        for op in list(func.regions[0].blocks[0]):
            if op.operation.name == "mpmd.fragment":
                del op.operation.attributes[ARG_ATTRS]
                del op.operation.attributes[RES_ATTRS]


def until_export(module: ir.Module, request: Request) -> ir.Module:
    """Run the phase `PARTITION` up to its export: shardings are propagated, the rest cleaned up.

    Raises:
        RuntimeError: the partitioner fails; the text holds its diagnostics.
        ValueError: the function has neither argument nor result, or a fragment has
            attribute arrays.
    """
    func = function_of(module, request.function)
    stop = ExportStop(func)
    try:
        apply(module, request)
    except RuntimeError as error:
        if ExportStop.ERROR not in str(error):
            raise
        stop.remove(function_of(module, request.function))
        return module
    raise ValueError("no argument and no result could be marked to stop here")
