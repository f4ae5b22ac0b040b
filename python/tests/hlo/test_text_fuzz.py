"""The reader reads any text, or raises an error with a place, in linear time."""

from __future__ import annotations

import contextlib
import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlo.test_reader import EVERYTHING
from sdykit import hlo
from sdykit.hlo.text import lexis
from support.amounts import examples
from support.hlo.linear_time import is_linear
from support.hlo.sugar_programs import Writer, meaning

SEEDS = [EVERYTHING, *(Writer(Random(seed)).program() for seed in range(4))]
TOKENS = [
    *("{", "}", "(", ")", "[", "]", '"', "\\", ",", "=", "%", "->", "<=", ":", ".", "-", " ", "\n"),
    *("ROOT ", "ENTRY ", "HloModule ", "/*", "*/", "//", "/*index=5*/", "\0", "é", "٣", "9" * 20),
    *("f32[2]", "async-start(", "sine-done(", "-start", "calls=", "to_apply=%add", "parameter(0)"),
    *(", control-predecessors={", "constant(", "x = ", "StackFrames\n", "()", "(((", "}}}", "T("),
]


def mutated(seed: int) -> str:
    """Return a program with a few changes."""
    random = Random(seed)
    text = random.choice(SEEDS)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        text = random.choice((_cut, _move_line, _exchange_words))(random, text)
    return text


def _cut(random: Random, text: str) -> str:
    """Return a text with a part deleted, doubled or overwritten."""
    start = random.randint(0, len(text))
    end = min(len(text), start + random.choice((0, 0, 1, 1, 2, 5, 30, 300)))
    other = random.randint(0, len(text))
    choices = (*TOKENS, "", text[start:end] * 2, text[other : other + 9])
    return text[:start] + random.choice(choices) + text[end:]


def _move_line(random: Random, text: str) -> str:
    """Return a text with a line moved or repeated."""
    lines = text.splitlines(keepends=True)
    at, to = random.randrange(len(lines)), random.randrange(len(lines))
    line = lines[at] if random.random() < 0.5 else lines.pop(at)
    return "".join([*lines[:to], line, *lines[to:]])


def _exchange_words(random: Random, text: str) -> str:
    """Return a text with a word replaced with another of its words."""
    words = list(re.finditer(r"[\w.\-]+|\W", text))
    old, new = random.choice(words), random.choice(words)
    return text[: old.start()] + new[0] + text[old.end() :]


def problem(text: str) -> hlo.HloSyntaxError | None:
    """Return the error of a text, or None; any other exception fails the test."""
    try:
        hlo.read(text)
    except hlo.HloSyntaxError as error:
        return error
    return None


def check(text: str) -> bool:
    """Check that an error has a place in the text, or else that the printed text reads back.

    Returns:
        Whether the text was read.
    """
    error = problem(text)
    if error is not None:
        assert error.location is not None
        lines = text.split("\n")
        assert 1 <= error.location.line <= len(lines)
        assert 1 <= error.location.column <= len(lines[error.location.line - 1]) + 1
        return False
    module = hlo.read(text)
    for sugar in (True, False):
        printed = hlo.to_text(module, syntax_sugar=sugar)
        again = hlo.read(printed)
        assert hlo.to_text(again, syntax_sugar=sugar) == printed
        assert meaning(again) == meaning(module)
    return True


@settings(max_examples=examples(3000), deadline=None, derandomize=True)
@given(st.integers(0, 2**32).map(mutated))
def test_mutated_texts_are_read_or_refused_with_a_place(text: str):
    check(text)


@settings(max_examples=examples(500), deadline=None, derandomize=True)
@given(
    st.text(alphabet=st.sampled_from('HloModule ENTRY{}()[]"\\,=%/*-<>\n\tf32x09é'), max_size=60)
)
def test_random_texts_are_read_or_refused_with_a_place(text: str):
    check(text)


def test_many_mutations_are_read_and_many_refused():
    outcomes = [check(mutated(seed)) for seed in range(500)]
    assert 50 < sum(outcomes) < 450


def test_the_scanner_reads_what_one_expression_reads(monkeypatch: pytest.MonkeyPatch):
    texts = [EVERYTHING, *map(mutated, range(500))]
    expected = [None if problem(text) else hlo.to_text(hlo.read(text)) for text in texts]
    for name in ("INSTRUCTION", "COMPUTATION", "OPERAND"):
        monkeypatch.setattr(lexis, name, re.compile("(?!)"))
    found = [None if problem(text) else hlo.to_text(hlo.read(text)) for text in texts]
    assert found == expected


def test_every_prefix_is_read_or_refused_with_a_place():
    for end in range(len(EVERYTHING)):
        check(EVERYTHING[:end])


HEAD = "HloModule m\nENTRY e {\n p = f32[] parameter(0)\n"
LARGE: dict[str, tuple[str, str, str]] = {
    "open brackets": (f"{HEAD}q = f32[] a(p), b=", "{", ""),
    "open brackets of all kinds": (f"{HEAD}q = f32[] a(p), b=", "{[(", ""),
    "open parentheses of operands": (f"{HEAD}q = f32[] a(", "(", ""),
    "deep values": (f"{HEAD}q = f32[] a(p), b=" + "{" * 5000, " {}", "}" * 5000 + "}"),
    "values with much in them": (f"{HEAD}q = f32[] a(p), b=[", '{"a":[{}]},', "]}"),
    "words in a value": (f"{HEAD}q = f32[] a(p), b=", "x<y>", "}"),
    "open shapes": (f"{HEAD}q = ", "(", ""),
    "shapes of async instructions": (f"{HEAD}q = (", "(), ", "f32[]) sine-start(p) }"),
    "deep shapes of async instructions": (f"{HEAD}q = ", "(", ")" * 50_000 + " sine-start(p) }"),
    "an unending string": (f'{HEAD}q = f32[] a(p), b="', '\\"', ""),
    "an unending comment": (f"{HEAD}/*", " /*", ""),
    "comments": (f"{HEAD}q = f32[] a(p) ", "/* } */ // x\n", "}"),
    "counts that are not closed": (f"{HEAD}q = (f32[] ", "/*index=5 ", ") a(p) }"),
    "spaces": (f"{HEAD}", " \n", "}"),
    "spaces and no end": (f"{HEAD}q = f32[] a(p)", " \n", ""),
    "commas": (f"{HEAD}q = f32[] a(p)", ",", "}"),
    "one long name": (HEAD, "q", " = f32[] a(p) }"),
    "one long line of garbage": ("", "% ", ""),
    "operands": (f"{HEAD}q = f32[] a(", "p, ", "p) }"),
    "operands with shapes": (f"{HEAD}q = f32[] a(", "f32[] p, ", "f32[] p) }"),
    "operands and spaces": (f"{HEAD}q = f32[] a(", "p , ", "p) }"),
    "attributes": (f"{HEAD}q = f32[] a(p)", ", k=1", "}"),
    "signatures": ("HloModule m\ne (", "p: f32[], ", ") -> f32[] { p = f32[] parameter(0) }"),
    "tables": ("HloModule m\n\nFileNames\n", '1 "a"\n', "\n"),
    "a literal": (f"{HEAD}q = f32[] constant({{", "{ 1, (2, 3) }, ", "}) }"),
    "header": ("HloModule m", ", a={}", ""),
}


@pytest.mark.parametrize("name", LARGE)
def test_reading_takes_linear_time(name: str):
    before, middle, after = LARGE[name]

    def read(size: int) -> None:
        with contextlib.suppress(hlo.HloSyntaxError):
            hlo.to_text(hlo.read(before + middle * (size // len(middle)) + after))

    assert is_linear(read, 50_000)


def test_reading_and_printing_chains_takes_linear_time():
    def text(count: int) -> str:
        lines = [
            line
            for at in range(count)
            for line in (
                f'  s.{at} = ((f32[]), f32[]) sine-start(p), metadata={{op_name="{at}"}}',
                f"  u.{at} = ((f32[]), f32[]) sine-update(s.{at}), control-predecessors={{p}}",
                f"  d.{at} = f32[] sine-done(u.{at})",
            )
        ]
        body = "\n".join(lines)
        return f"HloModule m\n\nENTRY e {{\n  p = f32[] parameter(0)\n{body}\n}}\n\n"

    def there_and_back(count: int) -> None:
        module = hlo.read(text(count))
        assert hlo.to_text(module).count("sine-start") == count
        assert hlo.to_text(module, syntax_sugar=False).count("async-start") == count

    assert is_linear(there_and_back, 1000)
