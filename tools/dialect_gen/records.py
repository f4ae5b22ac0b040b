"""Reads the attributes and types of a dialect from the records of TableGen."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Records = Mapping[str, Any]


@dataclass(frozen=True)
class Parameter:
    """A parameter of an attribute or type."""

    name: str
    cpp_type: str
    summary: str
    default: str
    """C++ text of the default value; empty if the parameter is required."""


@dataclass(frozen=True)
class Definition:
    """An attribute or a type."""

    record: str
    """Name of the TableGen record, `Sdy_Mesh`."""
    class_name: str
    module: str
    """Name of the Python module of its view: `mesh_attrs_gen`, after the file `mesh_attrs.td`."""
    mnemonic: str
    dialect: str
    is_type: bool
    summary: str
    description: str
    parameters: tuple[Parameter, ...]
    assembly_format: str

    @property
    def full_name(self) -> str:
        """Name as in a text, `#sdy.mesh` or `!mpmd.mesh_tensor`."""
        return f"{'!' if self.is_type else '#'}{self.dialect}.{self.mnemonic}"


def definitions(records: Records) -> tuple[Definition, ...]:
    """Return the attributes and types of our dialects, in the order of the source.

    Those that MLIR's own files define are left out.
    """
    kinds = records["!instanceof"]
    names = [
        name
        for name in (*kinds["AttrDef"], *kinds["TypeDef"])
        if records[name]["mnemonic"] and not Path(_position(records, name)[0]).is_absolute()
    ]
    found = [_definition(records, name) for name in names]
    return tuple(sorted(found, key=lambda definition: _position(records, definition.record)))


def enum_classes(records: Records) -> dict[str, str]:
    """Return the enums that parameters can hold: C++ type -> name of the Python class."""
    enums = [records[name] for name in records["!instanceof"].get("EnumInfo", ())]
    return {f"{enum['cppNamespace']}::{enum['className']}": enum["className"] for enum in enums}


def enum_dialect(records: Records, class_name: str) -> str:
    """Return the dialect whose C++ namespace an enum is in."""
    namespaces = {
        records[name]["cppNamespace"].removeprefix("::"): records[name]["name"]
        for name in records["!instanceof"]["Dialect"]
    }
    for name in records["!instanceof"]["EnumInfo"]:
        if records[name]["className"] == class_name:
            return namespaces[records[name]["cppNamespace"].removeprefix("::")]
    raise KeyError(class_name)


def prose(text: str | None) -> str:
    """Return a description without indentation.

    TableGen ends a text at `}]`, so the sources have `} ]` in its place.
    """
    return textwrap.dedent((text or "").strip("\n")).replace("} ]", "}]").strip()


def _definition(records: Records, name: str) -> Definition:
    record = records[name]
    return Definition(
        record=name,
        class_name=record["cppClassName"],
        module=f"{Path(_position(records, name)[0]).stem}_gen",
        mnemonic=record["mnemonic"],
        dialect=records[record["dialect"]["def"]]["name"],
        is_type="TypeDef" in record["!superclasses"],
        summary=(record["summary"] or "").strip(),
        description=prose(record["description"]),
        parameters=tuple(_parameter(records, arg) for arg in record["parameters"]["args"]),
        assembly_format=record["assemblyFormat"] or "",
    )


def _parameter(records: Records, argument: list[Any]) -> Parameter:
    value, name = argument
    if isinstance(value, str):  # "int64_t":$size
        return Parameter(name, value, "", "")
    record = records[value["def"]]
    return Parameter(name, record["cppType"], record["summary"] or "", record["defaultValue"] or "")


def _position(records: Records, name: str) -> tuple[str, int]:
    """Return the file and line of the statement that defines a record."""
    file, _, line = records[name]["!locs"][0].rpartition(":")
    return file, int(line)
