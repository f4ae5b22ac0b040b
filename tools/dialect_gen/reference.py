"""Writing `docs/reference/<dialect>_dialect.md`.

Operations and enums are described by `mlir-tblgen -gen-dialect-doc`; attributes and types
here, since `mlir-tblgen` shows their C++ parameters in place of their syntax.
"""

from __future__ import annotations

import re
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


FieldTable = dict[str, list[tuple[str, str, str]]]
"""Class name -> name, Python type and description of each field."""


def _section(title: str, found: list[Definition], fields: FieldTable) -> list[str]:
    if not found:
        return []
    return [f"## {title}", *[_definition(d, fields[d.class_name]) for d in found]]


def _definition(definition: Definition, fields: list[tuple[str, str, str]]) -> str:
    syntax = " ".join(definition.assembly_format.split())
    rows = "\n".join(f"| `{name}` | `{kind}` | {summary} |" for name, kind, summary in fields)
    name = definition.full_name
    return f"""\
### `{name}` ({definition.dialect}::{definition.class_name})

_{definition.summary}_

Syntax:

```
{"type" if definition.is_type else "attribute"} ::= `{name}` {syntax}
```

{definition.description}

#### Fields:

| Field | Python type | Description |
| :---: | ----------- | ----------- |
{rows}"""
