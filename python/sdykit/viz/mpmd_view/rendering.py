"""The picture of MPMD programs: a self-contained HTML page.

The page holds the programs as JSON and a script that draws them; it needs no network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, cast

from sdykit import __version__
from sdykit.core import Diagnostic, capture
from sdykit.core.parsing import parse_text
from sdykit.errors import PassFailure, SdykitError
from sdykit.mlir import ModuleOp, ir
from sdykit.viz.mpmd_view.model import Program, ValueType
from sdykit.viz.mpmd_view.reader import read_programs
from sdykit.viz.page import Page, page_template


def draw(module: ir.Module | str, title: str = "MPMD program") -> Page:
    """Return the picture of the MPMD programs in a module; a notebook shows it.

    Args:
        module: the module, or its text. All its functions that have a topology are in the
            picture.
        title: what is drawn, for the heading.

    Raises:
        SdykitError: the module is not valid or holds no MPMD program; the text says where.
    """
    if isinstance(module, str):
        module = parse_text(module)
    found: list[Diagnostic] = []
    with module.context, capture(module.context, found.append):
        try:
            programs = read_programs(cast(ModuleOp, module.operation.opview))
        except PassFailure:
            raise SdykitError("\n".join(map(str, found))) from None
    return mpmd_page(programs, title)


def mpmd_page(programs: Sequence[Program], title: str) -> Page:
    """Render programs as HTML.

    Args:
        programs: at least one; the page shows the first public one, and has a list to choose.
        title: what they are, for the heading.
    """
    template = page_template("sdykit.viz.mpmd_view")
    return Page(template.render(title=title, data=page_data(programs), version=__version__))


def page_data(programs: Sequence[Program]) -> dict[str, Any]:
    """Give the programs as the page's script reads them, ready for JSON.

    Fields that have their default are left out. Each type stands once in `types`, and its
    number stands for it.
    """
    types: dict[ValueType, int] = {}
    plain = [_plain(program, types) for program in programs]
    return {"programs": plain, "types": [_fields(each, types) for each in types]}


def _plain(value: object, types: dict[ValueType, int]) -> Any:
    if isinstance(value, ValueType):
        return types.setdefault(value, len(types))
    if isinstance(value, tuple):
        return [_plain(each, types) for each in value]
    return _fields(value, types) if is_dataclass(value) else value


def _fields(value: Any, types: dict[ValueType, int]) -> dict[str, Any]:
    pairs = ((field, getattr(value, field.name)) for field in fields(value))
    return {
        field.name: _plain(each, types)
        for field, each in pairs
        if field.default is MISSING or each != field.default
    }
