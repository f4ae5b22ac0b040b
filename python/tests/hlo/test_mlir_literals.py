"""Constants come back from MLIR as XLA prints them, to the last bit."""

from __future__ import annotations

import importlib
import re
from typing import Any

import pytest

from sdykit import hlo
from sdykit.hlo.from_mlir import from_mlir
from sdykit.hlo.to_mlir import to_mlir
from sdykit.hlo.verify import check
from sdykit.mlir import make_context
from support.hlo.mlir_comparison import round_trip

_hlo: Any = importlib.import_module("jaxlib._hlo")

FLOATS = "0, -0, 1, -2.5, 0.1, 1e-5, 3.14159265358979, 15.5, 1.7, inf, -inf, nan, -nan"
CONSTANTS = [
    *[f"{kind}[13] constant({{{FLOATS}}})" for kind in ("f64", "f32", "f16", "bf16", "f8e5m2")],
    *[f"{kind}[13] constant({{{FLOATS}}})" for kind in ("f8e4m3", "f8e3m4")],
    "f32[6] constant({3.14159274, 0.3333333433, 1.17549435e-38, 1e-45, 16777215, 0.10000002})",
    "f64[4] constant({0.1, 0.30000000000000004, 1.7976931348623157e308, 5e-324})",
    "f32[3] constant({nan(0x400001), -nan(0x1), nan(0x7fffff)})",
    "bf16[2] constant({nan(0x41), 1e20})",
    "f32[3] constant({3.40282347e+38, 1e6, 123456.7})",
    "f16[2] constant({65504, 6e-8})",
    "f8e4m3fn[3] constant({-nan, 448, 0.3})",
    "f8e4m3fnuz[3] constant({nan, 1, -0.3})",
    "f8e5m2fnuz[3] constant({nan, 1, -0.3})",
    "f8e4m3b11fnuz[3] constant({nan, 1, -0.3})",
    "c64[2] constant({(1, -2.5), (inf, 0.1)})",
    "c128[] constant((1e-300, nan))",
    "pred[] constant(true)",
    "pred[3] constant({1, false, true})",
    "pred[2,1] constant({{1},{0}})",
    "pred[2,2] constant({{1,0},{0,1}})",
    "s4[3] constant({-8, 7, 0})",
    "u2[2] constant({3, 0})",
    "s8[2] constant({-128, 127})",
    "s64[] constant(-9223372036854775808)",
    "u64[] constant(18446744073709551615)",
    "f32[2,1,3] constant({{{1,2,3}},{{4,5,6}}})",
    "f32[2,3,1] constant({{{1},{2},{3}},{{4},{5},{6}}})",
    "s32[3,0,2] constant({{},{},{}})",
    "f32[0] constant({})",
    "f32[0,2] constant({})",
    "f32[2,0] constant({{},{}})",
    "f32[3] constant({7, 7, 7})",
    *[
        f"{kind}[200] constant({{{', '.join([str(at * step % 2) for at in range(200)])}}})"
        for kind, step in (("s4", 1), ("u8", 1), ("s64", 1), ("pred", 1), ("bf16", 1))
    ],
    f"f32[200] constant({{{', '.join([str(at / 7) for at in range(200)])}}})",
    f"f64[200] constant({{{', '.join([str(-at / 7) for at in range(200)])}}})",
    f"f8e4m3fn[200] constant({{{', '.join([str(at) for at in range(200)])}}})",
    f"f8e4m3fnuz[150] constant({{{', '.join([str(at) for at in range(150)])}}})",
    f"s16[150] constant({{{', '.join([str(at - 75) for at in range(150)])}}})",
    f"c64[150] constant({{{', '.join([f'({at}, -{at})' for at in range(150)])}}})",
]


def by_xla(text: str) -> str:
    """Return a program as XLA reads and prints it."""
    check(hlo.read(text))  # XLA's parser ends the process at some invalid programs.
    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    return _hlo.hlo_module_from_text(text).to_string(options)


@pytest.mark.parametrize("constant", CONSTANTS, ids=lambda text: text[:40])
def test_constants_survive_the_round_trip_as_xla_prints_them(constant: str):
    text = by_xla(f"HloModule m\nENTRY %main {{\n  ROOT %c = {constant}\n}}\n")
    back = hlo.to_text(round_trip(text))
    # Only the name of the constant and its layout may change.
    assert re.sub(r"\{0\}|\{[\d,]+\} constant", "", back).count("constant") == 1
    assert by_xla(back) == text


def test_other_spellings_become_xlas():
    spelled = "f32[4] constant({ +1.0, .5, 1E-2, /*i=3*/ 100e-1 })"
    text = f"HloModule m\nENTRY %main {{\n  ROOT %c = {spelled}\n}}\n"
    module = hlo.read(text)
    module.entry.root.literal = "{ +1.0, .5, 1E-2, /*i0=3*/ 100e-1 }"
    found = from_mlir(to_mlir(module, make_context()))
    assert found.entry.root.literal == "{1, 0.5, 0.01, 10}"
