"""A scanner for the HLO text that one regular expression does not match.

It reads step by step what `INSTRUCTION` reads at once, with any nesting, and reports what is
wrong. Every method takes an offset and returns the offset one past what it has read.
"""

from __future__ import annotations

import re
from typing import NoReturn

from sdykit.hlo.errors import HloSyntaxError
from sdykit.hlo.model.source import Source
from sdykit.hlo.text import lexis

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_MAX_QUOTED = 40


class Scanner:
    """The text of a module without its comments, and steps through it."""

    def __init__(self, text: str, file: str) -> None:
        self.source = Source(file, text)
        # A byte order mark is not part of the program; a space keeps the offsets.
        self.text = f" {text[1:]}" if text.startswith("\ufeff") else text
        if lexis.FOREIGN_COMMENT.search(text):
            self.text = self._without_comments()

    def _without_comments(self) -> str:
        """Return the text with spaces for comments, except `/*index=5*/`; offsets stay the same."""
        text, parts, at = self.text, list[str](), 0
        while at < len(text):
            code = lexis.CODE.match(text, at)
            end = code.end() if code else at
            comment = lexis.COMMENT.match(text, end)
            if comment is None:
                if self.looking_at(end, "/*"):
                    self.fail(end, "the comment that starts here does not end")
                # This is the end, or a string that does not end, which is reported later.
                return "".join([*parts, text[at:]])
            parts += [text[at:end], lexis.NOT_NEWLINE.sub(" ", comment[0])]
            at = comment.end()
        return "".join(parts)

    def fail(self, at: int, message: str) -> NoReturn:
        """Raise an error at an offset."""
        raise HloSyntaxError(self.source.location(min(at, len(self.text))), message)

    def expected(self, at: int, what: str) -> NoReturn:
        """Raise an error: something else than `what` is at an offset, after spaces."""
        at = self.space(at)
        self.fail(at, f"expected {what}, found {self._found(at)}")

    def _found(self, at: int) -> str:
        word = lexis.WORD.match(self.text, at)
        if word is None:
            return "the end of the text"
        text = word[0] if len(word[0]) <= _MAX_QUOTED else f"{word[0][:_MAX_QUOTED]}..."
        return text if text.startswith('"') and text.isprintable() else repr(text)

    def space(self, at: int) -> int:
        """Skip spaces."""
        found = lexis.SPACE.match(self.text, at)
        return found.end() if found else at

    def looking_at(self, at: int, text: str) -> bool:
        """Whether `text` is at `at`."""
        return self.text.startswith(text, at)

    def balanced(self, at: int) -> int:
        """Read from an opening bracket to the closing one; brackets in strings do not count."""
        waiting = list[re.Match[str]]()
        for bracket in lexis.BRACKET.finditer(self.text, at):
            found = bracket[0]
            if found in _CLOSING:
                waiting.append(bracket)
            elif found == '"':
                self._unending_string(bracket.start())
            elif found[0] == '"':
                continue
            else:
                opening = waiting.pop()
                if found != _CLOSING[opening[0]]:
                    place = self.source.location(opening.start())
                    message = f"found {found!r}, but {opening[0]!r} is not closed: the one at"
                    self.fail(bracket.start(), f"{message} {place.line}:{place.column}")
                if not waiting:
                    return bracket.end()
        opening = waiting[-1]
        self.fail(opening.start(), f"the bracket {opening[0]!r} that opens here is not closed")

    def _unending_string(self, at: int) -> NoReturn:
        self.fail(at, "the string that starts here does not end")

    def value(self, at: int) -> int:
        """Read the value of an attribute: words, strings and brackets without space between."""
        end = self._atoms(at)
        more = lexis.VALUE_CONTINUES.match(self.text, end)
        while more is not None:
            end = self._atoms(more.end())
            more = lexis.VALUE_CONTINUES.match(self.text, end)
        return end

    def _atoms(self, at: int) -> int:
        start = at
        while True:
            atom = lexis.ATOM.match(self.text, at)
            if atom is not None:
                at = atom.end()
            elif self.text[at : at + 1] in _CLOSING:
                at = self.balanced(at)
            elif self.looking_at(at, '"'):
                self._unending_string(at)
            elif at == start:
                self.expected(at, "a value")
            else:
                return at

    def attributes(self, at: int) -> tuple[dict[str, str], dict[str, int], int]:
        """Read `, name=value` any number of times.

        Returns:
            The values by name, the offsets of the names, and the offset one past the last.
        """
        values, places = dict[str, str](), dict[str, int]()
        while True:
            comma = self.space(at)
            if not self.looking_at(comma, ","):
                return values, places, at
            start = self.space(comma + 1)
            key = lexis.KEYED.match(self.text, start)
            if key is None:
                self.expected(start, "an attribute `name=value`")
            if key[1] in values:
                self.fail(start, f"attribute {key[1]} is given twice")
            at = self.value(key.end())
            values[key[1]] = self.text[key.end() : at]
            places[key[1]] = start

    def shape(self, at: int) -> int:
        """Read a shape: `f32[2,3]{1,0}`, a tuple of shapes, `token[]`, `b(f32[4])`."""
        depth = 0
        while True:
            if depth and (count := lexis.INDEX.match(self.text, at)):
                at = self.space(count.end())
            if self.looking_at(at, "("):
                depth, at = depth + 1, self.space(at + 1)
                if not self.looking_at(at, ")"):
                    continue
            else:
                at = self._array(at)
            while depth and self.looking_at(self.space(at), ")"):
                depth, at = depth - 1, self.space(at) + 1
            if not depth:
                return at
            if not self.looking_at(self.space(at), ","):
                self.expected(at, "',' or ')' in a shape")
            at = self.space(self.space(at) + 1)

    def _array(self, at: int) -> int:
        word = lexis.WORD_OF_SHAPE.match(self.text, at)
        if word is None:
            self.expected(at, "a shape")
        at = self.balanced(word.end())
        layout = lexis.LAYOUT_AHEAD.match(self.text, at)
        return self.balanced(layout.end()) if layout else at
