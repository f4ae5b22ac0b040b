"""The examples in the descriptions of the dialect are valid."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sdykit.dialects import _sdy_attrs_gen, sdy
from sdykit.dialects._views_base import AttributeView
from sdykit.mlir import ir

REFERENCE = Path(__file__).parents[3] / "docs/reference/sdy_dialect.md"
AXES = "abcdef"


def sections(prefix: str) -> dict[str, str]:
    """Return the sections of the reference whose title is a name with this prefix."""
    text = REFERENCE.read_text(encoding="utf-8")
    pattern = rf"^### `{prefix}(\w+)` .*?\n(.*?)(?=^###? |\Z)"
    return {m[1]: m[2] for m in re.finditer(pattern, text, re.DOTALL | re.MULTILINE)}


OPERATIONS = sections(r"sdy\.")
ATTRIBUTES = sections(r"#sdy\.")


def code_blocks(section: str) -> list[str]:
    return re.findall(r"^```mlir\n(.*?)^```", section, re.DOTALL | re.MULTILINE)


def test_all_are_described() -> None:
    kinds = [getattr(_sdy_attrs_gen, name) for name in _sdy_attrs_gen.__all__]
    assert {f"#sdy.{name}" for name in ATTRIBUTES} == {kind.NAME for kind in kinds}
    assert len(OPERATIONS) == 19


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attribute_examples(name: str, context: ir.Context) -> None:
    section = ATTRIBUTES[name]
    kind: type[AttributeView] = next(
        view for view in vars(sdy).values() if getattr(view, "NAME", "") == "#sdy." + name
    )
    joined = re.sub(r"\n +", " ", "".join(code_blocks(section)))
    examples = [line for line in joined.splitlines() if line.startswith("#sdy")]
    examples += [f"#sdy<{name} {body}>" for body in re.findall(r"[Ww]ritten\s+`([^`]+)`", section)]
    if name == "sub_axis_info":
        examples.remove("#sdy<sub_axis_info (pre_size)size>")
        examples.append("#sdy<sub_axis_info (2)2>")
    if name == "dimension_sharding":
        plain = re.findall(r"^```\n(\{.*?)^```", section, re.DOTALL | re.MULTILINE)[0]
        examples = [f"#sdy<{name} {line.split('  ')[0]}>" for line in plain.splitlines()]
    assert examples
    for example in examples:
        assert kind.of(ir.Attribute.parse(example, context)) == kind.parse(example)


def module_of(example: str) -> str:
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
    defined = set(re.findall(r"(%\w+)(?= =|: tensor)", code))
    used = [name for name in dict.fromkeys(re.findall(r"%\w+", code)) if name not in defined]
    arguments = ", ".join(f"{name}: {tensor}{attribute}" for name in used)
    return "\n".join([*meshes, f"func.func @main({arguments}) {{", code, "return", "}"])


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_examples(name: str, context: ir.Context) -> None:
    (example,) = code_blocks(OPERATIONS[name])
    if name == "return":
        pytest.skip("it stands inside of another operation, whose example has it")
    module = ir.Module.parse(module_of(example), context)
    assert f"sdy.{name}" in str(module)
