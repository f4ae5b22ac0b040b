"""Run hlo-opt on mutated MLIR, and on mutated HLO text to be printed as MLIR.

Run by `test_fuzz.py`, and by hand for longer: `python fuzz_mlir.py SEED COUNT`. Prints a
JSON object: the number of cases with each exit code, and the cases that ended in a way that no
user should see. Each case is a process of its own, as it is for a user: MLIR's parser may crash.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import random
import re
import sys
from collections import Counter
from pathlib import Path

from sdykit.opt.main import run
from sdykit.opt.process.guard import guarded
from support.hlo.fuzz_hlo import (
    LINE,
    NEVER,
    TOKENS,
    Outcome,
    changed_structure,
    corpus,
    near,
    time_limit,
)
from support.opt.fuzz_driver import mutated

EMIT = ["--emit-mlir", "--mlir-print-debuginfo"]
PASSES = ("-async-unwrap", "-async-decompose", "-async-schedule", "-async-wrap=ops=add,sine")
PARSER = ("crashed while parsing the input", "crashed while reading the bytecode")
WORDS = (
    re.compile(r"%[\w#]+"),
    re.compile(r"@\w+"),
    re.compile(r"tensor<[^<>]*>"),
    re.compile(r"tuple<[^<>]*(?:<[^<>]*>[^<>]*)*>"),
    re.compile(r"\b(?:stablehlo|mhlo|func)\.\w+"),
    re.compile(r"loc\([^()]*\)"),
    re.compile(r'[\w.]+ = (?:"[^"]*"|\d+|@\w+)'),
    re.compile(r'"[^"\n]*"'),
)


def driver(argv: list[str], name: str, data: bytes) -> Outcome:
    """Run the driver as its console script does, and read what it printed."""
    Path(name).write_bytes(data)
    child = os.fork()
    if child == 0:
        code = 99
        with contextlib.suppress(BaseException):
            for stream, path in ((1, "out"), (2, "err")):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
            with time_limit():
                code = guarded(lambda status: run([*argv, name], "hlo-opt", status), "hlo-opt")
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    out, err = (Path(name).read_text(errors="replace") for name in ("out", "err"))
    return Outcome(code, out, err)


def changed(text: str, rng: random.Random) -> str:
    """Delete, repeat or swap lines, or replace a word with another of its kind."""
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        if rng.random() < 0.3:
            lines = LINE.findall(text)
            at = rng.randrange(len(lines))
            to = near(at, lines, rng)
            lines[at], lines[to] = rng.choice(((lines[to], lines[at]), ("", lines[to])))
            text = "".join(lines)
            continue
        words = list(rng.choice(WORDS).finditer(text))
        if words:
            at = rng.randrange(len(words))
            old, new = words[at], words[near(at, words, rng)]
            text = text[: old.start()] + new[0] + text[old.end() :]
    return text


def problem(found: Outcome) -> str:
    """Return what is wrong with the way a case ended, or ""."""
    said = found.err
    if found.code not in (0, 1):
        return f"exit code {found.code}: {said}"
    if any(words in said for words in (*NEVER, " raised ")):
        return said
    if "crashed" in said and not any(words in said for words in PARSER):
        return said
    return "" if found.code == 0 or "error: " in said else f"exit code 1 without an error: {said}"


def check_mlir(text: str, rng: random.Random) -> tuple[Outcome, str]:
    """Run a pass or none on mutated MLIR, printed as HLO text or MLIR; return what is wrong."""
    data = changed(text, rng).encode()
    if rng.random() < 0.3:
        data = mutated(data, rng, TOKENS)
    argv = [*rng.choice(([], [rng.choice(PASSES)])), *rng.choice(([], EMIT))]
    found = driver(argv, "case.mlir", data)
    return found, problem(found)


def check_hlo(text: str, rng: random.Random) -> tuple[Outcome, str]:
    """Print mutated HLO text as MLIR, and that once more; return what is wrong."""
    found = driver(EMIT, "case.hlo", changed_structure(text, rng).encode())
    if found.code != 0:
        return found, problem(found)
    again = driver(EMIT, "again.mlir", found.out.encode())
    same = again.code == 0 and again.out == found.out
    return found, "" if same else f"reads back as something else: {again.err}{again.out}"


def main(seed: int, count: int) -> None:
    rng = random.Random(seed)
    for name in ("opt.hlo.session", "hlo.to_mlir", "hlo.from_mlir", "passes.async_hlo.wrap"):
        importlib.import_module(f"sdykit.{name}")  # Once, not in each of the processes.
    texts = corpus()
    printed = [driver(EMIT, "seed.hlo", text.encode()) for text in texts]
    modules = [each.out for each in printed if each.code == 0]
    codes: Counter[int] = Counter()
    bad: list[dict[str, object]] = []
    for case in range(count):
        if case % 2:
            found, wrong = check_mlir(rng.choice(modules), rng)
        else:
            found, wrong = check_hlo(rng.choice(texts), rng)
        codes[found.code] += 1
        if wrong:
            saved = Path(f"bad-{seed}-{case}.{'mlir' if case % 2 else 'hlo'}")
            saved.write_bytes(Path("case.mlir" if case % 2 else "case.hlo").read_bytes())
            bad.append({"input": str(saved.resolve()), "wrong": wrong[-1500:]})
    print(json.dumps({"codes": codes, "bad": bad}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
