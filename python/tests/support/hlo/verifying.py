"""A program that the verifier accepts, edits of it, and the verifier's errors as text."""

from __future__ import annotations

from sdykit import hlo
from sdykit.core import Severity
from sdykit.hlo.verify import verify

GOOD = """\
HloModule m

%w (p: f32[4,2], q: s32[]) -> f32[8] {
  %p = f32[4,2] parameter(0)
  %q = s32[] parameter(1)
  ROOT %c = f32[8] custom-call(%p, %q), custom_call_target="f"
}

%v (p: f32[8]) -> f32[8] {
  %p = f32[8] parameter(0)
  ROOT %n = f32[8] negate(%p)
}, execution_thread="host"

ENTRY %e (x: f32[4,2], i: s32[]) -> f32[8] {
  %x = f32[4,2] parameter(0)
  %i = s32[] parameter(1)
  %s = ((f32[4,2], s32[]), f32[8], u32[]) async-start(%x, %i), calls=%w
  %u = ((f32[4,2], s32[]), f32[8], u32[]) async-update(%s)
  %d = f32[8] async-done(%u)
  %t = ((f32[8]), f32[8]) async-start(%d), calls=%v, async_execution_thread="host"
  ROOT %r = f32[8] async-done(%t)
}
"""
S = "((f32[4,2], s32[]), f32[8], u32[])"
START = f"%s = {S} async-start(%x, %i), calls=%w"
UPDATE = f"%u = {S} async-update(%s)"
HEAD = "ENTRY %e (x: f32[4,2], i: s32[]) -> f32[8]"
DONE = "%d = f32[8] async-done(%u)"


def errors(text: str, **options: bool) -> list[str]:
    """Return the verifier's errors and notes as `line:col: ...`."""
    found = verify(hlo.read(text), **options)
    assert all(error.severity is Severity.ERROR for error in found)
    lines = [str(line) for error in found for line in (error, *error.notes)]
    return [line.removeprefix("<string>:") for line in lines]


def edited(*edits: str, text: str = GOOD) -> str:
    """Return a program with edits: old text, new text, old text, new text, ..."""
    for old, new in zip(edits[::2], edits[1::2], strict=True):
        assert text.count(old) >= 1, f"not in the program: {old}"
        text = text.replace(old, new)
    return text
