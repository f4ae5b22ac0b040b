"""Traits, interfaces and type constraints in ODS are those of the operations that jaxlib registers.

ODS defines what is generated from it: classes, views and the reference. What an operation accepts at
run time is decided by the C++ inside jaxlib. The two are compared here as far as that can be seen:

- *Traits and interfaces*, in both directions: they are the template arguments of an operation's
  C++ class, and so stand in the symbol table of jaxlib's library. `mlir-tblgen` writes the
  same list from ODS.
- *Constraints of operands and results*: the registered verifier names them in its error for
  a value of another type.

What cannot be seen, neither in the symbol table nor through the bindings: constraints that
the verifier words alike, the methods that an operation has of an interface, and everything that
is C++ only, the bodies of verifiers, folders and canonicalization patterns. Constraints of attributes
are seen only where the C++ classes of attributes differ (`test_registered_operations.py`).
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import mmap
import re
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sdykit.mlir import ir, make_context
from support import ROOT
from support.dialects.subjects import DIALECTS, OPERATIONS, sample

WIDER_IN_ODS = {
    ("mpmd.named_computation", "variadic of ranked tensor of any type values or token"): (
        "variadic of ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer"
        " or complex type with 32/64-bit float elements or per-tensor integer quantized values or"
        " token"
    )
}
"""Constraints that ODS words in another way than the registered verifier, and how that does.

The element types are StableHLO's. Its `.td` files, which define them, are not here; the description of
the operation names them.
"""

_names = pytest.mark.parametrize("name", OPERATIONS)


@pytest.fixture(scope="module")
def tools() -> Iterator[Any]:
    """LLVM's TableGen tools."""
    sys.path.insert(0, str(ROOT / "tools"))
    llvm = importlib.import_module("dialect_gen.llvm")
    sys.path.remove(str(ROOT / "tools"))
    try:
        yield llvm.Tools.find()
    except llvm.ToolError as error:
        pytest.skip(str(error).partition("\n")[0])


def ops_file(dialect: str) -> Path:
    return ROOT / "dialects" / dialect / "ops.td"


# --- traits and interfaces ----------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
def test_traits_and_interfaces_are_the_registered_ones(dialect: str, tools: Any) -> None:
    in_ods = traits_in_ods(tools, ops_file(dialect))
    assert len(in_ods) == len(DIALECTS[dialect].samples)
    assert in_ods == registered_traits(dialect)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("sdy.return", "ReturnLike, ", ""),
        ("sdy.mesh", 'HasParent<"::mlir::ModuleOp">, ', ""),
        ("sdy.reshard", "Pure, ", ""),
        ("mpmd.assign", ', "ForOp"', ""),
        ("mpmd.fragment", "IsolatedFromAbove, ", ""),
    ],
)
def test_a_trait_dropped_from_ods_is_noticed(
    name: str, old: str, new: str, tools: Any, tmp_path: Path
) -> None:
    source = edited_copy(tmp_path, name, old, new)
    dialect = source.parent.name
    assert traits_in_ods(tools, source) != registered_traits(dialect)


def edited_copy(directory: Path, name: str, old: str, new: str) -> Path:
    """Copy the dialects, with a text in the definition of an operation replaced.

    Returns:
        The file of the operation's dialect that TableGen takes.
    """
    shutil.copytree(ROOT / "dialects", directory, dirs_exist_ok=True)
    dialect = name.partition(".")[0]
    statement = f"def {dialect.capitalize()}_{class_name(name)} "
    for path in (directory / dialect).glob("*_ops.td"):
        before, definition, after = path.read_text(encoding="utf-8").partition(statement)
        if definition:
            assert old in after.partition("\ndef ")[0]
            path.write_text(before + definition + after.replace(old, new, 1), encoding="utf-8")
    return directory / dialect / "ops.td"


def traits_in_ods(tools: Any, source: Path) -> dict[str, set[str]]:
    """Return the traits of each class that `mlir-tblgen` declares."""
    declarations = tools.generate(source, "-gen-op-decls")
    classes = re.finditer(r"^class \w+ : public (::mlir::Op<.*>) \{$", declarations, re.MULTILINE)
    return dict(class_and_traits(each[1]) for each in classes)


@cache
def registered_traits(dialect: str) -> dict[str, set[str]]:
    """Return the traits of each class of a dialect in the symbol table of jaxlib's library.

    A symbol is searched that every operation has: `mlir::Op<Class, Trait...>::verifyInvariants`.
    """
    pattern = rf"_ZN4mlir2OpINS_{len(dialect)}{dialect}\w+16verifyInvariantsE\w+".encode()
    with library().open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
        symbols = {match[0] for match in re.finditer(pattern, data)}
    return dict(class_and_traits(demangled(symbol)) for symbol in symbols)


def library() -> Path:
    """Return the path of the library that holds MLIR."""
    spec = importlib.util.find_spec("jaxlib")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "libjax_common.so"


@cache
def demangler() -> Any:
    function = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    function.restype = ctypes.c_void_p
    return function


def demangled(symbol: bytes) -> str:
    """Return the C++ name of a symbol."""
    text = demangler()(symbol, None, None, None)
    assert text, symbol
    return ctypes.string_at(text).decode()


def class_and_traits(text: str) -> tuple[str, set[str]]:
    """Return the name and the traits in `mlir::Op<Class, Trait...>`, without namespaces."""
    inner = text[text.index("<") + 1 : text.rindex(">")]
    short = re.sub(r"::(?:Impl|Trait)\b", "", inner)
    short = re.sub(r"(?:\w*::)+(?=\w)", "", short)
    # At commas that are not within the arguments of a trait.
    name, *traits = re.split(r", (?![^<]*>)", short)
    return name, set(traits)


# --- operands and results -----------------------------------------------------


@_names
def test_type_constraints_are_the_registered_ones(name: str, tools: Any) -> None:
    in_ods = constraints_in_ods(tools, ops_file(name.partition(".")[0]), name)
    expected = {place: WIDER_IN_ODS.get((name, each), each) for place, each in in_ods.items()}
    assert {place: registered_constraint(name, *place) for place in in_ods} == expected


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("sdy.reshard", "AnyType:$input", "AnyTensor:$input"),
        ("sdy.return", "Variadic<AnyType>", "Variadic<AnyTensor>"),
        ("sdy.sharding_group", "AnyRankedTensor", "AnyStaticShapeTensor"),
        ("mpmd.broadcast", "AnyTensor:$tensor", "AnyRankedTensor:$tensor"),
        ("mpmd.fragment", "Mpmd_MeshTensorOrToken", "Mpmd_AnyMeshTensor"),
    ],
)
def test_an_operand_narrowed_in_ods_is_noticed(
    name: str, old: str, new: str, tools: Any, tmp_path: Path
) -> None:
    narrowed = constraints_in_ods(tools, edited_copy(tmp_path, name, old, new), name)
    assert narrowed["operand", 0] != registered_constraint(name, "operand", 0)


Place = tuple[str, int]
"""`operand` or `result`, and its number."""


def constraints_in_ods(tools: Any, source: Path, name: str) -> dict[Place, str]:
    """Return the constraints of the operands and results of an operation, in words."""
    dialect, _, mnemonic = name.partition(".")
    records = records_of(tools, source)
    (op,) = [
        records[each]
        for each in records["!instanceof"]["Op"]
        if records[each]["opName"] == mnemonic
        and records[records[each]["opDialect"]["def"]]["name"] == dialect
    ]
    found: dict[Place, str] = {}
    for kind, values in (("operand", op["arguments"]), ("result", op["results"])):
        constraints = [records[value["def"]] for value, _name in values["args"]]
        types = [each for each in constraints if "TypeConstraint" in each["!superclasses"]]
        found |= {(kind, index): each["summary"] for index, each in enumerate(types)}
    return found


@cache
def records_of(tools: Any, source: Path) -> Any:
    return tools.records(source)


def registered_constraint(name: str, kind: str, index: int) -> str:
    """Return the constraint of an operand or result as the registered verifier words it.

    In a valid operation the value gets the type `none`, which no other constraint accepts
    than that of any type. The verifier checks constraints before all other rules that
    this breaks.
    """
    context = make_context(allow_unregistered_dialects=True)
    module, op = sample(name, context)
    variadic = "variadic of " if is_variadic(name, kind) else ""
    with context, ir.Location.unknown(), ir.InsertionPoint(op):
        none = ir.NoneType.get()
        if kind == "operand":
            op.operands[index] = ir.Operation.create("test.value", results=[none]).results[0]
        else:
            op.results[index].set_type(none)
    try:
        module.operation.verify()
    except ir.MLIRError as error:
        for diagnostic in error.error_diagnostics:
            pattern = rf"{kind} #{index} must be (.*), but got 'none'"
            if match := re.search(pattern, diagnostic.message):
                # As the MLIR of LLVM 22 words it, which ODS is read with; jaxlib's is newer.
                return match[1].replace("any non-token type", "any type")
    return f"{variadic}any type"


def is_variadic(name: str, kind: str) -> bool:
    """Return whether the registered operation has any number of operands or of results."""
    traits = registered_traits(name.partition(".")[0])[class_name(name)]
    return f"Variadic{kind.capitalize()}s" in traits


def class_name(name: str) -> str:
    """Return the name of the C++ class of an operation."""
    words = name.partition(".")[2].split("_")
    return "".join(word.capitalize() for word in words) + "Op"
