"""Group the fragments that can share a function: those with equivalent bodies.

Two bodies are equivalent if they differ at most in locations and the names of values, that
is, if their texts and the attributes in them are equal. The text lacks large constants, and
attributes that the format of an op leaves out. Printing takes nearly all the time of the pass.
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


def group_fragments(
    fragments: Sequence[Fragment], manual: ManualShardings, *, across_meshes: bool
) -> list[Group]:
    """Group fragments with equivalent bodies, the same mesh, `arg_attrs` and `res_attrs`.

    With `across_meshes`, meshes of one shape count as the same, and so do their names inside
    manual computations. Groups are ordered by their first fragments.
    """
    outlines = [_outline(fragment, across_meshes) for fragment in fragments]
    shared = Counter(outlines)
    groups: list[Group] = []
    by_text: dict[Hashable, _SameText] = {}
    for fragment, outline in zip(fragments, outlines, strict=True):
        if shared[outline] == 1:  # Nothing to compare it with: its body need not be printed.
            groups.append([fragment])
            continue
        op = manual.without_name(fragment) if across_meshes else fragment.op
        group = by_text.setdefault((outline, _text_of(op)), _SameText()).group_with(op)
        if not group:
            groups.append(group)
        group.append(fragment)
    return groups


class _SameText:
    """Groups of fragments with the same text, which differ in attributes of their ops."""

    def __init__(self) -> None:
        self._only: tuple[ir.Operation, Group] | None = None
        self._groups: dict[Hashable, Group] = {}

    def group_with(self, op: ir.Operation) -> Group:
        """Return the group with the attributes of a fragment, which may be new and empty."""
        if self._only is None:  # Attributes matter only if there is a second fragment.
            self._only = op, Group()
            return self._only[1]
        if not self._groups:
            first, group = self._only
            self._groups[_attributes_in(first)] = group
        return self._groups.setdefault(_attributes_in(op), [])


def _outline(fragment: Fragment, across_meshes: bool) -> Hashable:
    """Return the properties of a fragment that are quick to compare."""
    attributes, body = fragment.op.attributes, fragment.body
    arg_attrs, res_attrs = attributes.get(ARG_ATTRS), attributes.get(RES_ATTRS)
    return (
        fragment.symbols,
        # One name may be different meshes in two functions.
        None if across_meshes else fragment.mesh_name,
        fragment.mesh,
        None if arg_attrs is None else hash(arg_attrs),
        None if res_attrs is None else hash(res_attrs),
        tuple([hash(argument.type) for argument in body.arguments]),
        len(body.operations),
    )


def _text_of(fragment: ir.Operation) -> str:
    """Return the text of the body of a fragment, without large constants.

    C++ prints it faster than the bindings list the operands of the ops.
    """
    text = str(fragment.get_asm(large_elements_limit=0, use_local_scope=True, assume_verified=True))
    # The first and last line hold the operands, attributes and types of the fragment itself.
    return text[text.index("\n") : text.rindex("\n")]


def _attributes_in(fragment: ir.Operation) -> Hashable:
    """Return the names and attributes of the ops in a fragment, in order, as a key."""
    key: list[Hashable] = []

    def describe(op: ir.Operation) -> ir.WalkResult:
        key.append(None)
        key.append(op.name)
        try:
            for name, attribute in op.attributes.items():
                key.append(name)
                # Attributes are unique in their context, so the hash of the address is enough.
                key.append(hash(attribute))
        except TypeError:  # The bindings have no class for dense complex numbers.
            # Printing an op inside a module takes as long as printing the module; a clone does not.
            key.append(op.clone(ip=False).get_asm(print_generic_op_form=True, use_local_scope=True))
        return ir.WalkResult.ADVANCE

    for block in fragment.regions[0]:
        for op in block:
            op.operation.walk(describe, ir.WalkOrder.PRE_ORDER)
    return tuple(key)
