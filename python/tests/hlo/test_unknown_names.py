"""Warnings of names that XLA does not have, and a comparison of our tables with its parser."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from sdykit import hlo
from sdykit.hlo.opcodes import ELEMENT_TYPES, OPCODES, opcode_of
from sdykit.hlo.verify.unknown_names import unknown_names

PROGRAM = """HloModule m

ENTRY e {
  p = f33[2] parameter(0)
  q = f33[2] addd(p, p)
  r = (f32[2], bf61[]) foo(q)
  s = f33[2] addd(q, q)
  t-start = ((f33[2]), f32[2]) negat-start(s)
  ROOT t-done = f32[2] negat-done(t-start)
}
"""


def warnings(text: str) -> list[str]:
    return [str(each) for each in unknown_names(hlo.read(text, "f"))]


def test_each_unknown_name_is_reported_once_at_its_first_place():
    assert warnings(PROGRAM) == [
        "f:4:3: warning: XLA has no element type 'f33'; did you mean 'f32'?",
        "f:5:3: warning: XLA has no opcode 'addd'; did you mean 'add'?",
        "f:6:3: warning: XLA has no opcode 'foo'; did you mean 'floor'?",
        "f:6:3: warning: XLA has no element type 'bf61'; did you mean 'bf16'?",
        "f:8:3: warning: XLA has no opcode 'negat'; did you mean 'negate'?",
    ]


def unknown_to_xla(lines: list[str]) -> list[bool]:
    """Return which lines have a name that jaxlib's parser, in another process, does not know."""
    program = """
import json, sys
from jaxlib import _hlo
def unknown(line):
    try:
        _hlo.hlo_module_from_text(f"HloModule m\\nENTRY e {{\\n  ROOT r = {line}\\n}}\\n")
    except RuntimeError as error:
        return "Unknown opcode" in str(error)
    return False
json.dump([unknown(line) for line in json.load(sys.stdin)], sys.stdout)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_xla_knows_all_opcodes_and_element_types_of_the_tables():
    # The parser ends the process on some of these without operands or of rank 1.
    opcodes = sorted(OPCODES - {"conditional", "dot", "partition-id", "replica-id", "tuple"})
    types = sorted(ELEMENT_TYPES - {"opaque", "token"})
    lines = [f"f32[2] {each}()" for each in opcodes] + [f"{each}[2] parameter(0)" for each in types]
    assert not any(unknown_to_xla(lines))
    assert all(unknown_to_xla(["f32[2] addd()", "f33[2] parameter(0)"]))


@pytest.mark.parametrize(
    ("name", "opcode"),
    [
        ("dot", "dot"),
        ("stablehlo.dot_general", "dot"),
        ("mhlo.add", "add"),
        ("dot_general", "dot"),
        ("func.call", "call"),
        ("custom_call", "custom-call"),
        ("stablehlo.optimization_barrier", "opt-barrier"),
        ("sdy.all_gather", "sdy.all_gather"),
    ],
)
def test_names_of_ops_are_converted_to_opcodes(name: str, opcode: str):
    assert opcode_of(name) == opcode
