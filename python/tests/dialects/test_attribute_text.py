"""Texts of attributes and types: ours and MLIR's are the same, in both directions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.dialects import mpmd, sdy
from sdykit.dialects.base import View
from sdykit.dialects.text import _TOKEN, quote, unquote
from sdykit.mlir import ir
from support.amounts import examples
from support.dialects.strategies import VIEWS, any_view, parse_with_mlir, to_mlir, view_of
from support.dialects.subjects import DIALECTS

_kinds = pytest.mark.parametrize("kind", VIEWS, ids=lambda kind: kind.__name__)


def test_every_attribute_and_type_is_tested() -> None:
    assert set(VIEWS) == {kind for dialect in DIALECTS.values() for kind in dialect.views}


@_kinds
def test_texts_round_trip_through_mlir(kind: type[View], context: ir.Context) -> None:
    @given(VIEWS[kind])
    @settings(deadline=None)
    def round_trip(view: View) -> None:
        element = to_mlir(view, context)
        text = str(element)
        assert str(view) == text
        assert view_of(kind, element) == view
        assert kind.parse(view.unambiguous_text()) == view
        if is_escaped(view):
            assert kind.parse(text) == view

    round_trip()


def is_escaped(view: View) -> bool:
    """Whether MLIR escapes what needs it when it prints the view's attribute or type."""
    return not isinstance(view, mpmd.MeshTensorType) or not re.search(
        r'["\\\x00-\x1f]', view.mesh_name
    )


@given(st.data())
@settings(max_examples=examples(300), deadline=None)
def test_spaces_and_comments_are_accepted(context: ir.Context, data: st.DataObject) -> None:
    view = data.draw(any_view)
    # MLIR wants brackets and quotes to be in pairs, in comments too.
    blanks = st.sampled_from([" ", "\n", "\t\r\n ", "// x, @\n"])
    # `0xf8` begins a tensor type or is a number, and MLIR reads it in both ways.
    text = "".join(
        token + ("" if token.startswith("0x") else data.draw(blanks))
        for token in _TOKEN.findall(view.unambiguous_text())
    )
    assert view_of(type(view), parse_with_mlir(type(view), text, context)) == view
    assert tokens_of(type(view).parse(text)) == tokens_of(view)


def tokens_of(view: View) -> list[str]:
    """Return the tokens of a view's text: a tensor type in it may hold blanks as written."""
    return [
        token for token in _TOKEN.findall(view.unambiguous_text()) if not token.startswith("//")
    ]


@given(st.data())
@settings(max_examples=examples(200), deadline=None)
def test_nested_attributes_may_be_written_in_full(context: ir.Context, data: st.DataObject) -> None:
    axes = data.draw(VIEWS[sdy.MeshAttr].filter(lambda mesh: mesh.axes)).axes
    full = ", ".join(data.draw(st.sampled_from([str(a), a.print_body()])) for a in axes)
    text = f"#sdy.mesh<[{full}]>"
    assert sdy.MeshAttr.parse(text) == sdy.MeshAttr.of(ir.Attribute.parse(text, context))


@given(st.binary() | st.text().map(str.encode))
@settings(max_examples=examples(300), deadline=None)
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
def test_escaped_strings_are_read(text: str, value: str, context: ir.Context) -> None:
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tensor< 4 x ? x\n f32 >", "tensor<4x?xf32>"),
        ("tensor < // c\n f32>", "tensor<f32>"),
        ("tensor<0x8xcomplex < f32 >>", "tensor<0x8xcomplex<f32>>"),
        ('tensor<4 x f32 ,  "e" >', 'tensor<4xf32, "e">'),
        ("tensor<2x vector<4xf32>>", "tensor<2x vector<4xf32>>"),  # kept as it is
    ],
)
def test_blanks_in_tensor_types_are_dropped(text: str, expected: str, context: ir.Context) -> None:
    full = f'!mpmd.mesh_tensor<"m", {text}>'
    assert mpmd.MeshTensorType.parse(full).ranked_tensor_type == expected
    printed = mpmd.MeshTensorType.of(ir.Type.parse(full, context)).ranked_tensor_type
    assert printed == expected.replace("x v", "xv")


@pytest.mark.parametrize("name", ['"', "\\", r"\22", "a\nb", "a\0b", '", x', "é"])
def test_mesh_names_that_mlir_does_not_escape(name: str, context: ir.Context) -> None:
    view = mpmd.MeshTensorType(name, 'tensor<f32, "e">', None, 'a"b')
    mlir_type = view.to_type(context)
    assert str(mlir_type) == str(view)
    assert f'<"{name}", tensor<f32, "e">, memory_kind="a\\22b">' in str(view)
    assert mpmd.MeshTensorType.of(mlir_type) == view


def test_negative_transpose_counts_are_printed_as_zero(context: ir.Context) -> None:
    view = mpmd.UserOriginAttr("f", -1)
    assert str(view) == '#mpmd.user_origin<"f"(-1)>'
    assert str(view.to_attr(context)) == '#mpmd.user_origin<"f">'
    assert view.to_attr(context) != mpmd.UserOriginAttr("f").to_attr(context)


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
    unranked = mpmd.MeshTensorType("m", "tensor<*xf32>")
    with pytest.raises(ValueError, match=r"MLIR rejects !mpmd.*: invalid kind of type specified"):
        unranked.to_type(context)


def test_the_current_context_is_the_default(context: ir.Context) -> None:
    with context:
        assert str(sdy.MeshAttr().to_attr()) == "#sdy.mesh<[]>"
        view = mpmd.MeshTensorType("m", "tensor<f32>")
        assert str(view.to_type()) == '!mpmd.mesh_tensor<"m", tensor<f32>>'
