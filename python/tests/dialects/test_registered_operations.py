"""Each operation in ODS agrees with the one that jaxlib registers."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

from sdykit.dialects import mpmd, sdy
from sdykit.dialects.base import AttributeView, TypeView
from sdykit.dialects.views import view
from sdykit.mlir import ir, passmanager
from support.dialects.subjects import DIALECTS, OPERATIONS, dialect_of, our_class, sample

RESULTS_WITHOUT_NAME = ("sdy.named_computation", "mpmd.call", "mpmd.fragment_call")
ANY_NUMBER_OF_RESULTS = (
    "sdy.manual_computation",
    "sdy.named_computation",
    "mpmd.call",
    "mpmd.for",
    "mpmd.fragment",
    "mpmd.fragment_call",
    "mpmd.named_computation",
)
WITH_DEFAULT = {("mpmd.reduce", "reduction")}
TERMINATORS_AND_SYMBOLS = ("sdy.mesh", "sdy.return", "mpmd.return")

_names = pytest.mark.parametrize("name", OPERATIONS)


def members(op_class: type) -> Iterator[tuple[str, bool, bool]]:
    """Return the properties of an op class, and whether they can be set and deleted."""
    for name, value in vars(op_class).items():
        if isinstance(value, property):
            yield name, value.fset is not None, value.fdel is not None


@_names
def test_accessors_cover_operands_results_regions_and_attributes(
    name: str, context: ir.Context
) -> None:
    """The accessors return all operands, results, regions and attributes of the operation."""
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
    assert own_results == ([] if name in RESULTS_WITHOUT_NAME else list(op.results))
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
def test_builders_rebuild_an_operation_from_its_parts(name: str, context: ir.Context) -> None:
    """An operation built from the parts of another is equal to it."""
    if name.endswith(".return"):
        pytest.skip("a block has one terminator")
    _module, op = sample(name, context)
    arguments = builder_arguments(name, op)
    if name == "sdy.propagation_barrier":
        arguments["allowed_direction"] = sdy.PropagationDirection.FORWARD
    with context, ir.Location.unknown(), ir.InsertionPoint(op):
        built = our_class(name)(**arguments)
    assert list(built.operation.operands) == list(op.operands)
    assert [r.type for r in built.operation.results] == [r.type for r in op.results]
    assert len(built.operation.regions) == len(op.regions)
    assert dict(built.operation.attributes.items()) == dict(op.attributes.items())


def builder_arguments(name: str, op: ir.Operation) -> dict[str, Any]:
    """Return the parts of an operation that our builder asks for."""
    typed = view(our_class(name), op)
    types = [result.type for result in op.results]
    arguments: dict[str, Any] = {}
    for parameter in inspect.signature(our_class(name).__init__).parameters.values():
        if parameter.name in {"self", "results", "loc", "ip"}:
            continue
        if parameter.name in {"result", "results_"}:
            arguments[parameter.name] = types if name in ANY_NUMBER_OF_RESULTS else types[0]
        else:
            arguments[parameter.name] = getattr(typed, parameter.name)
    return arguments


@_names
def test_attributes_are_required_or_optional_as_jaxlib_registers_them(
    name: str, context: ir.Context
) -> None:
    _module, op = sample(name, context)
    assert op.verify()
    for member, can_be_set, is_optional in members(our_class(name)):
        if not can_be_set or (name, member) in WITH_DEFAULT:
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


def test_builders_add_the_default_reduction(context: ir.Context) -> None:
    """The builder adds the reduction; without it, the verifier ends the process."""
    _module, op = sample("mpmd.reduce", context)
    with context, ir.Location.unknown(), ir.InsertionPoint(op):
        built = mpmd.ReduceOp(list(op.operands))
    assert built.reduction == mpmd.ReductionAttr(mpmd.ReductionType.NONE).to_attr(context)
    assert built.operation.verify()


@_names
def test_attributes_and_types_of_operations_have_views(name: str, context: ir.Context) -> None:
    """Each attribute and type of the dialects in a registered operation has a view."""
    _module, op = sample(name, context)
    kinds: dict[str, Any] = {
        kind.NAME: kind for dialect in DIALECTS.values() for kind in dialect.views
    }
    types = [value.type for value in (*op.operands, *op.results)]
    for element in (*dict(op.attributes.items()).values(), *types):
        elements = element if isinstance(element, ir.ArrayAttr) else [element]
        for each in elements:
            match = re.match(r"([#!](?:sdy|mpmd))[.<](\w+)", str(each))
            if match:
                assert str(kinds[f"{match[1]}.{match[2]}"].of(each)) == str(each)
    assert {kind for kind in kinds.values() if issubclass(kind, AttributeView)}
    assert {kind for kind in kinds.values() if issubclass(kind, TypeView)}


def reference_of(name: str) -> str:
    """Return the section of the reference on an operation."""
    return dialect_of(name).sections("")[name.partition(".")[2]]


@_names
def test_literals_of_the_assembly_format_are_printed(name: str, context: ir.Context) -> None:
    """The literals of the format in ODS stand in MLIR's text, in order."""
    _module, op = sample(name, context)
    syntax = re.search(r"operation ::= (.*?)```\n", reference_of(name), re.DOTALL)
    assert syntax is not None
    literals = re.findall(r"`([^`\s]+)`", syntax[1])
    assert literals[0] == name
    words = [
        rf"\b{re.escape(text)}\b" if text[0].isalpha() else re.escape(text) for text in literals
    ]
    pattern = ".*?".join(words)
    assert re.search(pattern, str(op), re.DOTALL), literals


@_names
def test_text_is_read_back(name: str, context: ir.Context) -> None:
    module, _op = sample(name, context)
    text = str(module)
    assert name in text
    assert str(ir.Module.parse(text, context)) == text


@_names
def test_examples_and_constraints_are_described(name: str) -> None:
    section = reference_of(name)
    assert f"{name} " in section.replace("(", " ").replace("<", " ")
    assert re.search(r"^_[A-Z].*\._$", section, re.MULTILINE), "no summary"
    assert "```mlir" in section


@_names
def test_unused_operations_are_erased_exactly_if_pure(name: str, context: ir.Context) -> None:
    """Operations without side effects in ODS, and no others, are erased when unused."""
    if name in TERMINATORS_AND_SYMBOLS:
        pytest.skip("a symbol and a terminator are kept anyway")
    module, _op = sample(name, context)
    with context:
        pipeline = "builtin.module(func.func(trivial-dce))"
        passmanager.PassManager.parse(pipeline).run(module.operation)
    section = reference_of(name)
    is_pure = "NoMemoryEffect" in section or "RecursiveMemoryEffects" in section
    assert (f"{name} " in str(module).replace("<", " ")) == (not is_pure)


@_names
def test_terminators_are_marked(name: str) -> None:
    """Operations are terminators in ODS if and only if they are in MLIR."""
    is_terminator = "Terminator`" in reference_of(name).partition("Traits: ")[2].partition("\n")[0]
    assert is_terminator == name.endswith(".return")
