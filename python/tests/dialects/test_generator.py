"""The generator in `tools/`: formats, a dialect with types, stale files, missing tools."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "tools/generate_dialects.py"

TOY_ATTRS = """
#ifndef TOY_ATTRS
#define TOY_ATTRS
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypes.td"
include "mlir/IR/EnumAttr.td"
include "sdy/attrs.td"

def Toy_Dialect : Dialect {
  let name = "toy";
  let cppNamespace = "::mlir::toy";
  let summary = "A dialect with all that the generator supports.";
}
def Toy_Color : I32EnumAttr<"Color", "colors", [
    I32EnumAttrCase<"RED", 0, "red">, I32EnumAttrCase<"BLUE", 1, "blue">]> {
  let cppNamespace = "::mlir::toy";
}
class Toy_Attr<string name, string attrMnemonic> : AttrDef<Toy_Dialect, name> {
  let mnemonic = attrMnemonic;
  let summary = "Of the toy dialect.";
}
def Toy_Paint : Toy_Attr<"Paint", "paint"> {
  let parameters = (ins EnumParameter<Toy_Color>:$color, "bool":$dry,
                        DefaultValuedParameter<"int64_t", "7">:$layers);
  let assemblyFormat = "`<` $color `,` $dry (`,` $layers^)? `>`";
}
def Toy_Struct : Toy_Attr<"Struct", "struct"> {
  let parameters = (ins "int64_t":$size, "::mlir::FlatSymbolRefAttr":$owner,
                        OptionalParameter<"PaintAttr">:$paint);
  let assemblyFormat = "`<` struct(params) `>`";
}
def Toy_Params : Toy_Attr<"Params", "params"> {
  let parameters = (ins StringRefParameter<"A name.">:$name, "::mlir::sdy::MeshAttr":$mesh);
  let assemblyFormat = "`<` params `>`";
}
def Toy_Choice : Toy_Attr<"Choice", "choice"> {
  let parameters = (ins OptionalParameter<"PaintAttr">:$paint,
                        OptionalParameter<"::mlir::StringAttr">:$name);
  let assemblyFormat = "`<` (`paint` $paint^) : (`plain` (`as` $name^)?)? `>`";
}
def Toy_Box : TypeDef<Toy_Dialect, "Box"> {
  let mnemonic = "box";
  let summary = "A box.";
  let parameters = (ins StringRefParameter<>:$mesh, "::mlir::RankedTensorType":$content,
                        OptionalArrayRefParameter<"PaintAttr">:$paints,
                        OptionalParameter<"::mlir::sdy::TensorShardingAttr">:$sharding);
  let assemblyFormat = [{
    `<` $mesh (`paints` `=` `[` $paints^ `]`)? `,` $content
    (`,` `sharding` `` `=` `` $sharding^)? `>`
  }];
}
#endif
"""
TOY_OPS = """
#ifndef TOY_OPS
#define TOY_OPS
include "mlir/IR/OpBase.td"
include "toy/attrs.td"

def Toy_BoxOp : Op<Toy_Dialect, "box", []> {
  let summary = "Makes a box.";
  let arguments = (ins Toy_Paint:$paint);
  let results = (outs Toy_Box:$box);
}
#endif
"""


@pytest.fixture(scope="module")
def tools() -> Iterator[None]:
    sys.path.insert(0, str(ROOT / "tools"))
    yield
    sys.path.remove(str(ROOT / "tools"))


@pytest.fixture(scope="module")
def needs_llvm(tools: None) -> None:
    llvm = importlib.import_module("dialect_gen.llvm")
    try:
        llvm.Tools.find()
    except llvm.ToolError as error:
        pytest.skip(str(error).partition("\n")[0])


def run(*arguments: str, llvm_bin: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **({"LLVM_BIN": llvm_bin} if llvm_bin else {})}
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.fixture(scope="module")
def toy_tree(needs_llvm: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout that holds our dialects and the toy dialect."""
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "dialects", root / "dialects")
    package = root / "python/sdykit/dialects"
    package.mkdir(parents=True)
    for dialect in ("sdy", "mpmd"):
        shutil.copytree(ROOT / "python/sdykit/dialects" / dialect, package / dialect)
    (root / "dialects/toy").mkdir()
    (root / "dialects/toy/attrs.td").write_text(TOY_ATTRS, encoding="utf-8")
    (root / "dialects/toy/ops.td").write_text(TOY_OPS, encoding="utf-8")
    result = run(f"--root={root}")
    assert result.returncode == 0, result.stderr
    return root


@pytest.fixture(scope="module")
def toy(toy_tree: Path) -> ModuleType:
    """The module generated from the attributes and types of the toy dialect."""
    package = importlib.import_module("sdykit.dialects")
    directory = str(toy_tree / "python/sdykit/dialects")
    package.__path__.append(directory)
    try:
        return importlib.import_module("sdykit.dialects.toy.attrs_gen")
    finally:
        package.__path__.remove(directory)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("PaintAttr", "#toy.paint<red, true>"),
        ("PaintAttr", "#toy.paint<blue, false, 8>"),
        ("StructAttr", "#toy.struct<size = 3, owner = @x>"),
        ("StructAttr", "#toy.struct<size = 3, owner = @x, paint = <red, true>>"),
        ("ParamsAttr", '#toy.params<"a", <["x"=2]>>'),
        ("ChoiceAttr", "#toy.choice<paint <red, true>>"),
        ("ChoiceAttr", "#toy.choice<plain>"),
        ("ChoiceAttr", '#toy.choice<plain as "a">'),
        ("BoxType", '!toy.box<"m", tensor<4x8xf32, #x.y<a, [b, c]>>>'),
        (
            "BoxType",
            '!toy.box<"m" paints = [<red, true>, <blue, false>], tensor<?x8xf32>, '
            'sharding=<@mesh, [{"x"}]>>',
        ),
    ],
)
def test_generated_views_round_trip_texts(kind: str, text: str, toy: ModuleType) -> None:
    view = getattr(toy, kind).parse(text)
    assert str(view) == text
    assert getattr(toy, kind).parse(view.unambiguous_text()) == view


def test_generated_views_have_typed_fields(toy: ModuleType) -> None:
    paint = toy.PaintAttr.parse("#toy.paint<blue, false>")
    assert (str(paint.color), paint.dry, paint.layers) == ("blue", False, 7)
    struct = toy.StructAttr.parse("#toy.struct<owner = @x, size = 3>")
    assert (struct.size, struct.owner, struct.paint) == (3, "x", None)
    choice = toy.ChoiceAttr.parse('#toy.choice<plain as "a">')
    assert (choice.paint, choice.name) == (None, "a")
    box = toy.BoxType.parse('!toy.box<"m", tensor<4x8xf32>, sharding=<@mesh, [{"x"}]>>')
    assert box.content == "tensor<4x8xf32>"
    assert box.paints == ()
    assert str(box.sharding) == '#sdy.sharding<@mesh, [{"x"}]>'
    assert type(box).__mro__[1].__name__ == "TypeView"


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("PaintAttr", "#toy.paint<green, true>", "expected `red` or `blue`, found `green`"),
        ("PaintAttr", "#toy.paint<red, 1>", "expected `true` or `false`, found `1`"),
        ("StructAttr", "#toy.struct<size = 3>", "expected `,`, found `>`"),
        ("StructAttr", "#toy.struct<size = 3, size = 3>", "expected `owner` or `paint`"),
        ("BoxType", '!toy.box<"m", >', "expected an attribute or type, found `>`"),
    ],
)
def test_generated_parsers_report_errors(
    kind: str, text: str, message: str, toy: ModuleType
) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(toy, kind).parse(text)


def test_ops_enums_and_reference_are_generated(toy_tree: Path) -> None:
    package = toy_tree / "python/sdykit/dialects"
    assert "class BoxOp(" in (package / "toy/ops_gen.py").read_text(encoding="utf-8")
    enums = (package / "toy/enums_gen.py").read_text(encoding="utf-8")
    assert "from sdykit.dialects.ods_common import register_attribute_builder" in enums
    reference = (toy_tree / "docs/reference/toy_dialect.md").read_text(encoding="utf-8")
    assert "### `!toy.box` (toy::BoxType)" in reference
    assert "| `content` | `str` |" in reference


@pytest.mark.parametrize("dialect", ["sdy", "mpmd"])
def test_generated_files_do_not_depend_on_the_place(dialect: str, toy_tree: Path) -> None:
    package = Path("python/sdykit/dialects") / dialect
    paths = list((toy_tree / package).glob("*_gen.py"))
    assert {"ops_gen.py", "enums_gen.py"} < {path.name for path in paths}
    for path in paths:
        committed = ROOT / package / path.name
        assert path.read_text(encoding="utf-8") == committed.read_text(encoding="utf-8")
        assert str(toy_tree) not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("dialect", ["sdy", "mpmd"])
@pytest.mark.parametrize("suffix", ["decls", "defs"])
def test_backends_for_cpp_accept_a_dialect(dialect: str, suffix: str, needs_llvm: None) -> None:
    tools = importlib.import_module("dialect_gen.llvm").Tools.find()
    source = ROOT / "dialects" / dialect / "ops.td"
    assert f"{dialect}::ReturnOp" in tools.generate(source, f"-gen-op-{suffix}")
    enum = {"sdy": "PropagationDirection", "mpmd": "ReductionType"}[dialect]
    assert f"symbolize{enum}" in tools.generate(source, f"-gen-enum-{suffix}")
    attributes = tools.generate(source, f"-gen-attrdef-{suffix}", f"-attrdefs-dialect={dialect}")
    assert "Attr" in attributes
    types = tools.generate(source, f"-gen-typedef-{suffix}", f"-typedefs-dialect={dialect}")
    assert ("MeshTensorType" in types) == (dialect == "mpmd")


def test_committed_files_are_up_to_date(needs_llvm: None) -> None:
    result = run("--check")
    assert result.returncode == 0, result.stderr


def test_check_names_stale_files(toy_tree: Path) -> None:
    assert run("--check", f"--root={toy_tree}").returncode == 0
    path = toy_tree / "python/sdykit/dialects/toy/attrs_gen.py"
    generated = path.read_text(encoding="utf-8")
    path.write_text(generated.replace('expect("<")', 'expect("(")', 1), encoding="utf-8")
    result = run("--check", f"--root={toy_tree}")
    assert result.returncode == 1
    assert "--- python/sdykit/dialects/toy/attrs_gen.py" in result.stderr
    assert '-        parser.expect("(")\n+        parser.expect("<")' in result.stderr
    assert "1 generated file(s) differ" in result.stderr
    assert "make generate" in result.stderr
    assert run(f"--root={toy_tree}").stdout == "wrote python/sdykit/dialects/toy/attrs_gen.py\n"
    assert path.read_text(encoding="utf-8") == generated


@contextmanager
def edited(path: Path, old: str, new: str) -> Iterator[None]:
    """Replace a text in a file for as long as the block runs."""
    before = path.read_text(encoding="utf-8")
    assert old in before
    path.write_text(before.replace(old, new), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(before, encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "attrs.td",
            "`<` struct(params)",
            "`<` $x",
            "Toy_Struct: the format names ['x'], which is no parameter",
        ),
        (
            "attrs.td",
            "`<` $color `,` $dry",
            "`<` $color",
            "Toy_Paint: the format lacks the parameter ['dry']",
        ),
        ("attrs.td", '"bool":$dry', '"float":$dry', "Toy_Paint: C++ type float is not supported"),
        ("attrs.td", "def Toy_Box ", "def ", "Variable not defined: 'Toy_Box'"),
        (
            "ops.td",
            "def Toy_BoxOp",
            'def Toy_Stray : Toy_Attr<"Stray", "stray">;\ndef Toy_BoxOp',
            "Toy_Stray: it is in ops.td, and mlir-tblgen's output goes to ops_gen.py; move it",
        ),
    ],
)
def test_errors_in_a_td_file_are_reported(
    file: str, old: str, new: str, message: str, toy_tree: Path
) -> None:
    with edited(toy_tree / "dialects/toy" / file, old, new):
        result = run(f"--root={toy_tree}")
    assert result.returncode == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_missing_tools_are_reported(tmp_path: Path) -> None:
    result = run("--check", llvm_bin=str(tmp_path))
    assert result.returncode == 1
    assert "cannot find llvm-tblgen of LLVM 22" in result.stderr
    assert "Traceback" not in result.stderr
    result = run("--check", "--if-llvm", llvm_bin=str(tmp_path))
    assert result.returncode == 0
    assert "cannot find llvm-tblgen of LLVM 22" in result.stderr


def test_tools_of_another_version_are_refused(tmp_path: Path) -> None:
    for tool in ("llvm-tblgen", "mlir-tblgen"):
        path = tmp_path / tool
        path.write_text("#!/bin/sh\necho 'LLVM version 19.1.7'\n", encoding="utf-8")
        path.chmod(0o755)
    result = run("--check", llvm_bin=str(tmp_path))
    assert result.returncode == 1
    assert "is LLVM version 19; LLVM 22 is needed" in result.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("`<` $a^ `>`", "anchor outside"),
        ("(`a`)?", "without anchor"),
        ("(`a` $x^ $y^)?", "two anchors"),
        ("type($x)", "unsupported directive 'type'"),
        ("`<` $a)", "expected ''"),
        ("(`a` $x^", r"expected '\)'"),
        ("`a", "cannot read"),
    ],
)
def test_wrong_assembly_formats_are_refused(text: str, message: str, tools: None) -> None:
    module = importlib.import_module("dialect_gen.assembly_format")
    with pytest.raises(module.FormatError, match=message):
        module.parse_format(text)
