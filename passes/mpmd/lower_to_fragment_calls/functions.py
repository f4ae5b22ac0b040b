"""Create the function of a group of fragments, and the calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sdykit.core import FUNC, fail
from sdykit.core.mpmd.program import (
    ARG_ATTRS,
    FRAGMENT_CALL,
    MESH_SHAPE,
    RES_ATTRS,
    attributes_of,
    terminator,
)
from sdykit.dialects import mpmd, sdy
from sdykit.mlir import ir, stablehlo
from sdykit.passes.mpmd.lower_to_fragment_calls.fragments import Fragment
from sdykit.passes.mpmd.lower_to_fragment_calls.groups import Group
from sdykit.passes.mpmd.lower_to_fragment_calls.symbols import symbol_attribute, symbol_reference

_RESERVED_BYTES = "xla_tpu_user_reserved_hbm_bytes"
_RESERVED_BYTES_JAXLIB = "reserved_hbm_bytes"
"""The attributes for the memory to leave free: as documented, and as in jaxlib 0.10.2."""

_SHARDING = "sdy.sharding"
_REMAT = "remat"


class SharedAttributes:
    """Attributes that many functions have; each is created once."""

    def __init__(self) -> None:
        self._meshes: dict[sdy.MeshAttr, ir.Attribute] = {}
        self._shardings: dict[ir.Type, ir.Attribute | None] = {}

    def mesh(self, mesh: sdy.MeshAttr) -> ir.Attribute:
        """Return the attribute of a mesh."""
        if mesh not in self._meshes:
            self._meshes[mesh] = mesh.to_attr()
        return self._meshes[mesh]

    def sharding(self, fragment: ir.Operation, type_: ir.Type) -> ir.Attribute | None:
        """Return the sharding in the type of an operand or result of a fragment, or None."""
        if type_ not in self._shardings:
            if stablehlo.TokenType.isinstance(type_):
                fail(
                    fragment, "a fragment call takes no tokens: sink them into the fragment before"
                )
            sharding = mpmd.MeshTensorType.of(type_).sharding
            self._shardings[type_] = None if sharding is None else sharding.to_attr()
        return self._shardings[type_]


def lower(group: Group, name: str, shared: SharedAttributes, *, both_reserved: bool) -> None:
    """Move the body of the first fragment into a new function, and replace all by calls.

    Args:
        group: the fragments that call the function.
        name: the name of the function, which no other symbol has.
        shared: attributes that were created for other functions.
        both_reserved: if fragments reserve memory by both attributes, whether the function
            gets both, or `reserved_hbm_bytes` alone.
    """
    first = group[0]
    func = ir.Operation.create(
        FUNC,
        attributes=_function_attributes(group, name, shared)
        | _reserved_bytes(group, both_reserved),
        regions=1,
        loc=first.op.location,
        ip=ir.InsertionPoint(first.symbols.block),
    )
    body = first.body
    end = terminator(body)
    body.append_to(func.regions[0])
    ir.Operation.create(
        "func.return",
        operands=list(end.operands),
        loc=end.location,
        ip=ir.InsertionPoint(end),
    )
    end.erase()
    callee = symbol_reference(name)
    for fragment in group:
        _replace_by_call(fragment.op, callee)


def _function_attributes(
    group: Group, name: str, shared: SharedAttributes
) -> dict[str, ir.Attribute]:
    first = group[0]
    op, body = first.op, first.body
    inputs = [argument.type for argument in body.arguments]
    results = [value.type for value in terminator(body).operands]
    attributes: dict[str, ir.Attribute] = {
        "sym_name": symbol_attribute(name),
        "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, results)),
        MESH_SHAPE: shared.mesh(first.mesh),
    }
    for array, values in ((ARG_ATTRS, op.operands), (RES_ATTRS, op.results)):
        types = [value.type for value in cast("Sequence[ir.Value]", values)]
        shardings = [shared.sharding(op, each) for each in types]
        dictionaries = _with_shardings(first, array, shardings)
        if dictionaries is not None:
            attributes[array] = dictionaries
    return attributes


def _with_shardings(
    fragment: Fragment, name: str, shardings: Sequence[ir.Attribute | None]
) -> ir.Attribute | None:
    """Return `arg_attrs` or `res_attrs` of a fragment with shardings added, or None."""
    unchanged = fragment.op.attributes.get(name)
    dictionaries = attributes_of(fragment.op, name, len(shardings))
    if all(sharding is None for sharding in shardings):
        return unchanged
    for dictionary, sharding in zip(dictionaries, shardings, strict=True):
        if sharding is not None:
            dictionary[_SHARDING] = sharding
    return ir.ArrayAttr.get([ir.DictAttr.get(dictionary) for dictionary in dictionaries])


def _reserved_bytes(group: Group, both: bool) -> dict[str, ir.Attribute]:
    reserved: dict[str, ir.Attribute] = {}
    for name in (_RESERVED_BYTES, _RESERVED_BYTES_JAXLIB):
        maximum = _maximum(group, name)
        if maximum is not None:
            reserved[name] = maximum
    if not both and len(reserved) > 1:
        del reserved[_RESERVED_BYTES]
    return reserved


def _maximum(group: Group, name: str) -> ir.IntegerAttr | None:
    """Return the maximum of an attribute over the fragments that have it, or None."""
    maximum = None
    for fragment in group:
        found = fragment.op.attributes.get(name)
        if found is None:
            continue
        if not isinstance(found, ir.IntegerAttr):
            fail(fragment.op, f"{name} must be an integer, found {found}")
        if maximum is None or found.value > maximum.value:
            maximum = found
    return maximum


def _replace_by_call(fragment: ir.Operation, callee: ir.Attribute) -> None:
    attributes = {
        "mesh_name": fragment.attributes["mesh_name"],
        "origin": fragment.attributes["origin"],
        "callee": callee,
    }
    if _REMAT in fragment.attributes:
        attributes[_REMAT] = ir.UnitAttr.get()
    call = ir.Operation.create(
        FRAGMENT_CALL,
        results=[result.type for result in fragment.results],
        operands=list(fragment.operands),
        attributes=attributes,
        loc=fragment.location,
        ip=ir.InsertionPoint(fragment),
    )
    for old, new in zip(fragment.results, call.results, strict=True):
        old.replace_all_uses_with(new)
    fragment.erase()
