"""The dialect in ODS and the one that jaxlib registers are the same, in both directions."""

from __future__ import annotations

import importlib.util
import inspect
import mmap
import re
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jaxlib.mlir.dialects import sdy as theirs

from dialects.samples import SAMPLES, module_text, sample
from sdykit.dialects import _sdy_attrs_gen, _sdy_enums_gen, _sdy_ops_gen, sdy
from sdykit.dialects._views_base import AttributeView
from sdykit.dialects.views import view
from sdykit.mlir import ir, passmanager

REFERENCE = Path(__file__).parents[3] / "docs/reference/sdy_dialect.md"

_names = pytest.mark.parametrize("name", SAMPLES)


def op_classes(module: ModuleType) -> dict[str, type[ir.OpView]]:
    """Return the op classes in a module by the name of their operation."""
    classes = [c for c in vars(module).values() if inspect.isclass(c) and issubclass(c, ir.OpView)]
    return {c.OPERATION_NAME: c for c in classes if hasattr(c, "OPERATION_NAME")}  # pyright: ignore[reportAttributeAccessIssue]


OURS = op_classes(_sdy_ops_gen)
THEIRS = op_classes(theirs)


def our_class(name: str) -> Any:
    return OURS[f"sdy.{name}"]


@pytest.fixture(scope="module")
def names_in_library() -> set[str]:
    """Every `name` for which jaxlib's library holds the string `sdy.name`."""
    spec = importlib.util.find_spec("jaxlib")
    assert spec is not None
    assert spec.origin is not None
    library = Path(spec.origin).parent / "libjax_common.so"
    with library.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
        return {m[1].decode() for m in re.finditer(rb"\0sdy\.([a-z_]+)\0", data)}


def is_registered_attribute(name: str, context: ir.Context) -> bool:
    try:
        ir.Attribute.parse(f"#sdy<{name}>", context)
    except ir.MLIRError as error:
        return "unknown attribute" not in str(error)
    return True


def test_operations_are_the_registered_ones(
    names_in_library: set[str], context: ir.Context
) -> None:
    registered = {
        f"sdy.{name}" for name in names_in_library if context.is_registered_operation(f"sdy.{name}")
    }
    # Short names may be inlined into the machine code, and so not be found as strings.
    assert registered <= set(OURS)
    assert len(registered) > 10
    assert all(context.is_registered_operation(name) for name in OURS)
    assert set(OURS) == set(THEIRS)
    assert set(OURS) == {f"sdy.{name}" for name in SAMPLES}


def test_attributes_are_the_registered_ones(
    names_in_library: set[str], context: ir.Context
) -> None:
    registered = {name for name in names_in_library if is_registered_attribute(name, context)}
    views = [getattr(_sdy_attrs_gen, name) for name in _sdy_attrs_gen.__all__]
    ours = {kind.NAME.removeprefix("#sdy.") for kind in views}
    assert registered <= ours
    assert len(registered) > 10
    assert all(is_registered_attribute(name, context) for name in ours)
    assert not is_registered_attribute("no_such_attribute", context)


def members(op_class: type) -> Iterator[tuple[str, bool, bool]]:
    """Return the properties of an op class, and whether they can be set and deleted."""
    for name, value in vars(op_class).items():
        if isinstance(value, property):
            yield name, value.fset is not None, value.fdel is not None


@_names
def test_class_is_as_jaxlibs(name: str) -> None:
    ours, expected = OURS[f"sdy.{name}"], THEIRS[f"sdy.{name}"]
    assert ours is not expected
    assert ours.__name__ == expected.__name__
    assert set(members(ours)) == set(members(expected))
    for constant in ("_ODS_REGIONS", "_ODS_OPERAND_SEGMENTS", "_ODS_RESULT_SEGMENTS"):
        assert getattr(ours, constant) == getattr(expected, constant)
    assert parameters(ours.__init__) == parameters(expected.__init__)


def parameters(function: Any) -> list[tuple[str, Any, Any]]:
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


def test_builder_functions_are_as_jaxlibs() -> None:
    functions = {n: f for n, f in vars(_sdy_ops_gen).items() if inspect.isfunction(f)}
    functions = {n: f for n, f in functions.items() if f.__module__ == _sdy_ops_gen.__name__}
    assert len(functions) == len(OURS)
    for name, function in functions.items():
        assert parameters(function) == parameters(getattr(theirs, name)), name


@_names
def test_accessors(name: str, context: ir.Context) -> None:
    """Operands, results, regions and attributes that the registered operation has are ours."""
    _module, op = sample(name, context)
    typed = view(our_class(name), op)
    values = {member: getattr(typed, member) for member, _, _ in members(our_class(name))}
    attributes = {key: v for key, v in values.items() if isinstance(v, ir.Attribute)}
    assert attributes == dict(op.attributes.items())
    kinds = {kind: flat(values.values(), kind) for kind in (ir.OpResult, ir.Value, ir.Region)}
    results = [value for value in kinds[ir.Value] if isinstance(value, ir.OpResult)]
    own_results = [value for value in results if value.owner == op]
    operands = [value for value in kinds[ir.Value] if value not in own_results]
    assert operands == list(op.operands)
    if name != "named_computation":  # its results have no name
        assert own_results == list(op.results)
    assert len(kinds[ir.Region]) == len(op.regions)


def flat(values: Any, kind: type) -> list[Any]:
    """Return the values of a kind, out of values and lists of them."""
    found: list[Any] = []
    for value in values:
        if isinstance(value, kind):
            found.append(value)
        elif isinstance(value, ir.OpOperandList | ir.OpResultList):
            found += [item for item in value if isinstance(item, kind)]
    return found


@_names
def test_builder(name: str, context: ir.Context) -> None:
    """An operation built from the parts of another is equal to it."""
    if name == "return":
        pytest.skip("a block has one terminator")
    _module, op = sample(name, context)
    typed = view(our_class(name), op)
    arguments: dict[str, Any] = {}
    for parameter in inspect.signature(our_class(name).__init__).parameters:
        if (name, parameter) in {
            ("manual_computation", "results_"),
            ("named_computation", "result"),
        }:
            arguments[parameter] = [result.type for result in op.results]
        elif parameter not in {"self", "results", "loc", "ip"}:
            arguments[parameter] = getattr(typed, parameter)
    if name == "propagation_barrier":
        arguments["allowed_direction"] = sdy.PropagationDirection.FORWARD
    with context, ir.Location.unknown(), ir.InsertionPoint(op):
        built = our_class(name)(**arguments)
    assert list(built.operation.operands) == list(op.operands)
    assert [r.type for r in built.operation.results] == [r.type for r in op.results]
    assert len(built.operation.regions) == len(op.regions)
    assert dict(built.operation.attributes.items()) == dict(op.attributes.items())


@_names
def test_required_and_optional_attributes(name: str, context: ir.Context) -> None:
    _module, op = sample(name, context)
    assert op.verify()
    for member, can_be_set, is_optional in members(our_class(name)):
        if not can_be_set:
            continue
        value = op.attributes[member]
        del op.attributes[member]
        if is_optional:
            assert op.verify(), member
            assert getattr(view(our_class(name), op), member) is None
        else:
            with pytest.raises(ir.MLIRError, match=f"requires attribute '{member}'"):
                op.verify()
        op.attributes[member] = value


@_names
def test_attribute_kinds(name: str, context: ir.Context) -> None:
    """Where the registered operation holds an `sdy` attribute, we have a view of it."""
    _module, op = sample(name, context)
    kinds = {
        kind.NAME: kind
        for kind in vars(sdy).values()
        if inspect.isclass(kind) and issubclass(kind, AttributeView) and hasattr(kind, "NAME")
    }
    for attribute in dict(op.attributes.items()).values():
        match = re.match(r"#sdy[.<](\w+)", str(attribute))
        if match:
            assert str(kinds[f"#sdy.{match[1]}"].of(attribute)) == str(attribute)


def reference_of(name: str) -> str:
    """Return what the reference says about an operation."""
    text = REFERENCE.read_text(encoding="utf-8")
    section = re.search(rf"^### `sdy\.{name}` .*?(?=^##)", text, re.DOTALL | re.MULTILINE)
    assert section is not None
    return section[0]


@_names
def test_assembly_format(name: str, context: ir.Context) -> None:
    """The literals of the format in ODS stand in MLIR's text, in order."""
    _module, op = sample(name, context)
    syntax = re.search(r"operation ::= (.*?)```\n", reference_of(name), re.DOTALL)
    assert syntax is not None
    literals = re.findall(r"`([^`\s]+)`", syntax[1])
    assert literals[0] == f"sdy.{name}"
    words = [
        rf"\b{re.escape(text)}\b" if text[0].isalpha() else re.escape(text) for text in literals
    ]
    pattern = ".*?".join(words)
    assert re.search(pattern, str(op), re.DOTALL), literals


@_names
def test_examples_and_constraints_are_described(name: str) -> None:
    section = reference_of(name)
    assert f"sdy.{name} " in section.replace("(", " ").replace("<", " ")
    assert re.search(r"^_[A-Z].*\._$", section, re.MULTILINE), "no summary"
    assert "```mlir" in section


def enums(module: ModuleType) -> dict[str, type[IntEnum]]:
    return {
        name: value
        for name, value in vars(module).items()
        if inspect.isclass(value) and issubclass(value, IntEnum) and value is not IntEnum
    }


def test_enums_are_as_jaxlibs() -> None:
    ours, expected = enums(_sdy_enums_gen), enums(theirs)
    assert set(ours) == set(expected)
    for name, cases in ours.items():
        assert cases is not expected[name]
        assert {(c.name, c.value, str(c)) for c in cases} == {
            (c.name, c.value, str(c)) for c in expected[name]
        }


def direction(text: str, context: ir.Context) -> int:
    module = ir.Module.parse(module_text("propagation_barrier").replace("FORWARD", text), context)
    barrier = module.body.operations[1].regions[0].blocks[0].operations[0]
    return ir.IntegerAttr(barrier.attributes["allowed_direction"]).value


def test_values_of_directions(context: ir.Context) -> None:
    for case in sdy.PropagationDirection:
        if case is sdy.PropagationDirection.BOTH:
            with pytest.raises(ir.MLIRError, match="cannot specify `BOTH`"):
                direction(str(case), context)
        else:
            assert direction(str(case), context) == case.value
    with pytest.raises(ir.MLIRError) as caught:
        direction("SIDEWAYS", context)
    expected = ", ".join(str(case) for case in sdy.PropagationDirection)
    assert f"enum values for attribute 'allowed_direction' [{expected}]" in str(caught.value)
    beyond = len(sdy.PropagationDirection)
    generic = f"""
      func.func @f(%a: tensor<f32>) {{
        %0 = "sdy.propagation_barrier"(%a) {{allowed_direction = {beyond} : i32}}
            : (tensor<f32>) -> tensor<f32>
        return
      }}"""
    with pytest.raises(ir.MLIRError, match="failed to satisfy constraint"):
        ir.Module.parse(generic, context)


def test_values_of_edge_node_types(context: ir.Context) -> None:
    for case in sdy.EdgeNodeType:
        ir.Attribute.parse(f"#sdy<edge_value_ref {case}-0>", context)
    with pytest.raises(ir.MLIRError) as caught:
        ir.Attribute.parse("#sdy<edge_value_ref other-0>", context)
    expected = ", ".join(str(case) for case in sdy.EdgeNodeType)
    assert f"one of: {expected}" in str(caught.value)


@_names
def test_side_effects(name: str, context: ir.Context) -> None:
    """Operations without side effects in ODS, and no others, are erased when unused."""
    if name in {"mesh", "return"}:
        pytest.skip("a symbol and a terminator are kept anyway")
    module, _op = sample(name, context)
    with context:
        pipeline = "builtin.module(func.func(trivial-dce))"
        passmanager.PassManager.parse(pipeline).run(module.operation)
    section = reference_of(name)
    is_pure = "NoMemoryEffect" in section or "RecursiveMemoryEffects" in section
    assert (f"sdy.{name}" not in str(module)) == is_pure
