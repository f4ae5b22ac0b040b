"""Feeds the driver with mutated texts, bytecode and flags, and tells what it made of them.

Run by `test_fuzz.py`, and by hand for longer: `python fuzz_driver.py SEED COUNT`. Prints a
JSON object: how often each exit code came, and the cases that ended in a way that no
user should see. Each case runs in a child of this process, as the driver itself does it.
"""

from __future__ import annotations

import io
import json
import os
import random
import resource
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sdykit.core.upstream import UPSTREAM_PASSES
from sdykit.mlir import ir, make_context
from sdykit.opt.flags.mlir import FLAGS
from sdykit.opt.flags.types import Kind
from sdykit.opt.main import run
from sdykit.opt.process.guard import guarded
from support import ROOT

SECONDS = 20
MEMORY = 8 << 30
NEVER = ("Traceback (most recent call last)", "internal error")
TESTS = ROOT / "lit_tests"
SEED_TEXT = """\
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
    -> tensor<8x8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8x8xf32>
  %0 = stablehlo.add %a, %c : tensor<8x8xf32> loc("x"("y":1:2))
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"b"}]> : tensor<8x8xf32>
  %2:2 = stablehlo.while(%i = %1, %j = %c) : tensor<8x8xf32>, tensor<8x8xf32> cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    stablehlo.return %j, %i : tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %2#1 : tensor<8x8xf32>
}
"""
TOKENS = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ",",
    ":",
    "=",
    '"',
    "'",
    "//",
    "-----",
    "^",
    "%",
    "@",
    "#",
    "!",
    "->",
    "{{",
    "}}",
    "\\",
    "\x00",
    "\t",
    "é",
    "loc(",
    "dense<",
    "tensor<",
    "-1",
    "1e999\n99999999999999999999",
    "0x",
    "module",
    "func.func",
    "return",
    "sdy.mesh",
    "#sdy.sharding<",
    "expected-error\nexpected-warning-re@+1",
    "@unknown",
    "{-#",
    "#-}",
    "affine_map<",
    "memref<",
    "unit",
    "true",
    "i0",
    "ui64",
    "complex<",
]


def corpus() -> list[bytes]:
    texts = [path.read_bytes() for path in sorted(TESTS.rglob("*.mlir"))]
    return [SEED_TEXT.encode(), *(text for text in texts if len(text) < 20_000)]


def bytecodes(texts: list[bytes]) -> list[bytes]:
    found = []
    context = make_context(allow_unregistered_dialects=True)
    for text in texts[:40]:
        buffer = io.BytesIO()
        try:
            ir.Module.parse(text, context).operation.write_bytecode(buffer)
        except (ir.MLIRError, RuntimeError):
            continue
        found.append(buffer.getvalue())
    return found


def mutated(data: bytes, rng: random.Random, tokens: Sequence[str] = TOKENS) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((0, 0, 1, 1, 2, 4, 16))):
        if not changed:
            break
        at = rng.randrange(len(changed))
        end = min(len(changed), at + rng.choice((1, 1, 4, 40)))
        match rng.randrange(7):
            case 0:
                changed[at] = rng.randrange(256)
            case 1:
                changed[at] = rng.choice((0, 0x7F, 0x80, 0xFF))
            case 2:
                del changed[at:end]
            case 3:
                changed[at:at] = changed[at:end] * rng.choice((1, 2, 50))
            case 4:
                del changed[at:]
            case 5:
                changed[at:at] = rng.choice(tokens).encode()
            case 6:
                to = rng.randrange(len(changed))
                changed[to:to] = changed[at:end]
    return bytes(changed)


def word(rng: random.Random) -> str:
    some = (*TOKENS, *UPSTREAM_PASSES, "test-mark", "test-raise", "sdy-import-pipeline", "x=1")
    return "".join(rng.choice(some) for _ in range(rng.choice((0, 1, 1, 2, 3)))).replace("\0", "?")


def pipeline(rng: random.Random, depth: int = 0) -> str:
    parts = []
    for _ in range(rng.randrange(4)):
        if depth < 3 and rng.random() < 0.3:
            anchor = rng.choice(("builtin.module", "func.func", "any", "scf.for", "arith.addi"))
            parts.append(f"{anchor}({pipeline(rng, depth + 1)})")
        else:
            name = rng.choice((*UPSTREAM_PASSES, "test-mark", "test-break", "test-diagnose"))
            parts.append(rng.choice((name, name, f"{name}{{{word(rng)}}}")))
    return ",".join(parts)


def flag(rng: random.Random) -> list[str]:
    if rng.random() < 0.3:
        name = rng.choice((*UPSTREAM_PASSES, "test-mark", "test-break", "test-pipeline"))
        return [f"-{name}" + rng.choice(("",) * 9 + ("=" + word(rng),))]
    if rng.random() < 0.1:
        return ["-pass-pipeline=" + mutated_text(f"builtin.module({pipeline(rng)})", rng)]
    if rng.random() < 0.03:
        return [word(rng)]
    chosen = rng.choice(FLAGS)
    if chosen.kind is Kind.BOOL:
        return [f"--{chosen.name}" + rng.choice(("",) * 9 + ("=true", "=0", "=x"))]
    good = {Kind.COUNT: "3", Kind.NAMES: "cse", Kind.FILES: "passes.py"}.get(chosen.kind, "out")
    good = rng.choice(chosen.choices or (good,))
    value = good if rng.random() < 0.8 else word(rng)
    return [f"--{chosen.name}={value}"] if rng.random() < 0.7 else [f"--{chosen.name}", value]


def mutated_text(text: str, rng: random.Random) -> str:
    if rng.random() < 0.7:
        return text
    at = rng.randrange(len(text))
    return text[:at] + rng.choice(("", "(", ")", "{", "}", ",", "'", " ")) + text[at + 1 :]


def arguments(rng: random.Random) -> list[str]:
    given = ["--load-pass=passes.py"] if rng.random() < 0.9 else []
    if rng.random() < 0.5:
        given.append("-allow-unregistered-dialect")
    for _ in range(rng.choice((0, 1, 2, 4))):
        given += flag(rng)
    return given


def limited(argv: list[str]) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    null = os.open(os.devnull, os.O_RDWR)
    log = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream, target in ((0, null), (1, null), (2, log)):
        os.dup2(target, stream)
    sys.stderr = sys.__stderr__
    return run(argv, "sdy-opt")


def main(seed: int, count: int) -> None:
    rng = random.Random(seed)
    texts = corpus()
    kinds = texts, texts, bytecodes(texts)
    Path("passes.py").write_bytes((TESTS / "driver/Inputs/passes.py").read_bytes())
    codes: Counter[int] = Counter()
    crashes, bad = 0, []
    messages = io.StringIO()
    for case in range(count):
        Path("input").write_bytes(mutated(rng.choice(rng.choice(kinds)), rng))
        argv = [*arguments(rng), "input"]
        Path("log").write_text("")
        sys.stderr = messages  # What the guard says.
        code = guarded(lambda _, argv=argv: limited(argv), "sdy-opt")
        sys.stderr = sys.__stderr__
        codes[code] += 1
        said = messages.getvalue()
        messages.seek(0)
        messages.truncate()
        log = Path("log").read_text(errors="replace")
        crashes += "crashed while" in said
        wrong = code not in (0, 1) or any(text in log for text in NEVER) or "SIGXCPU" in said
        silent = code == 1 and not (log + said).strip()
        if wrong or silent:
            saved = Path(f"bad-{seed}-{case}")
            saved.write_bytes(Path("input").read_bytes())
            bad.append(
                {
                    "argv": argv,
                    "code": code,
                    "input": str(saved.resolve()),
                    "log": (log + said)[-500:],
                }
            )
    print(json.dumps({"codes": codes, "contained": crashes, "bad": bad}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
