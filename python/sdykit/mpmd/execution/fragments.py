"""The module that XLA compiles of a fragment call: its function, with the types of the call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sdykit.core.mpmd.program import ARG_ATTRS, MEMORY_KIND, RES_ATTRS, Attributes
from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.mpmd.bodies import check_self_contained, copy_callees, post_order
from sdykit.mpmd.marks import Marks
from sdykit.mpmd.meshes import copy_meshes
from sdykit.mpmd.program import Program

_SHARDING = "sdy.sharding"
_PARTITIONS = "mhlo.num_partitions"
_REPLICAS = "mhlo.num_replicas"
_KEPT = ("sym_name", "sym_visibility", "function_type", ARG_ATTRS, RES_ATTRS)
_DONATION = ("jax.buffer_donor", "tf.aliasing_output")

Place = tuple[sdy.TensorShardingAttr | None, str]
"""The sharding of a value, and the kind of its memory."""


def fragment_text(
    program: Program,
    marks: Marks,
    mesh: sdy.MeshAttr,
    operands: Sequence[Place],
    results: Sequence[Place],
) -> str:
    """Return the text of a module whose `@main` is the function of a fragment call.

    It keeps the marks of the function for donation and aliasing. Layouts are left out: they do
    not change values, and CPUs have one.

    Args:
        program: the module of the function.
        marks: the function and its marks.
        mesh: the mesh of the call.
        operands: the place of each operand of the call.
        results: the place of each result.

    Raises:
        ExecutionError: the function calls Python, or exchanges data with something outside.
    """
    context = program.module.context
    with context, ir.Location.unknown(context):
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            func = marks.op.clone()
            func.attributes["sym_name"] = ir.StringAttr.get("main")
            func.attributes["sym_visibility"] = ir.StringAttr.get("public")
            copy_callees(program, module)
            own = copy_meshes(program, mesh)
        for op in post_order(module.operation):
            check_self_contained(op)
        for name in list(func.attributes):
            if name not in _KEPT:
                del func.attributes[name]
        types = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value)
        func.attributes[ARG_ATTRS] = _attributes(marks.arguments, operands, types.inputs, own)
        func.attributes[RES_ATTRS] = _attributes(marks.results, results, types.results, own)
        number = ir.IntegerType.get_signless(32)
        module.operation.attributes[_PARTITIONS] = ir.IntegerAttr.get(number, mesh.total_size)
        module.operation.attributes[_REPLICAS] = ir.IntegerAttr.get(number, 1)
        return str(module)


def _attributes(
    marks: Sequence[Attributes], places: Sequence[Place], types: Sequence[ir.Type], mesh: str
) -> ir.Attribute:
    """Return the attributes of arguments or results: donation as marked, and their places."""
    dictionaries = []
    for own, (sharding, memory_kind), each in zip(marks, places, types, strict=True):
        attributes = {key: own[key] for key in _DONATION if key in own}
        rank = ir.ShapedType(each).rank
        placed = sdy.TensorShardingAttr.fully_closed(mesh, rank)
        if sharding is not None:
            placed = _closed(sharding)
        attributes[_SHARDING] = ir.Attribute.parse(str(placed))
        if memory_kind != "device":
            attributes[MEMORY_KIND] = ir.StringAttr.get(memory_kind)
        dictionaries.append(ir.DictAttr.get(attributes))
    return ir.ArrayAttr.get(dictionaries)


def _closed(sharding: sdy.TensorShardingAttr) -> sdy.TensorShardingAttr:
    """Return a sharding that XLA may not refine: the arrays have it already."""
    dimensions = tuple(
        replace(each, is_closed=True, priority=None) for each in sharding.dim_shardings
    )
    return replace(sharding, dim_shardings=dimensions)
