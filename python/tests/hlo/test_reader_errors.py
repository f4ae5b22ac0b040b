"""Errors of the reader have the place, what was found and what was expected."""

from __future__ import annotations

import pytest

from sdykit import hlo
from sdykit.errors import SdykitError

HEAD = "HloModule m\nENTRY e {\n p = f32[2] parameter(0)\n"
"""The lines before the invalid ones, which start on line 4."""

IN_A_COMPUTATION = {
    "q f32[2] add(p)": "4:3: error: expected '=' after the name q, found 'f32'",
    "q = add(p, p)": "4:5: error: expected a shape, found 'add'",
    "q = [2] add(p, p)": "4:5: error: expected a shape, found '['",
    "q = f32[2] add": "4:12: error: expected an opcode with operands in parentheses, found 'add'",
    "q = f32[2] {0}": "5:1: error: expected an opcode with operands in parentheses, found '}'",
    "q = f32[2 add(p, p)": "5:1: error: found '}', but '[' is not closed: the one at 4:8",
    "q = f32[2] add(p, p": "5:1: error: found '}', but '(' is not closed: the one at 4:15",
    "q = f32[2] add(p p)": "4:18: error: expected ',' or ')' after operand p, found 'p'",
    "q = f32[2] add(p,, p)": "4:18: error: expected the name of an operand, found ','",
    "q = f32[2] add(p, )": "4:19: error: expected the name of an operand, found ')'",
    "q = f32[2] add(3)": "4:16: error: expected the name of an operand, found '3'",
    "q = f32[2] add(%)": "4:16: error: expected the name of an operand, found '%'",
    "q = f32[2] add(f32[2] )": "4:23: error: expected the name of an operand, found ')'",
    "q = f32[2] add(p, r)": "4:19: error: there is no instruction r above",
    "q = f32[2] add(p, %q)": "4:19: error: there is no instruction %q above",
    "q = f32[2] add(f32[3] p)": "4:16: error: operand p is f32[2], not f32[3]",
    "q = f32[2] add(p), 3": "4:20: error: expected an attribute `name=value`, found '3'",
    "q = f32[2] add(p), a": "4:20: error: expected an attribute `name=value`, found 'a'",
    "q = f32[2] add(p), a =1": "4:20: error: expected an attribute `name=value`, found 'a'",
    "q = f32[2] add(p), a=, b=1": "4:22: error: expected a value, found ','",
    "q = f32[2] add(p), a=1, a=2": "4:25: error: attribute a is given twice",
    "q = f32[2] add(p), a={[1": "5:1: error: found '}', but '[' is not closed: the one at 4:23",
    "q = f32[2] add(p), a={(1}": "4:25: error: found '}', but '(' is not closed: the one at 4:23",
    'q = f32[2] add(p), a="1': "4:22: error: the string that starts here does not end",
    "q = f32[2] add(p), to_apply=%f": "4:20: error: there is no computation f",
    "q = f32[2] add(p), branch_computations={e, %g}": "4:20: error: there is no computation g",
    "q = f32[2] add(p), control-predecessors={z}": "4:20: error: there is no instruction z above",
    "q = f32[2] add(p), control-predecessors={}": (
        "4:20: error: expected names in braces, found {}"
    ),
    "p = f32[2] add(p)": "4:1: error: instruction p is defined already",
    "ROOT q = f32[2] add(p) ROOT r = f32[2] add(p)": "4:29: error: computation e has a ROOT",
    "q = f32[2] parameter(x)": "4:22: error: expected the number of a parameter, found 'x'",
    "q = f32[2] parameter(-1)": "4:22: error: expected the number of a parameter, found '-'",
    "q = f32[2] parameter(2)": "4:1: error: parameter numbers must be 0 to 1, each once; found 2",
    "q = f32[2] parameter(0)": "4:1: error: parameter numbers must be 0 to 1, each once; found 0",
    "q = f32[2] constant({1)": "4:23: error: found ')', but '{' is not closed: the one at 4:21",
    "3 = f32[2] add(p)": "4:1: error: expected an instruction or '}', found '3'",
    "/* no end": "4:1: error: the comment that starts here does not end",
}  # fmt: skip
MODULES = {
    "": "1:1: error: expected 'HloModule' or a computation, found the end of the text",
    "// none": "1:8: error: expected 'HloModule' or a computation, found the end of the text",
    "module {": "1:9: error: expected an instruction or '}', found the end of the text",
    "HloModule": "1:10: error: expected '(' or '{', found the end of the text",
    "HloModule m": "1:12: error: expected a computation, found the end of the text",
    'HloModule "m"': "1:11: error: expected '(' or '{', found \"m\"",
    "HloModule m\n\n@": "3:1: error: expected a computation, found '@'",
    "HloModule m, x": "1:14: error: expected an attribute `name=value`, found 'x'",
    "HloModule m\ne": "2:2: error: expected '(' or '{', found the end of the text",
    "HloModule m\ne (x: f32[2]": "2:13: error: expected ',' or ')', found the end of the text",
    "HloModule m\ne (x: f32[2]) {": "2:15: error: expected '->' and the shape of the result",
    "HloModule m\ne (f32[2] x) -> f32[] {": "2:7: error: expected ':' after parameter f32",
    "HloModule m\ne (3) -> f32[] {": "2:4: error: expected a parameter `name: shape`, found '3'",
    "HloModule m\ne () -> {": "2:9: error: expected a shape, found '{'",
    "HloModule m\ne () -> f32[] p": "2:15: error: expected '{' and instructions, found 'p'",
    "HloModule m\ne {}": "2:4: error: expected an instruction, found '}'",
    "HloModule m\ne {p = f32[] parameter(0)}\ne {p = f32[] parameter(0)}": (
        "3:1: error: computation e is defined already"
    ),
    "HloModule m\nENTRY e {p = f32[] parameter(0)}\nENTRY f {p = f32[] parameter(0)}": (
        "3:7: error: e is the ENTRY already"
    ),
    "HloModule m\ne () -> s32[] {p = f32[] parameter(0)}": (
        "2:1: error: the result is declared as s32[], but the root is f32[]"
    ),
    "HloModule m\ne {p = f32[] parameter(0)}, x=1, x=2": "2:34: error: attribute x is given twice",
    "HloModule m\ne {p = f32[] parameter(0)} }": "2:28: error: expected a computation, found '}'",
}  # fmt: skip


@pytest.mark.parametrize("line", IN_A_COMPUTATION)
def test_errors_in_a_computation_have_place_and_expectation(line: str):
    with pytest.raises(hlo.HloSyntaxError) as caught:
        hlo.read(f"{HEAD}{line}\n}}\n", "f.hlo")
    assert str(caught.value).startswith(f"f.hlo:{IN_A_COMPUTATION[line]}")
    assert isinstance(caught.value, SdykitError)


@pytest.mark.parametrize("text", MODULES)
def test_errors_in_a_module_have_place_and_expectation(text: str):
    with pytest.raises(hlo.HloSyntaxError) as caught:
        hlo.read(text)
    assert str(caught.value).startswith(f"<string>:{MODULES[text]}")
    assert caught.value.location is not None
