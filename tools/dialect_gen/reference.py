"""Writes `docs/reference/<dialect>_dialect.md`.

Operations and enums are described by `mlir-tblgen -gen-dialect-doc`; attributes and types
here, since `mlir-tblgen` shows their C++ parameters in place of their syntax.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from dialect_gen.llvm import Tools
from dialect_gen.records import Definition, Records, definitions


def write_reference(tools: Tools, source: Path, records: Records, fields: FieldTable) -> str:
    """Return the reference of a dialect, as Markdown.

    `fields` has, for each attribute and type, the names and Python types of its fields.
    """
    dialect = source.parent.name
    text = tools.generate(source, "-gen-dialect-doc", f"-dialect={dialect}")
    text = text.replace("[TOC]\n\n", "").replace("} ]", "}]")
    text = re.sub(
        r"^## (Attributes|Types)\n.*?(?=^## |\Z)", "", text, flags=re.DOTALL | re.MULTILINE
    )
    head, enums_title, enums = text.partition("## Enums\n")
    header, _, body = head.partition("\n")
    del header  # mlir-tblgen's "don't edit"
    own = [definition for definition in definitions(records) if definition.dialect == dialect]
    parts = [
        f"<!-- Generated from dialects/{dialect}/*.td by tools/generate_dialects.py; "
        "do not edit. -->",
        body.strip(),
        *_section("Attributes", [d for d in own if not d.is_type], fields),
        *_section("Types", [d for d in own if d.is_type], fields),
        (enums_title + enums).strip(),
    ]
    text = "\n\n".join(part for part in parts if part)
    return re.sub(r"\n{3,}", "\n\n", text) + "\n"


_NOTATION = """\
The syntax shows what follows the name. Inside another attribute or an operation, only this is
printed. In full, text that begins with `<` directly follows the name, `#sdy.mesh<["x"=2]>`; other
text is printed with the name inside `<>`, `#sdy<axis_ref"x">`."""

FieldTable = dict[str, list[tuple[str, str, str]]]
"""Class name -> name, Python type and description of each field."""


def _section(title: str, found: list[Definition], fields: FieldTable) -> list[str]:
    if not found:
        return []
    return [f"## {title}", _NOTATION, *[_definition(d, fields[d.class_name]) for d in found]]


def _definition(definition: Definition, fields: list[tuple[str, str, str]]) -> str:
    name = definition.full_name
    syntax = textwrap.fill(
        f"{'type' if definition.is_type else 'attribute'} ::= `{name}` "
        + " ".join(definition.assembly_format.split()),
        width=96,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    rows = "\n".join(
        f"| `{field}` | `{kind.replace(' | ', '` or `')}` | {summary} |"
        for field, kind, summary in fields
    )
    return f"""\
### `{name}` ({definition.dialect}::{definition.class_name})

_{definition.summary}_

Syntax:

```
{syntax}
```

{definition.description}

#### Fields:

| Field | Python type | Description |
| :---: | ----------- | ----------- |
{rows}"""
