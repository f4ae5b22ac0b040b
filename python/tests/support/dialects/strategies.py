"""Random views of every attribute and type of our dialects, and what to do with them."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from sdykit.dialects.base import AttributeView, TypeView, View
from sdykit.mlir import ir
from support.dialects import mpmd_strategies, sdy_strategies

VIEWS: dict[type[View], st.SearchStrategy] = sdy_strategies.VIEWS | mpmd_strategies.VIEWS
"""For each view class, views of it."""

any_view = st.one_of(*VIEWS.values())


def is_utf8(view: View) -> bool:
    """Whether all strings of the view are UTF-8 in MLIR."""
    return not re.search(r"\\udc[89a-f]", repr(view))


def parse_with_mlir(
    kind: type[View], text: str, context: ir.Context | None = None
) -> ir.Attribute | ir.Type:
    """Return what MLIR makes of the text of an attribute or type."""
    return (ir.Type if issubclass(kind, TypeView) else ir.Attribute).parse(text, context)


def to_mlir(view: View, context: ir.Context | None = None) -> ir.Attribute | ir.Type:
    """Return the attribute or type of a view."""
    if isinstance(view, TypeView):
        return view.to_type(context)
    assert isinstance(view, AttributeView)
    return view.to_attr(context)


def view_of(kind: type[View], element: ir.Attribute | ir.Type) -> View:
    """Return the view of an attribute or type."""
    assert issubclass(kind, AttributeView | TypeView)
    return kind.of(element)  # pyright: ignore[reportArgumentType]
