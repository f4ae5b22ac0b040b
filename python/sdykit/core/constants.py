"""Constants as ops of another dialect."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from sdykit.mlir import ir


def constant_named(name: str, constant: ir.Operation, ip: Any = None) -> ir.Operation:
    """Make a constant op of another name, with the attributes of one, and return it.

    Args:
        name: the name of the new op, such as `stablehlo.constant`.
        constant: an op with one result and the attribute `value`.
        ip: the insertion point; by default the current one.
    """
    ip = ip if ip is not None else ir.InsertionPoint.current
    try:
        return ir.Operation.create(
            name,
            results=[constant.result.type],
            attributes=_attributes(constant),
            loc=constant.location,
            ip=ip,
        )
    except TypeError:  # The bindings have no class for dense complex numbers.
        made = _parsed(name, constant)
        ip.insert(made)
        return made


def _attributes(constant: ir.Operation) -> dict[str, ir.Attribute]:
    attributes = constant.attributes
    if len(attributes) == 1:  # Most have no other: to list them takes a quarter of the time.
        return {"value": attributes["value"]}
    return dict(attributes.items())


def _parsed(name: str, constant: ir.Operation) -> ir.Operation:
    """Make the op by way of text: the bindings cannot hold the value."""
    # A clone, since printing an op of a module takes as long as the module. It is printed without
    # its other attributes: shardings name meshes that are not there.
    bare = constant.clone(ip=False)
    others: dict[str, ir.Attribute] = {}
    for each in constant.attributes:
        if each != "value":
            with suppress(TypeError):
                others[each] = constant.attributes[each]
                del bare.attributes[each]
    text = bare.get_asm(print_generic_op_form=True, enable_debug_info=True, use_local_scope=True)
    text = str(text).replace(f'"{constant.name}"', f'"{name}"', 1)
    made = ir.Operation.parse(text, context=constant.context).operation
    for each, attribute in others.items():
        made.attributes[each] = attribute
    return made
