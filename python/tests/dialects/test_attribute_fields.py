"""Fields of our views compared with those of jaxlib's own classes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, cast

import pytest
from hypothesis import given, settings
from jaxlib.mlir._mlir_libs import _sdy, _sdyMpmd

from sdykit.dialects import mpmd, sdy
from sdykit.dialects.base import View
from sdykit.mlir import ir
from support.amounts import examples
from support.dialects.strategies import VIEWS, any_view, is_utf8, to_mlir, view_of

# Where jaxlib's Python names differ from the parameters of the attribute.
RENAMED = {"dim_shardings": "dimension_shardings", "is_custom_rule": "is_custom"}

_CLASSES = {
    name: value for name, value in (vars(_sdy) | vars(_sdyMpmd)).items() if name.endswith("Attr")
}
KINDS = {kind: _CLASSES[kind.__name__] for kind in VIEWS if kind.__name__ in _CLASSES}


def fields_of(kind: type[View]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(cast("Any", kind)))


def to_python(value: Any) -> Any:
    """Turn what jaxlib's classes return into what our fields hold."""
    if isinstance(value, list):
        return tuple(map(to_python, value))
    if not isinstance(value, ir.Attribute):
        return value
    if isinstance(value, ir.FlatSymbolRefAttr):
        return value.value
    for kind, theirs in KINDS.items():
        if theirs.isinstance(value):
            return read(kind, value)
    raise AssertionError(f"unexpected {value}")


def read(kind: type[View], attribute: ir.Attribute) -> View:
    """Make a view out of what jaxlib's class returns, without our parser."""
    theirs = KINDS[kind](attribute)
    if kind is sdy.ManualAxesAttr:
        return sdy.ManualAxesAttr(tuple(theirs[index] for index in range(len(theirs))))
    values = [getattr(theirs, RENAMED.get(name, name)) for name in fields_of(kind)]
    return kind(*map(to_python, values))


def test_jaxlib_has_no_attribute_class_that_we_lack() -> None:
    assert set(_CLASSES) == {kind.__name__ for kind in KINDS}
    assert not [name for name in vars(_sdyMpmd) if name.endswith("Type")]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_views_have_the_fields_of_jaxlibs_classes(kind: type[View]) -> None:
    theirs = {name for name, value in vars(KINDS[kind]).items() if isinstance(value, property)}
    ours = {RENAMED.get(name, name) for name in fields_of(kind)}
    if kind is sdy.ManualAxesAttr:
        ours = set()
    assert theirs - {"rank"} == ours  # the rank of a tensor mapping is a length


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_fields_have_the_values_that_jaxlib_reads(kind: type[View], context: ir.Context) -> None:
    @given(VIEWS[kind].filter(is_utf8))
    @settings(max_examples=examples(60), deadline=None)
    def same_values(view: View) -> None:
        attribute = to_mlir(view, context)
        assert isinstance(attribute, ir.Attribute)
        assert read(kind, attribute) == view

    same_values()


def build(view: Any, context: ir.Context) -> Any:
    """Build an attribute with jaxlib's builders, out of the fields of a view."""
    if isinstance(view, tuple):
        return [build(item, context) for item in view]
    if isinstance(view, sdy.ManualAxesAttr):
        return _sdy.ManualAxesAttr.get([ir.StringAttr.get(n, context) for n in view.value], context)
    if type(view) not in KINDS:
        return view
    options = {
        RENAMED.get(name, name): build(getattr(view, name), context)
        for name in fields_of(type(view))
    }
    if isinstance(view, sdy.MeshAttr):
        options["mesh_axes"] = options.pop("axes")
    if isinstance(view, mpmd.UserOriginAttr):
        options["name"] = options.pop("user_name")
    return KINDS[type(view)].get(**options, context=context)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_views_read_attributes_that_jaxlib_builds(kind: type[View], context: ir.Context) -> None:
    @given(VIEWS[kind].filter(is_utf8))
    @settings(max_examples=examples(60), deadline=None)
    def is_read(view: View) -> None:
        attribute = build(view, context)
        assert view_of(kind, attribute) == view
        assert attribute == to_mlir(view, context)

    is_read()


@pytest.mark.parametrize(
    ("build_rule", "expected"),
    [
        (lambda rule: rule((), (), ()), "#sdy.op_sharding_rule<()->()>"),
        (lambda rule: rule((2,), (), ()), "#sdy.op_sharding_rule<()->() {i=2}>"),
        (lambda rule: rule((2**40,), (), ()), "#sdy.op_sharding_rule<()->() {i=1099511627776}>"),
    ],
)
def test_rules_that_mlir_prints_and_does_not_read(
    build_rule: Callable[[type], View], expected: str, context: ir.Context
) -> None:
    view = build_rule(sdy.OpShardingRuleAttr)
    attribute = build(view, context)
    assert str(attribute) == expected
    assert sdy.OpShardingRuleAttr.of(attribute) == view
    with pytest.raises(ValueError, match="MLIR rejects"):
        to_mlir(view, context)


@given(any_view)
@settings(max_examples=examples(200), deadline=None)
def test_equal_views_are_interchangeable(view: View) -> None:
    copy = type(view)(*(getattr(view, name) for name in fields_of(type(view))))
    assert copy == view
    assert hash(copy) == hash(view)
    with pytest.raises(AttributeError):
        setattr(view, fields_of(type(view))[0], None)
