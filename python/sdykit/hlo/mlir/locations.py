"""Names and metadata of instructions as locations of MLIR, and back.

    %add.1 = ... add(...)                                        loc("add.1")
    %add.1 = ... add(...), metadata={op_name="f/add"}            loc(fused<"add.1">["f/add"])
    ... metadata={op_name="f/add" source_file="f.py" source_line=3}
                                                 loc(fused<"add.1">["f/add", "f.py":3:0])

Metadata that a location cannot hold is kept in an attribute as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sdykit.errors import FileLocation
from sdykit.hlo.attributes import quoted, unquoted
from sdykit.mlir import ir

_FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|[^\s"{}]+)', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NAME = re.compile(r"[\w.\-]+", re.ASCII)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True)
class Origin:
    """The name and the metadata of an instruction, as far as a location has them."""

    name: str | None = None
    metadata: str | None = None


def unescaped(value: str) -> str:
    """Return a string without its quotes and escapes."""
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), unquoted(value))


def fits(metadata: str | None) -> bool:
    """Whether a location can hold the metadata completely."""
    return metadata is None or _write(*_read(metadata)) == metadata


def location_of(name: str, metadata: str | None, context: ir.Context) -> ir.Location:
    """Return the location that holds a name and metadata."""
    named = ir.Location.name(name, context=context)
    if metadata is None:
        return named
    op_name, file, line = _read(metadata)
    found = list[ir.Location]()
    if op_name is not None:
        found.append(ir.Location.name(op_name, context=context))
    if file is not None:
        found.append(ir.Location.file(file, line or 0, 0, context=context))
    if not found:
        return named
    return ir.Location.fused(found, ir.StringAttr.get(name, context), context=context)


def origin_of(location: ir.Location) -> Origin:
    """Return the name and metadata in the location of an op, written by `to_mlir` or others."""
    if isinstance(location, ir.NameLoc):
        return _named(location)
    if isinstance(location, ir.CallSiteLoc):
        return origin_of(location.callee)
    if not isinstance(location, ir.FusedLoc):
        return Origin()
    names = [each.name_str for each in location.locations if isinstance(each, ir.NameLoc)]
    files = [each for each in location.locations if isinstance(each, ir.FileLineColLoc)]
    named = location.metadata.maybe_downcast() if location.metadata is not None else None
    name = named.value if isinstance(named, ir.StringAttr) else None
    file, line = (files[0].filename, files[0].start_line) if files else (None, None)
    if not names and file is None:
        return Origin(name)
    return Origin(name, _write(names[0] if names else None, file, line))


def place_of(location: ir.Location) -> FileLocation | None:
    """Return the first place in a file that a location has, for errors; None if it has none."""
    if isinstance(location, ir.FileLineColLoc):
        return FileLocation(location.filename, location.start_line, location.start_col)
    if isinstance(location, ir.NameLoc):
        return place_of(location.child_loc)
    if isinstance(location, ir.CallSiteLoc):
        return place_of(location.callee)
    if isinstance(location, ir.FusedLoc):
        inner = [each for each in location.locations if isinstance(each, ir.Location)]
        places = [place_of(each) for each in inner]
        return next((place for place in places if place is not None), None)
    return None


def _named(location: ir.NameLoc) -> Origin:
    name, child = location.name_str, location.child_loc
    while isinstance(child, ir.NameLoc):
        child = child.child_loc
    if isinstance(child, ir.CallSiteLoc):
        child = child.callee
    if isinstance(child, ir.FileLineColLoc):
        return Origin(None, _write(name, child.filename, child.start_line))
    if _NAME.fullmatch(name):
        return Origin(name)
    return Origin(None, _write(name, None, None))


def _read(metadata: str) -> tuple[str | None, str | None, int | None]:
    fields = dict(_FIELD.findall(metadata))
    name, file, line = [fields.get(key) for key in ("op_name", "source_file", "source_line")]
    return (
        unescaped(name) if name is not None else None,
        unescaped(file) if file is not None else None,
        int(line) if line is not None and line.isdecimal() else None,
    )


def _write(name: str | None, file: str | None, line: int | None) -> str:
    fields = [f"op_name={quoted(name)}"] if name is not None else []
    if file is not None:
        fields.append(f"source_file={quoted(file)}")
        fields += [f"source_line={line}"] if line else []
    return f"{{{' '.join(fields)}}}"
