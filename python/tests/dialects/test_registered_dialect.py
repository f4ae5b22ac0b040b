"""The dialects in ODS and those that jaxlib registers have the same members, in both directions."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from sdykit.dialects.base import AttributeView, TypeView
from sdykit.mlir import ir
from support.dialects.subjects import DIALECTS, OPERATIONS, Dialect, dialect_of

_dialects = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda d: d.name)


def is_registered_attribute(name: str, dialect: str, context: ir.Context) -> bool:
    try:
        ir.Attribute.parse(f"#{dialect}<{name}>", context)
    except ir.MLIRError as error:
        return "unknown attribute" not in str(error)
    return True


def is_registered_type(name: str, dialect: str, context: ir.Context) -> bool:
    try:
        ir.Type.parse(f"!{dialect}<{name}>", context)
    except ir.MLIRError as error:
        # A dialect without types has no parser of them.
        text = str(error)
        return "unknown  type" not in text and "provides no type parsing hook" not in text
    return True


@_dialects
def test_operations_are_the_registered_ones(dialect: Dialect, context: ir.Context) -> None:
    found = {f"{dialect.name}.{name}" for name in dialect.names_in_library}
    # A name may also be inlined into the machine code, and so not be found as a string.
    names = found | set(dialect.our_classes)
    registered = {name for name in names if context.is_registered_operation(name)}
    assert registered == set(dialect.our_classes)
    assert len(registered & found) > 10
    assert set(dialect.our_classes) == set(dialect.their_classes)
    assert set(dialect.our_classes) == {f"{dialect.name}.{name}" for name in dialect.samples}


@pytest.mark.parametrize(("name", "count"), [("sdy", 19), ("mpmd", 7)])
def test_attributes_are_the_registered_ones(name: str, count: int, context: ir.Context) -> None:
    dialect = DIALECTS[name]
    views = [view for view in dialect.views if issubclass(view, AttributeView)]
    ours = {view.NAME.removeprefix(f"#{name}.") for view in views}
    names = dialect.names_in_library | ours
    registered = {each for each in names if is_registered_attribute(each, name, context)}
    assert registered == ours
    assert len(ours) == count
    assert len(registered & dialect.names_in_library) > count // 2
    assert not is_registered_attribute("no_such_attribute", name, context)


@pytest.mark.parametrize(("name", "expected"), [("sdy", set()), ("mpmd", {"mesh_tensor"})])
def test_types_are_the_registered_ones(name: str, expected: set[str], context: ir.Context) -> None:
    dialect = DIALECTS[name]
    names = dialect.names_in_library
    registered = {each for each in names if is_registered_type(each, name, context)}
    views = [view for view in dialect.views if issubclass(view, TypeView)]
    assert registered == {view.NAME.removeprefix(f"!{name}.") for view in views}
    assert registered == expected
    assert not is_registered_type("no_such_type", name, context)


@pytest.mark.parametrize("name", OPERATIONS)
def test_class_is_as_jaxlibs(name: str) -> None:
    dialect = dialect_of(name)
    ours, expected = dialect.our_classes[name], dialect.their_classes[name]
    assert ours is not expected
    assert ours.__name__ == expected.__name__
    assert properties(ours) == properties(expected)
    for constant in ("_ODS_REGIONS", "_ODS_OPERAND_SEGMENTS", "_ODS_RESULT_SEGMENTS"):
        assert getattr(ours, constant) == getattr(expected, constant)
    assert parameters(ours.__init__) == parameters(expected.__init__)


def properties(op_class: type) -> set[tuple[str, bool, bool]]:
    """Return the properties of an op class, and whether they can be set and deleted."""
    return {
        (name, value.fset is not None, value.fdel is not None)
        for name, value in vars(op_class).items()
        if isinstance(value, property)
    }


def parameters(function: Any) -> list[tuple[str, Any, Any]]:
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


@_dialects
def test_builder_functions_are_as_jaxlibs(dialect: Dialect) -> None:
    functions = {n: f for n, f in vars(dialect.ops).items() if inspect.isfunction(f)}
    functions = {n: f for n, f in functions.items() if f.__module__ == dialect.ops.__name__}
    assert len(functions) == len(dialect.our_classes)
    for name, function in functions.items():
        assert parameters(function) == parameters(getattr(dialect.theirs, name)), name
