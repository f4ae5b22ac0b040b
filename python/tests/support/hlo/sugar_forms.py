"""Programs in both forms, with sugar and without, and their comparison."""

from __future__ import annotations

from sdykit import hlo
from support.hlo.sugar_programs import meaning

SPEC = """\
HloModule spec

%async_op {
  %param0 = f32[64] parameter(0)
  ROOT %op = f32[32] op(f32[64] %param0), op_specific_attr=foo
}

ENTRY %main {
  %operand = f32[64] parameter(0)
  %async-start = ((f32[64]), f32[32], s32[]) async-start(f32[64] %operand), calls=%async_op
  %async-update = ((f32[64]), f32[32], s32[]) async-update(%async-start)
  ROOT %async-done = f32[32] async-done(%async-update)
}

"""
SPEC_SUGAR = """\
HloModule spec

ENTRY %main {
  %operand = f32[64] parameter(0)
  %async-start = ((f32[64]), f32[32], s32[]) op-start(f32[64] %operand), op_specific_attr=foo
  %async-update = ((f32[64]), f32[32], s32[]) op-update(%async-start)
  ROOT %async-done = f32[32] op-done(%async-update)
}

"""


def program(wrapped: str, chain: str, before: str = "") -> str:
    """Return a module; `wrapped` is a computation, `chain` lines of the entry computation."""
    return f"""HloModule m

{before}
{wrapped}
ENTRY main {{
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
{chain}
}}
"""


def computation(*lines: str, more: str = "") -> str:
    return "w {\n" + "\n".join(lines) + f"\n}}{more}\n"


P = "p = f32[4] parameter(0)"
Q = "q = f32[4] parameter(1)"
SINE = computation(P, "ROOT r = f32[4] sine(p)")
START = "s = ((f32[4]), f32[4]) async-start(x), calls=w"
DONE = "d = f32[4] async-done(s)"
F = "f {\nROOT of_f = f32[4] parameter(0)\n}\n"
START_2 = "s = ((f32[4], f32[4]), f32[4]) async-start(x, y), calls=w"


def forms(text: str) -> tuple[str, str]:
    """Return a program with sugar and without; check that both read back as the same program."""
    module = hlo.read(text)
    sugared, explicit = hlo.to_text(module), hlo.to_text(module, syntax_sugar=False)
    for form in (sugared, explicit):
        assert meaning(hlo.read(form)) == meaning(module)
        assert hlo.to_text(hlo.read(form)) == sugared
    return sugared, explicit
