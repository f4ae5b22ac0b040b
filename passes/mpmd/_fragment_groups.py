"""Which fragments one function can stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from sdykit.passes.mpmd._fragment_bodies import body_key, glance
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
    groups: dict[Hashable, Group] = {}
    for fragment, outline in zip(fragments, outlines, strict=True):
        body = None
        if shared[outline] > 1:  # The body of the only one of its kind need not be read.
            instead = manual.keys(fragment) if across_meshes else {}
            body = body_key(fragment.op, instead)
        groups.setdefault((outline, body), []).append(fragment)
    return list(groups.values())


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
        glance(body),
    )
