"""A line of IR as HTML, with colours and marks on changes."""

from __future__ import annotations

import re
from itertools import pairwise

from markupsafe import Markup, escape

from sdykit.viz.import_report.align import align

Span = tuple[int, int]

_SYNTAX = re.compile(
    r"""
      (?P<s>"[^"]*")                                             # string
    | (?P<v>%[\w$.-]+(?:\#\d+)?)                                 # value
    | (?P<y>@(?:[\w$.-]+|"[^"]*"))                               # symbol
    | (?P<a>[#!][a-z][\w.]*)                                     # attribute, type alias
    | (?P<t>\b(?:tensor|vector|memref)<[^<>"]*>)                 # type
    | (?P<o>\b(?:[a-z_]\w*\.[a-z_][\w.]*|return|call|module)\b)  # op
    | (?P<n>\b\d[\w.]*(?:[eE]?[+-]\d+)?)                         # number
    """,
    re.VERBOSE,
)
_TOKEN = re.compile(r'%[\w$.-]+|"[^"]*"|[\w$]+|\s+|.')

_LINE_LIMIT = 320
_AROUND_MARK = 70


def changed_spans(before: str, after: str, names: dict[str, str]) -> tuple[list[Span], list[Span]]:
    """Return the spans that differ between two versions of a line.

    Args:
        before, after: the line before and after.
        names: the new names of values in `before`; a renamed value is not a difference.

    Returns:
        Spans of characters in `before` and in `after`; an empty span where only the other
        line has text.
    """
    old, new = list(_TOKEN.finditer(before)), list(_TOKEN.finditer(after))
    old_spans: list[Span] = []
    new_spans: list[Span] = []
    renamed = [names.get(token[0], token[0]) for token in old]
    old_end = new_end = 0
    for i, j in align(renamed, [token[0] for token in new]):
        same = i is not None and j is not None
        start = (old_end, new_end)
        old_end = old_end if i is None else old[i].end()
        new_end = new_end if j is None else new[j].end()
        if not same:
            _extend(old_spans, (start[0], old_end))
            _extend(new_spans, (start[1], new_end))
    return old_spans, new_spans


def _extend(spans: list[Span], span: Span) -> None:
    if spans and spans[-1][1] == span[0]:
        spans[-1] = (spans[-1][0], span[1])
    else:
        spans.append(span)


def line_html(line: str, marks: list[Span]) -> Markup:
    """Return a line in colour; of a very long one only the start and the text near the marks."""
    pieces = []
    end = 0
    for start, stop in _visible(line, marks):
        if start > end:
            pieces.append(Markup("<i class=e>…</i>"))
        pieces.append(_colour(line, start, stop, marks))
        end = stop
    if end < len(line):
        pieces.append(Markup("<i class=e>…</i>"))
    return Markup("").join(pieces)


def _visible(line: str, marks: list[Span]) -> list[Span]:
    if len(line) <= _LINE_LIMIT:
        return [(0, len(line))]
    windows = [(0, _LINE_LIMIT if not marks else _AROUND_MARK)]
    for start, stop in marks:
        window = (max(0, start - _AROUND_MARK), min(len(line), stop + _AROUND_MARK))
        # A mark may itself be long: show its two ends.
        if window[1] - window[0] > _LINE_LIMIT:
            half = _LINE_LIMIT // 2
            windows += [(window[0], window[0] + half), (window[1] - half, window[1])]
        else:
            windows.append(window)
    merged: list[Span] = []
    for start, stop in windows:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return merged


def _colour(line: str, start: int, stop: int, marks: list[Span]) -> Markup:
    tokens = list(_SYNTAX.finditer(line))
    edges = {start, stop}
    for span in (*(token.span() for token in tokens), *marks):
        edges.update(at for at in span if start < at < stop)
    pieces = []
    token = mark = 0
    for left, right in pairwise(sorted(edges)):
        while token < len(tokens) and tokens[token].end() <= left:
            token += 1
        while mark < len(marks) and marks[mark][1] <= left:
            mark += 1
        inside = token < len(tokens) and tokens[token].start() <= left
        classes = [tokens[token].lastgroup] if inside else []
        if mark < len(marks) and marks[mark][0] <= left:
            classes.append("m")
        text = escape(line[left:right])
        pieces.append(
            Markup('<i class="{}">{}</i>').format(" ".join(map(str, classes)), text)
            if classes
            else text
        )
    return Markup("").join(pieces)
