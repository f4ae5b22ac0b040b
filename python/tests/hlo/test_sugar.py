"""When asynchronous operations are printed as sugar, and how."""

from __future__ import annotations

import pytest

from sdykit import hlo
from sdykit.hlo.async_ops import chain, start_of, wrapped
from support.hlo.sugar_forms import (
    DONE,
    SINE,
    SPEC,
    SPEC_SUGAR,
    START,
    START_2,
    F,
    P,
    Q,
    computation,
    forms,
    program,
)
from support.hlo.sugar_programs import meaning


def test_both_forms_of_the_example_are_one_program():
    assert forms(SPEC) == (SPEC_SUGAR, SPEC)
    module, other = hlo.read(SPEC), hlo.read(SPEC_SUGAR)
    assert meaning(module) == meaning(other)
    (start,) = [op for op in other.entry if op.opcode == "async-start"]
    called = wrapped(start)
    assert called is not None
    assert [op.opcode for op in called] == ["parameter", "op"]
    assert called.root.attributes == {"op_specific_attr": "foo"}
    assert list(start.attributes) == ["calls"]
    assert [op.opcode for op in chain(start)] == ["async-start", "async-update", "async-done"]
    assert start_of(other.entry.root) is start


SUGARED = {
    "plain": (SINE, f"{START}\n{DONE}", "sine-start(x)"),
    "all parts of the start": (
        SINE,
        f'{START}, async_execution_thread="host", metadata={{op_name="m"}}, sharding={{replicated}}'
        f', frontend_attributes={{a="b"}}, backend_config={{"c":[]}}\n{DONE}',
        'sine-start(x), async_execution_thread="host", metadata={op_name="m"}, '
        'sharding={replicated}, frontend_attributes={a="b"}, backend_config={"c":[]}',
    ),
    "attributes of the operation": (
        computation(P, "ROOT r = f32[4] slice(p), slice={[0:4]}, other=1"),
        f'{START}, metadata={{op_name="m"}}, async_execution_thread="host"\n{DONE}',
        'slice-start(x), async_execution_thread="host", slice={[0:4]}, other=1, '
        'metadata={op_name="m"}',
    ),
    "control": (
        SINE,
        f"{START}, metadata={{}}, control-predecessors={{y}}\n{DONE}",
        "sine-start(x), control-predecessors={y}, metadata={}",
    ),
    "operands": (
        computation(P, Q, "ROOT r = f32[4] subtract(p, q)"),
        f"{START_2}\n{DONE}",
        "subtract-start(x, y)",
    ),
    "one operand twice": (
        computation(P, Q, "ROOT r = f32[4] subtract(p, q)"),
        f"{START_2.replace('x, y', 'x, x')}\n{DONE}",
        "subtract-start(x, x)",
    ),
    "no operands": (
        computation("ROOT r = u32[] partition-id()"),
        "s = ((), u32[]) async-start(), calls=w\nd = u32[] async-done(s)",
        "partition-id-start()",
    ),
    "a computation of its own": (
        SINE.replace("sine(p)", "fusion(p), kind=kLoop, calls=f"),
        f"{START}\n{DONE}",
        "fusion-start(x), kind=kLoop, calls=f",
    ),
    "several outputs and a layout": (
        computation(P, 'ROOT r = (f32[4], (s32[], f32[2,2]{0,1})) custom-call(p), custom_call_target="c"'),
        "s = ((f32[4]{0}), (f32[4], (s32[]{}, f32[2,2]{0,1})), u32[]{:S(2)}) async-start(x), calls=w"
        "\nd = (f32[4], (s32[], f32[2,2]{0,1})) async-done(s)",
        'custom-call-start(x), custom_call_target="c"',
    ),
    "a thread that the computation names": (
        computation(P, "ROOT r = f32[4] sine(p)", more=', execution_thread="host"'),
        f'{START}, async_execution_thread="host"\n{DONE}',
        'sine-start(x), async_execution_thread="host"',
    ),
    "the main thread": (
        SINE,
        f'{START}, async_execution_thread="main"\n{DONE}',
        'sine-start(x), async_execution_thread="main"',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SUGARED)
def test_a_chain_that_sugar_can_express_is_printed_as_sugar(name: str):
    wrapped, chain, expected = SUGARED[name]
    sugared, explicit = forms(program(wrapped, chain, F))
    assert expected in sugared
    assert "async-" not in sugared
    assert sugared.count("-done(s)") == 1
    assert " async-start(" in explicit
    assert " async-done(" in explicit


EXPLICIT = {
    "operands swapped": (computation(P, Q, "ROOT r = f32[4] subtract(q, p)"), START_2),
    "a parameter twice": (computation(P, "ROOT r = f32[4] add(p, p)"), START),
    "a parameter unused": (computation(P, Q, "ROOT r = f32[4] sine(p)"), START_2),
    "parameters in another order": (computation(Q, P, "ROOT r = f32[4] add(p, q)"), START_2),
    "numbers spelled otherwise": (SINE.replace("(0)", "(00)"), START),
    "metadata of the root": (SINE.replace("(p)", '(p), metadata={op_name="m"}'), START),
    "sharding of the root": (SINE.replace("(p)", "(p), sharding={replicated}"), START),
    "control in the computation": (SINE.replace("(p)", "(p), control-predecessors={p}"), START),
    "attributes of a parameter": (SINE.replace("(0)", "(0), sharding={replicated}"), START),
    "an instruction after the root": (
        computation(P, "ROOT r = f32[4] sine(p)", "z = f32[4] abs(p)"),
        START,
    ),
    "the root is not the last": (
        computation("ROOT r = f32[4] iota()", P).replace("iota()", "sine()"),
        START,
    ),
    "more instructions": (computation(P, "n = f32[4] abs(p)", "ROOT r = f32[4] sine(n)"), START),
    "a parameter as root": (computation(f"ROOT {P}"), START),
    "a parameter as root, and more": (computation(f"ROOT {P}", "z = f32[4] sine(p)"), START),
    "a constant": (
        computation("ROOT r = f32[4] constant({...})"),
        "s = ((), f32[4]) async-start(), calls=w",
    ),
    "another thread": (SINE.replace("}\n", '}, execution_thread="a"\n'), START),
    "more than a thread": (SINE.replace("}\n", "}, other=1\n"), START),
    "something else on the start": (SINE, f"{START}, output_to_operand_aliasing={{}}"),
    "another layout of a parameter": (
        computation("p = f32[2,2]{0,1} parameter(0)", "ROOT r = f32[4] reshape(p)"),
        "m = f32[2,2] reshape(x)\ns = ((f32[2,2]), f32[4]) async-start(m), calls=w",
    ),
    "another shape of the root": (SINE, START.replace("), f32[4])", "), f32[4]{0:S(1)})")),
    "no tuple": (SINE, START.replace("((f32[4]), f32[4])", "f32[4]")),
    "fewer operands than parameters": (
        computation(P, Q, "ROOT r = f32[4] subtract(p, q)"),
        START,
    ),
    "called by two": (SINE, f"{START}\nt = ((f32[4]), f32[4]) async-start(y), calls=w"),
    "called by another": (SINE, f"{START}\nt = f32[4] call(y), to_apply=w"),
    "called by its update": (
        SINE,
        f"{START}\nu = ((f32[4]), f32[4]) async-update(s), calls=f",
    ),
    "all-reduce": (SINE.replace("sine(p)", "all-reduce(p), to_apply=f"), START),
    "copy": (SINE.replace("sine", "copy"), START),
    "send": (SINE.replace("sine", "send"), START),
    "recv": (SINE.replace("sine", "recv"), START),
    "an opcode that starts": (SINE.replace("sine", "copy-start"), START),
    "an opcode that would be the generic one": (SINE.replace("sine", "async"), START),
    "no computation": (SINE, START.replace("calls=w", "calls={\n  a = f32[4] parameter(0) }")),
}


@pytest.mark.parametrize("name", EXPLICIT)
def test_a_chain_that_sugar_cannot_express_is_printed_explicitly(name: str):
    wrapped, chain = EXPLICIT[name]
    sugared, explicit = forms(program(wrapped, chain, F))
    if name != "called by its update":
        assert sugared == explicit
    assert " async-" in sugared


def test_a_wrapped_entry_computation_is_printed():
    text = f"HloModule m\n\nENTRY {SINE}\nv {{\nx = f32[4] parameter(0)\n{START}\n}}\n"
    assert " async-start(" in forms(text)[0]


@pytest.mark.parametrize(
    "line",
    [
        "u = ((f32[4]), f32[4]) async-update(s), other=1",
        "u = ((f32[4]), f32[4]) async-update(s, x)",
    ],
)
def test_an_update_that_sugar_cannot_express_is_printed_explicitly(line: str):
    sugared, _ = forms(program(SINE, f"{START}\n{line}"))
    assert "sine-start(x)" in sugared
    assert line in sugared
