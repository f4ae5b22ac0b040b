"""The textual form of pipelines: `builtin.module(cse,func.func(x{a=1}),sdy-y)`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sdykit.core.options import closing
from sdykit.errors import PipelineError


@dataclass(frozen=True, slots=True)
class PassCall:
    """A pass or named pipeline with the text of its options."""

    name: str
    options: str = ""

    def __str__(self) -> str:
        return f"{self.name}{{{self.options}}}" if self.options else self.name


@dataclass(frozen=True, slots=True)
class Nest:
    """A sequence that runs on the ops named `anchor` (`any`: on all ops) one level down."""

    anchor: str
    elements: tuple[PassCall | Nest, ...]

    def __str__(self) -> str:
        return f"{self.anchor}({','.join(map(str, self.elements))})"


Element = PassCall | Nest

_NAME = re.compile(r"[\w.$-]+")
_MAX_DEPTH = 100


def parse_elements(text: str) -> tuple[Element, ...]:
    """Parse a comma-separated sequence of pipeline elements.

    Raises:
        PipelineError: the text is malformed; the message has the column, counted from 1.
    """
    elements, at = _elements(text, 0)
    if at != len(text):
        raise _expected(text, at, "',' or the end of the pipeline")
    return elements


def parse_pipeline(text: str) -> tuple[Element, ...]:
    """Parse pipeline text for a module; the outer `builtin.module(...)` may be left out.

    Raises:
        PipelineError: the text is malformed, or the outer op is not `builtin.module`.
    """
    elements = parse_elements(text)
    match elements:
        case (Nest("builtin.module" | "any", inner),):
            return inner
        case (Nest(anchor),) if anchor != "func.func":
            raise PipelineError(f"can't run a pipeline anchored on '{anchor}' on 'builtin.module'")
    return elements


def parse_anchored(text: str) -> Nest:
    """Parse a pipeline that names the op it runs on, such as `builtin.module(cse)`.

    Raises:
        PipelineError: the text is malformed, or no op is named around the passes.
    """
    match parse_elements(text):
        case (Nest() as nest,):
            return nest
    raise PipelineError(
        f"pipeline '{text}': expected pass pipeline to be wrapped with the anchor operation"
        f" type, e.g. 'builtin.module({text.strip() or '...'})'"
    )


def _elements(text: str, at: int, depth: int = 0) -> tuple[tuple[Element, ...], int]:
    if depth > _MAX_DEPTH:
        raise PipelineError(
            f"pipeline: found more than {_MAX_DEPTH} levels of nesting; expected {_MAX_DEPTH} or fewer"
        )
    elements: list[Element] = []
    at = _skip_space(text, at)
    if at == len(text) or text[at] == ")":
        return (), at
    while True:
        element, at = _element(text, _skip_space(text, at), depth)
        elements.append(element)
        at = _skip_space(text, at)
        if at == len(text) or text[at] != ",":
            return tuple(elements), at
        at += 1


def _element(text: str, at: int, depth: int) -> tuple[Element, int]:
    name = _NAME.match(text, at)
    if name is None:
        raise _expected(text, at, "the name of a pass or op")
    at = name.end()
    if at < len(text) and text[at] == "(":
        inner, end = _elements(text, at + 1, depth + 1)
        if end == len(text) or text[end] != ")":
            raise _expected(text, end, f"')' to close '{name[0]}('")
        return Nest(name[0], inner), end + 1
    if at < len(text) and text[at] == "{":
        end = closing(text, at)
        return PassCall(name[0], text[at + 1 : end]), end + 1
    return PassCall(name[0]), at


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _expected(text: str, at: int, what: str) -> PipelineError:
    found = f"'{text[at]}'" if at < len(text) else "the end"
    return PipelineError(f"pipeline '{text}': expected {what} at column {at + 1}, found {found}")
