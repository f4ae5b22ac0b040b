"""Texts of attributes: ours and MLIR's are the same, in both directions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialects.strategies import VIEWS, any_view
from sdykit.dialects import _sdy_attrs_gen, sdy
from sdykit.dialects._text import _TOKEN, quote, unquote
from sdykit.dialects._views_base import AttributeView
from sdykit.mlir import ir

_kinds = pytest.mark.parametrize("kind", VIEWS, ids=lambda kind: kind.__name__)


def test_every_attribute_is_tested() -> None:
    assert {kind.__name__ for kind in VIEWS} == set(_sdy_attrs_gen.__all__)


@_kinds
def test_round_trip(kind: type[AttributeView], context: ir.Context) -> None:
    @given(VIEWS[kind])
    @settings(deadline=None)
    def round_trip(view: AttributeView) -> None:
        attribute = view.to_attr(context)
        text = str(attribute)
        assert str(view) == text
        assert kind.of(attribute) == view
        assert kind.parse(text) == view
        assert kind.parse(view.unambiguous_text()) == view

    round_trip()


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_spaces_and_comments(context: ir.Context, data: st.DataObject) -> None:
    view = data.draw(any_view)
    # MLIR wants brackets and quotes to be in pairs, in comments too.
    blanks = st.sampled_from([" ", "\n", "\t\r\n ", "// x, @\n"])
    text = "".join(token + data.draw(blanks) for token in _TOKEN.findall(view.unambiguous_text()))
    assert type(view).of(ir.Attribute.parse(text, context)) == view
    assert type(view).parse(text) == view


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_nested_attributes_may_be_written_in_full(context: ir.Context, data: st.DataObject) -> None:
    axes = data.draw(VIEWS[sdy.MeshAttr].filter(lambda mesh: mesh.axes)).axes
    full = ", ".join(data.draw(st.sampled_from([str(a), a.print_body()])) for a in axes)
    text = f"#sdy.mesh<[{full}]>"
    assert sdy.MeshAttr.parse(text) == sdy.MeshAttr.of(ir.Attribute.parse(text, context))


@given(st.binary() | st.text().map(str.encode))
@settings(max_examples=300, deadline=None)
def test_strings_are_escaped_as_mlir_does(context: ir.Context, raw: bytes) -> None:
    value = raw.decode("utf-8", "surrogateescape")
    quoted = quote(value)
    assert unquote(quoted) == value
    assert quoted == str(ir.Attribute.parse(quoted, context))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\n\t\"\\"', '\n\t"\\'),
        (r'"\c3\A9"', "é"),
        ('"é"', "é"),
        (r'"\5c6E"', r"\6E"),
        (r'"\\6E"', r"\6E"),
    ],
)
def test_escapes(text: str, value: str, context: ir.Context) -> None:
    assert sdy.MeshAxisAttr.parse(f"#sdy<mesh_axis{text}=1>").name == value
    attribute = ir.Attribute.parse(f"#sdy<mesh_axis{text}=1>", context)
    assert sdy.MeshAxisAttr.of(attribute).name == value


def test_glued_texts_are_read_though_mlir_cannot() -> None:
    value = sdy.EdgeValueRefAttr(sdy.EdgeNodeType.RESULT, 1)
    assert str(value) == "#sdy<edge_value_refresult-1>"
    assert sdy.EdgeValueRefAttr.parse(str(value)) == value
    mapping = sdy.DimMappingAttr((0, 18))
    assert str(mapping) == "#sdy.dim_mappingiz_1"
    assert sdy.DimMappingAttr.parse(str(mapping)) == mapping
    assert sdy.DimMappingAttr.parse("#sdy.dim_mapping") == sdy.DimMappingAttr(())


def test_the_empty_symbol_is_read(context: ir.Context) -> None:
    attribute = ir.Attribute.parse('#sdy.sharding<@"", []>', context)
    view = sdy.TensorShardingAttr.of(attribute)
    assert view.mesh_or_ref == ""
    assert str(view) == str(attribute)
    assert sdy.TensorShardingAttr.parse('#sdy.sharding<@"", []>') == view


def test_default_device_ids_are_dropped(context: ir.Context) -> None:
    text = '#sdy.mesh<["x"=2, "y"=2], device_ids=[0, 1, 2, 3]>'
    mesh = sdy.MeshAttr.parse(text)
    assert mesh.device_ids == ()
    assert str(mesh) == str(ir.Attribute.parse(text, context))
    maximal = sdy.MeshAttr.parse("#sdy.mesh<[], device_ids=[0]>")
    assert maximal.device_ids == (0,)


def test_what_violates_a_constraint_is_rejected_by_mlir(context: ir.Context) -> None:
    mesh = sdy.MeshAttr((sdy.MeshAxisAttr("x", 0),))
    with pytest.raises(ValueError, match=r"MLIR rejects #sdy.mesh<\[\"x\"=0\]>: axis size must"):
        mesh.to_attr(context)


def test_the_current_context_is_the_default(context: ir.Context) -> None:
    with context:
        assert str(sdy.MeshAttr().to_attr()) == "#sdy.mesh<[]>"
