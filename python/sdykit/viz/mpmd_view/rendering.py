"""Make the page: the programs as JSON, and the scripts that draw them."""

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
from sdykit.viz.mpmd_view.times import Span, with_times
from sdykit.viz.page import Page, page_template


def draw(
    module: ir.Module | str,
    title: str = "MPMD program",
    *,
    spans: Sequence[Span] = (),
    function: str = "main",
) -> Page:
    """Return the picture of the MPMD programs in a module as a page, which a notebook can show.

    Args:
        module: the module, or its text. The page has all its functions with a topology.
        title: the heading of the page.
        spans: when each step of `function` ran, to draw it as it ran: those of
            `sdykit.mpmd.Executable.timed`, with its `module`.
        function: the function that the spans are of.

    Raises:
        SdykitError: the module is invalid or has no MPMD program, and the message says where; or
            the spans are not those of the function.
    """
    if isinstance(module, str):
        module = parse_text(module)
    found: list[Diagnostic] = []
    with module.context, capture(module.context, found.append):
        try:
            programs = read_programs(cast(ModuleOp, module.operation.opview))
        except PassFailure:
            raise SdykitError("\n".join(map(str, found))) from None
    return mpmd_page(with_times(programs, function, spans) if spans else programs, title)


def mpmd_page(programs: Sequence[Program], title: str) -> Page:
    """Return the page of programs.

    Args:
        programs: at least one program; the page shows the first public one, and a list of all.
        title: the heading of the page.
    """
    template = page_template("sdykit.viz.mpmd_view")
    return Page(template.render(title=title, data=page_data(programs), version=__version__))


def page_data(programs: Sequence[Program]) -> dict[str, Any]:
    """Return the programs in the form that the scripts of the page read, ready for JSON.

    Fields with their default value are left out. Types are listed once, in `types`, and values
    refer to them by number.
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
