"""Making the function of a group of fragments, and the calls."""

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
"""The attributes that say how much memory to leave free: as documented, and as in jaxlib."""

_SHARDING = "sdy.sharding"
_REMAT = "remat"


class SharedAttributes:
    """Attributes that many functions have, each made once."""

    def __init__(self) -> None:
        self._meshes: dict[sdy.MeshAttr, ir.Attribute] = {}
        self._shardings: dict[ir.Type, ir.Attribute | None] = {}

    def mesh(self, mesh: sdy.MeshAttr) -> ir.Attribute:
        """Give the attribute of a mesh."""
        if mesh not in self._meshes:
            self._meshes[mesh] = mesh.to_attr()
        return self._meshes[mesh]

    def sharding(self, fragment: ir.Operation, type_: ir.Type) -> ir.Attribute | None:
        """Give the sharding in the type of an operand or result of a fragment."""
        if type_ not in self._shardings:
            if stablehlo.TokenType.isinstance(type_):
                fail(
                    fragment, "a fragment call takes no tokens: sink them into the fragment before"
                )
            sharding = mpmd.MeshTensorType.of(type_).sharding
            self._shardings[type_] = None if sharding is None else sharding.to_attr()
        return self._shardings[type_]


def lower(group: Group, name: str, shared: SharedAttributes, *, both_reserved: bool) -> None:
    """Make the function of a group, of the body of the first, and replace all by calls.

    If memory is reserved by both attributes, the function gets both with `both_reserved`, and
    `reserved_hbm_bytes` alone without.
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
        made = _with_shardings(first, array, shardings)
        if made is not None:
            attributes[array] = made
    return attributes


def _with_shardings(
    fragment: Fragment, name: str, shardings: Sequence[ir.Attribute | None]
) -> ir.Attribute | None:
    """Give the attributes of arguments or results, with the shardings among them."""
    given = fragment.op.attributes.get(name)
    dictionaries = attributes_of(fragment.op, name, len(shardings))
    if all(sharding is None for sharding in shardings):
        return given
    for dictionary, sharding in zip(dictionaries, shardings, strict=True):
        if sharding is not None:
            dictionary[_SHARDING] = sharding
    return ir.ArrayAttr.get([ir.DictAttr.get(dictionary) for dictionary in dictionaries])


def _reserved_bytes(group: Group, both: bool) -> dict[str, ir.Attribute]:
    reserved: dict[str, ir.Attribute] = {}
    for name in (_RESERVED_BYTES, _RESERVED_BYTES_JAXLIB):
        most = _most(group, name)
        if most is not None:
            reserved[name] = most
    if not both and len(reserved) > 1:
        del reserved[_RESERVED_BYTES]
    return reserved


def _most(group: Group, name: str) -> ir.IntegerAttr | None:
    """Give the maximum of an attribute that not all fragments need to have."""
    most = None
    for fragment in group:
        found = fragment.op.attributes.get(name)
        if found is None:
            continue
        if not isinstance(found, ir.IntegerAttr):
            fail(fragment.op, f"{name} must be an integer, found {found}")
        if most is None or found.value > most.value:
            most = found
    return most


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
