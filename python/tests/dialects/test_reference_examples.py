"""The examples in the descriptions of the dialects are valid."""

from __future__ import annotations

import re

import pytest

from sdykit.dialects.base import View
from sdykit.mlir import ir
from support.dialects.strategies import parse_with_mlir, view_of
from support.dialects.subjects import DIALECTS, MPMD, OPERATIONS, SDY, Dialect, dialect_of

AXES = "abcdef"
KINDS = {kind.NAME: kind for dialect in DIALECTS.values() for kind in dialect.views}

MPMD_CALLEES = """
func.func private @step(%arg: tensor<4x8xf32>) -> tensor<4x8xf32> {
  return %arg : tensor<4x8xf32>
}
func.func @layer_1(%arg: tensor<4x8xf32>) -> tensor<4x8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  return %arg : tensor<4x8xf32>
}"""


def section_of(kind: type[View]) -> str:
    """Return what the reference says about an attribute or type."""
    dialect, _, name = kind.NAME[1:].partition(".")
    return DIALECTS[dialect].sections(kind.NAME[0])[name]


def code_blocks(section: str) -> list[str]:
    return re.findall(r"^```mlir\n(.*?)^```", section, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(("dialect", "operations"), [(SDY, 19), (MPMD, 12)], ids=["sdy", "mpmd"])
def test_all_are_described(dialect: Dialect, operations: int) -> None:
    described = {f"{sign}{dialect.name}.{name}" for sign in "#!" for name in dialect.sections(sign)}
    assert described == {kind.NAME for kind in dialect.views}
    assert len(dialect.sections("")) == operations


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.NAME)
def test_examples_of_attributes_are_read_as_mlir_reads_them(
    kind: type[View], context: ir.Context
) -> None:
    section = section_of(kind)
    dialect, _, name = kind.NAME.partition(".")
    joined = re.sub(r"\n +", " ", "".join(code_blocks(section)))
    examples = [line for line in joined.splitlines() if line.startswith(dialect)]
    bodies = re.findall(r"[Ww]ritten\s+`([^`]+)`", section)
    examples += [f"{dialect}<{name} {body}>" for body in bodies]
    if name == "sub_axis_info":
        examples.remove("#sdy<sub_axis_info (pre_size)size>")
        examples.append("#sdy<sub_axis_info (2)2>")
    if name == "dimension_sharding":
        plain = re.findall(r"^```\n(\{.*?)^```", section, re.DOTALL | re.MULTILINE)[0]
        examples = [f"#sdy<{name} {line.split('  ')[0]}>" for line in plain.splitlines()]
    assert examples
    for example in examples:
        element = parse_with_mlir(kind, example, context)
        assert view_of(kind, element) == kind.parse(example)


def sdy_module(example: str) -> str:
    """Return a module around an example: meshes, and arguments for what it only uses."""
    meshes = re.findall(r"sdy\.mesh @.*?>(?=,|$)", example, re.MULTILINE)
    if not meshes:
        axes = ", ".join(f'"{axis}"=2' for axis in (*AXES, "x", "y"))
        meshes = [f"sdy.mesh @mesh = <[{axes}]>"]
    sharding = re.search(r"%0 : (\[.*)$", example, re.MULTILINE)
    attribute = f" {{sdy.sharding = #sdy.sharding<@mesh, {sharding[1]}>}}" if sharding else ""
    code = "\n".join(line for line in example.splitlines() if not line.startswith("//"))
    if code.startswith("sdy.mesh"):
        return code
    body = code.rpartition("} : ")[2] if "{\n" in code else code
    tensor = re.findall(r"tensor<[^>]*>", body)[0]
    arguments = ", ".join(f"{name}: {tensor}{attribute}" for name in used_values(code))
    return "\n".join([*meshes, f"func.func @main({arguments}) {{", code, "return", "}"])


def used_values(code: str) -> list[str]:
    """Return the names of the values that a piece of code uses and does not define."""
    defined = set(re.findall(r"(%\w+)(?= =|: tensor)", code))
    return [name for name in dict.fromkeys(re.findall(r"%\w+", code)) if name not in defined]


def mpmd_module(example: str) -> str:
    """Return a module around an example: callees, and arguments for what it only uses."""
    signature = re.split(r"\s: ", example)[-1]
    operand = re.match(r"\(?(tensor<.*?>|!mpmd.*?>>)(?=\)|,|$)", signature)
    assert operand is not None
    arguments = ", ".join(f"{name}: {operand[1]}" for name in used_values(example))
    return f"""{MPMD_CALLEES}
      func.func @main({arguments})
          attributes {{topology = #mpmd.topology<<"m1" : <["x"=2]>>, <"m2" : <["x"=2]>>>}} {{
        {example}
        return
      }}"""


@pytest.mark.parametrize("name", OPERATIONS)
def test_examples_of_operations_parse(name: str, context: ir.Context) -> None:
    dialect = dialect_of(name)
    (example,) = code_blocks(dialect.sections("")[name.partition(".")[2]])
    if name.endswith(".return"):
        pytest.skip("it stands inside of another operation, whose example has it")
    text = sdy_module(example) if dialect is SDY else mpmd_module(example)
    assert name in str(ir.Module.parse(text, context))
