"""Which fragments one function can stand for: those with equivalent bodies.

Two bodies are equivalent if they differ at most in locations and the names of values: if
their texts and the attributes in them are equal. The text alone has everything but large
constants, and attributes that an op prints in no way of its own; nearly all the time that the
pass takes is spent on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from sdykit.core.mpmd.program import ARG_ATTRS, RES_ATTRS
from sdykit.mlir import ir
from sdykit.passes.mpmd.lower_to_fragment_calls.fragments import Fragment
from sdykit.passes.mpmd.lower_to_fragment_calls.manual_shardings import ManualShardings

Group = list[Fragment]
"""Fragments that call one function; never empty."""


def grouped(
    fragments: Sequence[Fragment], manual: ManualShardings, *, across_meshes: bool
) -> list[Group]:
    """Group fragments with equivalent bodies, the same mesh, `arg_attrs` and `res_attrs`.

    With `across_meshes`, meshes of one shape count as the same, and so do their names inside
    manual computations. The groups are in the order of their first fragments.
    """
    outlines = [_outline(fragment, across_meshes) for fragment in fragments]
    shared = Counter(outlines)
    groups: list[Group] = []
    alike: dict[Hashable, _Alike] = {}
    for fragment, outline in zip(fragments, outlines, strict=True):
        if shared[outline] == 1:  # The body of the only one of its kind need not be read.
            groups.append([fragment])
            continue
        op = manual.without_name(fragment) if across_meshes else fragment.op
        group = alike.setdefault((outline, _text_of(op)), _Alike()).group_with(op)
        if not group:
            groups.append(group)
        group.append(fragment)
    return groups


class _Alike:
    """Groups of fragments with the same text; they differ in attributes."""

    def __init__(self) -> None:
        self._only: tuple[ir.Operation, Group] | None = None
        self._groups: dict[Hashable, Group] = {}

    def group_with(self, op: ir.Operation) -> Group:
        """Give the group that has the attributes of this fragment; it may be new and empty."""
        if self._only is None:  # They matter only if there is a second.
            self._only = op, Group()
            return self._only[1]
        if not self._groups:
            first, group = self._only
            self._groups[_attributes_in(first)] = group
        return self._groups.setdefault(_attributes_in(op), [])


def _outline(fragment: Fragment, across_meshes: bool) -> Hashable:
    """Give what is found quickly."""
    attributes, body = fragment.op.attributes, fragment.body
    arg_attrs, res_attrs = attributes.get(ARG_ATTRS), attributes.get(RES_ATTRS)
    return (
        fragment.symbols,
        # Functions may give one name to different meshes.
        None if across_meshes else fragment.mesh_name,
        fragment.mesh,
        None if arg_attrs is None else hash(arg_attrs),
        None if res_attrs is None else hash(res_attrs),
        tuple([hash(argument.type) for argument in body.arguments]),
        len(body.operations),
    )


def _text_of(fragment: ir.Operation) -> str:
    """Give the text of the body of a fragment, without large constants.

    In C++ it is written sooner than the bindings tell the operands of the ops.
    """
    text = str(fragment.get_asm(large_elements_limit=0, use_local_scope=True, assume_verified=True))
    # Around the body are what the fragment takes, its own attributes and its types.
    return text[text.index("\n") : text.rindex("\n")]


def _attributes_in(fragment: ir.Operation) -> Hashable:
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
