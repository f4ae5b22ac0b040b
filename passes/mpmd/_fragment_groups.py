"""Which fragments one function can stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from sdykit.mlir import ir
from sdykit.passes.mpmd._fragment_bodies import attributes_in, text_of
from sdykit.passes.mpmd._fragment_list import Fragment
from sdykit.passes.mpmd._fragment_meshes import ManualShardings
from sdykit.passes.mpmd._program import ARG_ATTRS, RES_ATTRS

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
        group = alike.setdefault((outline, text_of(op)), _Alike()).group_with(op)
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
            self._groups[attributes_in(first)] = group
        return self._groups.setdefault(attributes_in(op), [])


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
