"""Comparing the bodies of fragments.

Two bodies are equivalent if they differ at most in locations and the names of values: if
their texts and the attributes in them are equal. The text alone has everything but large
constants, and attributes that an op prints in no way of its own; nearly all the time that the
pass takes is spent on it.
"""

from __future__ import annotations

from collections.abc import Hashable

from sdykit.mlir import ir


def text_of(fragment: ir.Operation) -> str:
    """Give the text of the body of a fragment, without large constants.

    In C++ it is written sooner than the bindings tell the operands of the ops.
    """
    text = str(fragment.get_asm(large_elements_limit=0, use_local_scope=True, assume_verified=True))
    # Around the body are what the fragment takes, its own attributes and its types.
    return text[text.index("\n") : text.rindex("\n")]


def attributes_in(fragment: ir.Operation) -> Hashable:
    """Describe the names and attributes of the ops in a fragment."""
    key: list[Hashable] = []

    def describe(op: ir.Operation) -> ir.WalkResult:
        key.append(None)
        key.append(op.name)
        try:
            for name, attribute in op.attributes.items():
                key.append(name)
                # Attributes are unique in their context: the address stands for the value.
                key.append(hash(attribute))
        except TypeError:  # The bindings have no class for dense complex numbers.
            # A clone stands alone: to print an op in a module takes as long as the module.
            key.append(op.clone(ip=False).get_asm(print_generic_op_form=True, use_local_scope=True))
        return ir.WalkResult.ADVANCE

    for block in fragment.regions[0]:
        for op in block:
            op.operation.walk(describe, ir.WalkOrder.PRE_ORDER)
    return tuple(key)
