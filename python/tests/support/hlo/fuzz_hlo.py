"""Run hlo-opt on mutated HLO text, and report the cases that end in a wrong way.

Run by `test_fuzz.py`, and by hand for longer: `python fuzz_hlo.py SEED COUNT`. Prints a
JSON object: the number of cases with each exit code, and the cases that ended in a way that no
user should see. All cases run in this process, each with a time limit.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import random
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from sdykit.opt.main import run
from support import ROOT
from support.opt.fuzz_driver import mutated

SECONDS = 10
TESTS = ROOT / "lit_tests"
MAX_LENGTH = 20_000
NEVER = ("Traceback (most recent call last)", "internal error")
SEED_TEXT = """\
HloModule seed, is_scheduled=true, entry_computation_layout={(f32[64]{0}, s32[])->f32[64]{0}}

%sum (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %add.1 = f32[] add(%x, %y), metadata={op_name="a\\"b" source_line=3}
}

%async_op (p: f32[64]) -> f32[64] {
  %p = f32[64]{0} parameter(0)
  ROOT %c = f32[64]{0} custom-call(%p), custom_call_target="foo", backend_config={"a":[1,{}]}
}, execution_thread="sparsecore"

ENTRY %main (a: f32[64], n: s32[]) -> f32[64] {
  %a = f32[64]{0} parameter(0)
  %n = s32[] parameter(1)
  %zero = f32[] constant(0)
  %s = ((f32[64]{0}), f32[64]{0}, s32[]) async-start(%a), calls=%async_op, async_execution_thread="sparsecore"
  %t = ((f32[64]{0}, f32[64]{0}), f32[64]{0}, u32[]) add-start(%a, %a), frontend_attributes={k="v"}
  %u = ((f32[64]{0}), f32[64]{0}, s32[]) async-update(%s)
  %r = f32[] reduce(%a, %zero), dimensions={0}, to_apply=%sum
  %b = f32[64]{0} broadcast(%r), dimensions={} // a comment
  %d = f32[64]{0} async-done(%u)
  %e = f32[64]{0} add-done(%t)
  %w = (f32[64]{0}, f32[64]{0}) tuple(%d, /*index=1*/%e)
  %g = f32[64]{0} get-tuple-element(%w), index=1
  ROOT %z = f32[64]{0} multiply(%g, %b)
}
"""
TOKENS = (
    *("(", ")", "{", "}", "[", "]", ",", ":", "=", '"', "'", "\\", "//", "/*", "*/", "%", "->"),
    *("ROOT ", "ENTRY ", "HloModule ", "parameter(0)", "parameter(7)", "f32[64]", "f32[]", "()"),
    *("((f32[64]), f32[64])", "(f32[64], f32[64], s32[])", "opaque[]", "token[]", "f32[<=4,?]"),
    *("async-start(", "async-update(", "async-done(", "add-start(", "add-done(", "copy-start("),
    *("calls=%async_op", "calls={%a, %b}", "to_apply=%sum", "async_execution_thread=main"),
    *("output_to_operand_aliasing={{0}: (0, {})}", "frontend_attributes={_collectives_group=1}"),
    *("\0", "\t", "\r\n", "é", "-1", "99999999999999999999", "1e999", "// -----", "(" * 3000),
)
FLAGS = (
    *("-async-verify", "-async-unwrap", "-async-wrap=ops=add,multiply", "-async-wrap=ops=reduce"),
    *("-async-wrap=custom-call-target=foo", "-async-decompose", "-async-schedule"),
    *("--no-verify", "--syntax-sugar-async-ops=false", "--print-async-aliasing"),
    *("--verify-roundtrip", "--verify-each", "--split-input-file", "--verify-diagnostics"),
)
UNCHECKED = {"--print-async-aliasing", "--no-verify", "--verify-diagnostics"}
"""Flags with which the output need not be a verified program."""
LINE = re.compile(r"[^\n]*\n?")
WORDS = (
    re.compile(r"(?<=[(\s])%[\w.-]+(?=[,)])"),  # operands
    re.compile(r"(?<=\s)%[\w.-]+(?= =)"),  # results
    re.compile(r"\b[a-z][a-z-]+(?=\()"),  # opcodes
    re.compile(r"(?<== )\(.*?\)(?= [a-z])"),  # shapes of results that are tuples
    re.compile(r"\b[a-z]+\d+\[[\d,]*\](?:\{[\d,]*\})?"),  # shapes of arrays
    re.compile(r", [\w-]+=(?:%?[\w.-]+|\"[^\"\n]*\"|\{[^{}\n]*\})"),  # attributes
)


class TooSlow(BaseException):
    """A case exceeds its time; no `except Exception` may catch it."""


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


def corpus() -> list[str]:
    files = [*TESTS.glob("async_hlo/*.hlo"), *TESTS.glob("driver/*.hlo")]
    pieces = [piece for path in sorted(files) for piece in path.read_text().split("// -----\n")]
    return [SEED_TEXT] * 3 + [
        text for text in pieces if "HloModule" in text and len(text) < MAX_LENGTH
    ]


def changed_structure(text: str, rng: random.Random) -> str:
    """Move lines, or replace a name, opcode or shape with another: most results still parse."""
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        if rng.random() < 0.4:
            lines = LINE.findall(text)
            at = rng.randrange(len(lines))
            to = near(at, lines, rng)
            match rng.randrange(3):
                case 0:
                    lines[at] = ""
                case 1:
                    lines.insert(to, lines[at])
                case 2:
                    lines[at], lines[to] = lines[to], lines[at]
            text = "".join(lines)
            continue
        words = list(rng.choice(WORDS).finditer(text))
        if words:
            at = rng.randrange(len(words))
            old, new = words[at], words[near(at, words, rng)]
            text = text[: old.start()] + new[0] + text[old.end() :]
    return text


def near(at: int, among: Sequence[object], rng: random.Random) -> int:
    """Return a position close to another: distant ones are mostly in other computations."""
    return min(max(0, at + rng.randint(-5, 5)), len(among) - 1)


def driver(argv: list[str], text: bytes) -> Outcome:
    """Run the driver on a text, in this process, with its output caught."""
    Path("input").write_bytes(text)
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), time_limit():
        code = run([*argv, "input"], "hlo-opt")
    out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return Outcome(code, out.buffer.getvalue().decode(), err.getvalue())


@contextlib.contextmanager
def time_limit() -> Iterator[None]:
    def stop(_: int, __: FrameType | None) -> NoReturn:
        raise TooSlow

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def problem(argv: list[str], text: bytes) -> tuple[int, str]:
    """Return the exit code of a case, and what is wrong with the way it ended, or ""."""
    try:
        found = driver(argv, text)
    except TooSlow:
        return -1, f"takes more than {SECONDS} s"
    said = found.err
    if found.code not in (0, 1):
        return found.code, f"exit code {found.code}"
    if any(words in said for words in NEVER):
        return found.code, said
    if "--no-verify" not in argv and " raised " in said:
        return found.code, f"a pass fails on a verified program: {said}"
    if found.code == 1 and "error: " not in said:
        return found.code, f"exit code 1 without an error: {said}"
    if found.code == 0 and not UNCHECKED.intersection(argv):
        return found.code, unstable(argv, found.out)
    return found.code, ""


def unstable(argv: list[str], printed: str) -> str:
    """Return a message if the printed program reads back as another one, or ""."""
    kept = [flag for flag in argv if "sugar" in flag or "split" in flag]
    again = driver(kept, printed.encode())
    if again.code != 0:
        return f"the output cannot be read:\n{printed}\n{again.err}"
    return "" if again.out == printed else f"printed twice:\n{printed}\n{again.out}"


def main(seed: int, count: int) -> None:
    rng = random.Random(seed)
    texts = corpus()
    parsed_by_xla: list[str] = []
    parser: Any = importlib.import_module("jaxlib._hlo")
    parser.hlo_module_from_text = parsed_by_xla.append  # The driver must not use XLA.
    codes: Counter[int] = Counter()
    bad: list[dict[str, object]] = []
    slowest = 0.0
    for case in range(count):
        text = rng.choice(texts)
        if rng.random() < 0.7:
            text = changed_structure(text, rng)
        data = text.encode()
        if rng.random() < 0.4:
            data = mutated(data, rng, TOKENS)
        argv = rng.choices(FLAGS, k=rng.choice((0, 0, 1, 1, 2, 3)))
        started = time.perf_counter()
        code, wrong = problem(argv, data)
        slowest = max(slowest, time.perf_counter() - started)
        codes[code] += 1
        if wrong or parsed_by_xla:
            saved = Path(f"bad-{seed}-{case}.hlo")
            saved.write_bytes(data)
            bad.append({"argv": argv, "input": str(saved.resolve()), "wrong": wrong[-1500:]})
            parsed_by_xla.clear()
    print(json.dumps({"codes": codes, "slowest": round(slowest, 2), "bad": bad}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
