"""Numbers about a module: ops, meshes, and what is sharded along which axis."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import partial

from sdykit.core import symbol_name
from sdykit.dialects import mpmd
from sdykit.errors import SdykitError
from sdykit.mlir import ir, make_context


@dataclass(frozen=True)
class Mesh:
    """A mesh: a `sdy.mesh`, or one of a topology."""

    name: str
    """The symbol, or the name in the topology."""
    axes: tuple[tuple[str, int], ...]
    """The name and size of each axis."""
    text: str
    """The attribute as printed."""


@dataclass(frozen=True)
class Topology:
    """The `topology` of functions of an MPMD program."""

    functions: tuple[str, ...]
    """The names of the functions with this topology."""

    meshes: tuple[Mesh, ...]
    """The meshes of the topology."""


@dataclass(frozen=True)
class Facts:
    """The numbers of the report about a module."""

    ops: Counter[str]
    """The number of occurrences of each op, at any depth."""

    meshes: tuple[Mesh, ...]
    """The `sdy.mesh` ops."""

    topologies: tuple[Topology, ...]
    """The distinct topologies of functions."""

    arguments: int
    """The number of arguments of public functions."""

    results: int
    """The number of results of public functions."""

    sharded: dict[str, Counter[str]]
    """For `argument`, `result`, `constraint` and `manual`, the number of uses of each axis.

    An axis counts once for a tensor, whatever dimensions it shards. `manual` counts the axes
    that manual computations bind.
    """

    @property
    def total(self) -> int:
        """The number of ops, the module itself included."""
        return self.ops.total()


def module_facts(text: str) -> Facts:
    """Parse a module, and count its ops, meshes and uses of axes.

    Raises:
        SdykitError: the text is not valid IR.
    """
    context = make_context(allow_unregistered_dialects=True)
    try:
        module = ir.Module.parse(text, context)
    except ir.MLIRError as error:
        raise SdykitError(f"a stage of the report is not valid IR: {error}") from error
    counted = _Counted()
    module.operation.walk(partial(_count, counted))
    topologies = [Topology(tuple(names), made) for made, names in counted.topologies.items()]
    return Facts(
        counted.ops,
        tuple(counted.meshes),
        tuple(topologies),
        counted.arguments,
        counted.results,
        counted.sharded,
    )


class _Counted:
    def __init__(self) -> None:
        self.ops: Counter[str] = Counter()
        self.meshes: list[Mesh] = []
        self.topologies: dict[tuple[Mesh, ...], list[str]] = {}
        self.arguments = self.results = 0
        self.sharded: dict[str, Counter[str]] = {
            kind: Counter() for kind in ("argument", "result", "constraint", "manual")
        }


def _count(counted: _Counted, op: ir.Operation) -> ir.WalkResult:
    name = op.operation.name
    counted.ops[name] += 1
    if name == "sdy.mesh":
        counted.meshes.append(_mesh(op))
    elif name == "func.func":
        _count_function(counted, op)
    elif name == "sdy.sharding_constraint":
        counted.sharded["constraint"].update(_axes(op.attributes["sharding"]))
    elif name == "sdy.manual_computation":
        counted.sharded["manual"].update(_QUOTED.findall(str(op.attributes["manual_axes"])))
    return ir.WalkResult.ADVANCE


def _count_function(counted: _Counted, op: ir.Operation) -> None:
    if "topology" in op.attributes:
        meshes = _topology(op.attributes["topology"])
        counted.topologies.setdefault(meshes, []).append(symbol_name(op))
    if str(op.attributes.get("sym_visibility")) == '"private"':
        return
    function = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)
    counted.arguments += len(function.inputs)
    counted.results += len(function.results)
    for kind, types in (("argument", function.inputs), ("result", function.results)):
        for each in types:
            counted.sharded[kind].update(_axes_of_type(each))
    for kind, key in (("argument", "arg_attrs"), ("result", "res_attrs")):
        if key not in op.attributes:
            continue
        for entry in ir.ArrayAttr(op.attributes[key]):
            entries = ir.DictAttr(entry)
            if "sdy.sharding" in entries:
                counted.sharded[kind].update(_axes(entries["sdy.sharding"]))


_QUOTED = re.compile(r'"([^"]*)"')
_DIMENSIONS = re.compile(r"\[[^\]]*\](?=[^\[\]]*$)")
_AXIS = re.compile(r'"([^"]*)"=(\d+)')


def _axes(sharding: ir.Attribute) -> list[str]:
    """Return the axes that shard a dimension; replicated and unreduced ones do not."""
    return _axes_in(str(sharding))


def _axes_in(sharding: str) -> list[str]:
    dimensions = _DIMENSIONS.search(sharding)
    return sorted(set(_QUOTED.findall(dimensions[0]))) if dimensions else []


def _axes_of_type(value_type: ir.Type) -> list[str]:
    """Return the axes that shard a dimension of a mesh tensor; none for other types."""
    if not str(value_type).startswith(mpmd.MeshTensorType.NAME):
        return []
    sharding = mpmd.MeshTensorType.of(value_type).sharding
    return _axes_in(str(sharding)) if sharding else []


def _topology(attribute: ir.Attribute) -> tuple[Mesh, ...]:
    named = mpmd.TopologyAttr.of(attribute).meshes
    return tuple(
        Mesh(each.name, tuple((axis.name, axis.size) for axis in each.mesh.axes), str(each.mesh))
        for each in named
    )


def _mesh(op: ir.Operation) -> Mesh:
    text = str(op.attributes["mesh"]).removeprefix("#sdy.")
    axes = tuple((name, int(size)) for name, size in _AXIS.findall(text))
    return Mesh(ir.StringAttr(op.attributes["sym_name"]).value, axes, text)
