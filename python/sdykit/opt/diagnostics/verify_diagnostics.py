"""Comparing diagnostics with the `expected-error {{...}}` comments of the input."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace

from sdykit.core import Diagnostic, FileLocation, Severity
from sdykit.opt.diagnostics.rendering import render, render_excerpt
from sdykit.opt.diagnostics.sources import Sources

_EXPECTATION = re.compile(
    r"expected-(?P<severity>error|note|remark|warning)(?P<re>-re)?"
    r" *(?:@(?P<where>[+-]\d+|above|below|unknown))?"
    r" *\{\{(?P<text>.*?)\}\}(?=\s*$|[\s/]+expected-)"
)
_LOOKS_LIKE_ONE = re.compile(r"expected-(error|note|remark|warning)(-re)? *(@|\{\{)")
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "digit": "0-9",
    "lower": "a-z",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
CURRENT_OP = "see current operation"


@dataclass
class Expectation:
    """An expectation in a comment: a diagnostic that must be emitted at least once."""

    severity: Severity
    text: str
    pattern: re.Pattern[str]
    line: int | None
    """The line that the diagnostic must be at; None if it must have no place in a file."""
    place: FileLocation
    """The place of the comment."""
    matched: bool = False


class DiagnosticsChecker:
    """Compares diagnostics with the expectations, and prints what differs.

    Args:
        name: the name of the input.
        sources: the lines of the input and of other files.
        only_expected: whether diagnostics that no comment expects are accepted.
    """

    def __init__(self, name: str, sources: Sources, only_expected: bool) -> None:
        self._sources = sources
        self._only_expected = only_expected
        self._by_file: dict[str, list[Expectation]] = {}
        self.failed = False
        self._expectations(name)

    def check(self, diagnostic: Diagnostic) -> None:
        """Match a diagnostic and each of its notes with an expectation."""
        for one in (diagnostic, *diagnostic.notes):
            if not one.message.startswith(CURRENT_OP):
                self._check_one(one)

    def finish(self) -> bool:
        """Report expectations that nothing matched; return whether everything was as expected."""
        expectations = [e for each in self._by_file.values() for e in each]
        # Those without a place come last, as in mlir-opt.
        for expectation in sorted(expectations, key=lambda e: e.line is None):
            if not expectation.matched:
                self._not_produced(expectation)
        return not self.failed

    def _check_one(self, diagnostic: Diagnostic) -> None:
        near_miss: Expectation | None = None
        for expectation in self._candidates(diagnostic.location):
            if not expectation.pattern.search(diagnostic.message):
                continue
            if expectation.severity is diagnostic.severity:
                expectation.matched = True
                return
            near_miss = expectation
        if self._only_expected:
            return
        self.failed = True
        found = diagnostic.severity.value
        if near_miss is None:
            text = f"unexpected {found}: {diagnostic.message}"
            error = replace(diagnostic, severity=Severity.ERROR, message=text, notes=(), callers=())
            sys.stderr.write(render(error, self._sources))
        else:
            wanted = near_miss.severity.value
            text = f"'{found}' diagnostic emitted when expecting a '{wanted}'"
            self._report(text, near_miss, width=1)

    def _candidates(self, place: FileLocation | None) -> list[Expectation]:
        if place is None:
            return [e for each in self._by_file.values() for e in each if e.line is None]
        return [e for e in self._expectations(place.file) if e.line == place.line]

    def _expectations(self, file: str) -> list[Expectation]:
        if file not in self._by_file:
            self._by_file[file] = []  # Also while its own comments are reported as malformed.
            self._by_file[file] = self._read(file)
        return self._by_file[file]

    def _read(self, file: str) -> list[Expectation]:
        lines = self._sources.lines(file)
        expecting = [_LOOKS_LIKE_ONE.search(line) is not None for line in lines]
        found: list[Expectation] = []
        for index in (i for i, yes in enumerate(expecting) if yes):
            matches = list(_EXPECTATION.finditer(lines[index]))
            if not matches:
                self._malformed(FileLocation(file, index + 1, 1))
            for match in matches:
                expectation = self._make(match, file, index, expecting)
                if expectation is not None:
                    found.append(expectation)
        return found

    def _make(
        self, match: re.Match[str], file: str, index: int, expecting: list[bool]
    ) -> Expectation | None:
        text, place = match["text"], FileLocation(file, index + 1, match.start() + 1)
        try:
            pattern = _pattern(text, is_regex=match["re"] is not None)
        except re.error as error:
            self.failed = True
            message = f"invalid regex: {error.msg}"
            sys.stderr.write(f"{place}: error: {message}\n")
            sys.stderr.write(render_excerpt(place, self._sources, max(1, len(text))))
            return None
        line = _target(match["where"], index, expecting)
        return Expectation(Severity(match["severity"]), text, pattern, line, place)

    def _not_produced(self, expectation: Expectation) -> None:
        self.failed = True
        wanted = expectation.severity.value
        text = f'expected {wanted} "{expectation.text}" was not produced'
        if expectation.line is None:
            sys.stderr.write(f"<unknown>:0: error: {text}\n")
        else:
            self._report(text, expectation, width=max(1, len(expectation.text)))

    def _report(self, text: str, expectation: Expectation, width: int) -> None:
        sys.stderr.write(f"{expectation.place}: error: {text}\n")
        sys.stderr.write(render_excerpt(expectation.place, self._sources, width))

    def _malformed(self, place: FileLocation) -> None:
        text = (
            "this is not an expectation: expected 'expected-error@+1 {{message}}' at the line's end"
        )
        sys.stderr.write(render(Diagnostic(Severity.WARNING, text, place), self._sources))


def _pattern(text: str, is_regex: bool) -> re.Pattern[str]:
    """Return the pattern of an expectation; in a `-re`, `{{...}}` holds regular expressions."""
    if not is_regex:
        return re.compile(re.escape(text))
    parts = re.split(r"\{\{(.*?)\}\}", text)
    if any("{{" in plain for plain in parts[::2]):
        raise re.error("found start of regex with no end '}}'")
    return re.compile(
        "".join(
            f"(?:{_python(part)})" if i % 2 else re.escape(part) for i, part in enumerate(parts)
        )
    )


def _python(regex: str) -> str:
    """Replace the character classes of LLVM's regular expressions by Python's."""
    return re.sub(r"\[:(\w+):\]", lambda match: _CLASSES.get(match[1], match[0]), regex)


def _target(where: str | None, index: int, expecting: list[bool]) -> int | None:
    """Return the line, counted from 1, that an expectation is about; None for no line.

    `@above` and `@below` skip lines that hold expectations themselves.

    Args:
        where: the text after `@`; None without one.
        index: the line of the expectation, counted from 0.
        expecting: for each line, whether it holds an expectation.
    """
    if where == "unknown":
        return None
    if where not in ("above", "below"):
        return index + 1 + int(where or 0)
    step = -1 if where == "above" else 1
    at = index + step
    while 0 <= at < len(expecting) and expecting[at]:
        at += step
    return at + 1
