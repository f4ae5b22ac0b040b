"""jaxlib's C++ partitioner, run in this process: it makes fragments of named computations.

jaxlib does not offer its passes one by one, but in three phases. `IMPORT` and `OPTIMIZE` turn
named computations into fragments and transfers, and order them by a schedule. `PARTITION`
propagates shardings, cleans up and then exports; it is stopped before the export, since sdykit
has export passes of its own.

Input that the partitioner does not expect aborts the process, so sdykit runs it in a child process
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
"""The meshes of a topology: for each its name, and its axes with their sizes."""


@dataclass(frozen=True)
class Request:
    """The arguments of the partitioner besides the module."""

    phases: tuple[str, ...]
    """The phases to run: `IMPORT`, `OPTIMIZE`, `PARTITION`."""
    meshes: Meshes
    """The meshes of the topology."""
    function: str = "main"
    """The name of the function to partition."""
    donated: tuple[int, ...] = ()
    """The numbers of the arguments that are donated."""
    assignment: Mapping[str, str | tuple[str, int]] = field(default_factory=dict)
    """The mesh, or mesh and stage, of each named computation."""
    input_meshes: Mapping[int, str] = field(default_factory=dict)
    """The place of arguments, by number: a mesh, and maybe `#` and a memory kind."""
    output_meshes: Mapping[int, str] = field(default_factory=dict)
    """The place of results, by number."""
    options: Mapping[str, str | bool] = field(default_factory=dict)
    """Options of the partitioner by name, such as `mpmd_pipeline_schedule`."""


def apply(module: ir.Module, request: Request) -> ir.Module:
    """Run phases of the partitioner on a module, in place, and return the resulting module.

    Raises:
        RuntimeError: the partitioner fails; the message contains its diagnostics.
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
    # It imports a module of jaxlib by the name that this has in another build of JAX.
    import jaxlib._jax

    sys.modules.setdefault("jax.jaxlib._jax", jaxlib._jax)
    return importlib.import_module("jaxlib._sdy_mpmd")


def function_of(module: ir.Module, name: str) -> ir.Operation:
    """Return the function of a name.

    Raises:
        ValueError: there is no such function.
    """
    for op in module.body.operations:
        symbol = op.operation.attributes.get("sym_name")
        if symbol is not None and ir.StringAttr(symbol).value == name:
            return op.operation
    raise ValueError(f"the module has no function @{name}")


class ExportStop:
    """Makes the first export pass fail, by memory kinds that contradict each other.

    The partitioner works in place: after the error, the module is the input of that pass,
    except for the attribute arrays that the pass has added to every fragment.
    """

    ERROR = "Memory kind mismatch"

    _PROBE = "probe"

    def __init__(self, func: ir.Operation) -> None:
        """Set the memory kinds on a function whose fragments have no attribute arrays yet.

        Raises:
            ValueError: a fragment has attribute arrays, which `remove` would lose.
        """
        fragments = [op.operation for op in func.regions[0].blocks[0]]
        if any(ARG_ATTRS in op.attributes or RES_ATTRS in op.attributes for op in fragments):
            raise ValueError("a fragment has attributes that could not be kept")
        self._kinds = {name: self._set(func, name, {}) for name in (ARG_ATTRS, RES_ATTRS)}

    def _set(
        self, func: ir.Operation, name: str, kinds: Mapping[int, ir.Attribute | None]
    ) -> dict[int, ir.Attribute | None]:
        """Set memory kinds by number, or the probe if there are none; return the former ones."""
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
        """Restore the former memory kinds, and remove the attribute arrays of the fragments."""
        for name, kinds in self._kinds.items():
            self._set(func, name, kinds)
        for op in list(func.regions[0].blocks[0]):
            if op.operation.name == "mpmd.fragment":
                del op.operation.attributes[ARG_ATTRS]
                del op.operation.attributes[RES_ATTRS]


def until_export(module: ir.Module, request: Request) -> ir.Module:
    """Run the phase `PARTITION` up to its export: propagate shardings and clean up.

    Raises:
        RuntimeError: the partitioner fails; the message contains its diagnostics.
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
