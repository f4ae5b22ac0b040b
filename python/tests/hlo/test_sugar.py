"""The two forms of asynchronous operations: what is read, and when sugar is printed."""

from __future__ import annotations

import pytest

from hlo.sugar_programs import meaning
from sdykit import hlo
from sdykit.hlo.async_ops import chain, start_of, thread_of, wrapped

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
    """Write a module; `wrapped` is a computation, `chain` is in the entry computation."""
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
START_2 = "s = ((f32[4], f32[4]), f32[4]) async-start(x, y), calls=w"


def forms(text: str) -> tuple[str, str]:
    """Print a text as sugar and without; check that all that is read again is the same."""
    module = hlo.read(text)
    sugared, explicit = hlo.to_text(module), hlo.to_text(module, syntax_sugar=False)
    for form in (sugared, explicit):
        assert meaning(hlo.read(form)) == meaning(module)
        assert hlo.to_text(hlo.read(form)) == sugared
    return sugared, explicit


def test_both_forms_of_the_specification():
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
F = "f {\nROOT of_f = f32[4] parameter(0)\n}\n"


@pytest.mark.parametrize("name", SUGARED)
def test_sugar(name: str):
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
    "something behind the root": (
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
def test_no_sugar(name: str):
    wrapped, chain = EXPLICIT[name]
    sugared, explicit = forms(program(wrapped, chain, F))
    if name != "called by its update":
        assert sugared == explicit
    assert " async-" in sugared


def test_the_entry_is_not_hidden():
    text = f"HloModule m\n\nENTRY {SINE}\nv {{\nx = f32[4] parameter(0)\n{START}\n}}\n"
    assert " async-start(" in forms(text)[0]


@pytest.mark.parametrize(
    "line",
    [
        "u = ((f32[4]), f32[4]) async-update(s), other=1",
        "u = ((f32[4]), f32[4]) async-update(s, x)",
    ],
)
def test_updates_that_sugar_cannot_carry(line: str):
    sugared, _ = forms(program(SINE, f"{START}\n{line}"))
    assert "sine-start(x)" in sugared
    assert line in sugared


def test_mixed_chains():
    chain = """
    s = ((f32[4]), f32[4]) sine-start(x), async_execution_thread="host"
    u = ((f32[4]), f32[4]) async-update(s), async_execution_thread="host"
    v = ((f32[4]), f32[4]) sine-update(u)
    d = f32[4] async-done(v)
    s2 = ((f32[4]), f32[4]) async-start(y), calls=w
    u2 = ((f32[4]), f32[4]) sine-update(s2)
    d2 = f32[4] sine-done(u2), metadata={op_name="d"}"""
    sugared, explicit = forms(program(SINE, chain))
    assert "async-" not in sugared
    assert "calls=async_wrapped" in explicit
    assert explicit.count('execution_thread="host"') == 2
    module = hlo.read(sugared)
    assert thread_of(module.entry.by_name["d"]) == "host"
    assert thread_of(module.entry.by_name["d2"]) == "main"


def test_computations_written_in_place():
    inline = "calls={\n  ROOT a = f32[4] parameter(0) }"
    chain = f"{START}\nd = f32[4] async-done(s), {inline}".replace("calls=w", inline)
    sugared, _ = forms(program("", chain))
    assert sugared.count(inline) == 2


def test_operation_attributes_on_updates_are_dropped_if_equal():
    chain = """
    s = ((f32[4]), f32[2]) slice-start(x), slice={[0:2]}, metadata={op_name="s"}
    u = ((f32[4]), f32[2]) slice-update(s), slice={ [0:2] }, metadata={op_name="u"}
    d = f32[2] slice-done(u), slice={[0:2]}"""
    sugared, _ = forms(program("", chain))
    assert sugared.count("slice={[0:2]}") == 1
    assert 'slice-update(s), metadata={op_name="u"}' in sugared


def test_the_computation_on_updates_is_dropped_if_equal():
    chain = f"{START}\nu = ((f32[4]), f32[4]) async-update(s), calls=w\nd = f32[4] async-done(u), calls=w"
    _, explicit = forms(program(SINE, chain))
    assert explicit.count("calls=w") == 1


@pytest.mark.parametrize(
    ("operand", "written", "printed"),
    [
        ("f32[4]", "(f32[4], f32[2], s32[])", "((f32[4]), f32[2], s32[])"),
        ("f32[4]{0}", "(f32[4], f32[2])", "((f32[4]), f32[2])"),
        ("f32[4]", "((f32[4]), f32[2])", "((f32[4]), f32[2])"),
        ("(f32[4])", "((f32[4]), f32[2])", "(((f32[4])), f32[2])"),
        ("(f32[4])", "(((f32[4])), f32[2])", "(((f32[4])), f32[2])"),
        ("(f32[4], s32[])", "((f32[4], s32[]), f32[2])", "(((f32[4], s32[])), f32[2])"),
        ("()", "((), f32[2])", "((()), f32[2])"),
        ("f32[4]", "((f32[4], f32[4]), f32[2])", "((f32[4], f32[4]), f32[2])"),
        (
            "f32[4]",
            "(f32[4], f32[2], s32[], s32[], s32[], s32[])",
            "((f32[4]), f32[2], s32[], s32[], s32[], /*index=5*/s32[])",
        ),
    ],
)
def test_a_bare_first_element(operand: str, written: str, printed: str):
    text = f"""HloModule m
    ENTRY e {{
      x = {operand} parameter(0)
      s = {written} custom-call-start(x), custom_call_target="c"
      u = {written} custom-call-update(s)
      d = f32[2] custom-call-done(u)
    }}"""
    sugared, explicit = forms(text)
    for form in (sugared, explicit):
        assert f"s = {printed} " in form
        assert f"u = {printed} " in form


def test_first_class_opcodes_stay_what_they_are():
    chain = """
    c = (f32[4], f32[4], u32[]) copy-start(x)
    d = f32[4] copy-done(c)
    t = token[] after-all()
    n = (f32[4], u32[], token[]) send(x, t), channel_id=1
    o = token[] send-done(n), channel_id=1
    a = f32[4] all-reduce-start(y), to_apply=f
    b = f32[4] all-reduce-done(a)"""
    sugared, explicit = forms(program("", chain, F))
    assert sugared == explicit
    assert "copy-start(x)" in sugared
    assert "async" not in sugared


def test_nested_chains():
    inner = computation(P, "s = ((f32[4]), f32[4]) sine-start(p)", "ROOT d = f32[4] sine-done(s)")
    chain = "s = ((f32[4]), f32[4]) call-start(x), to_apply=w\nROOT d = f32[4] call-done(s)"
    sugared, explicit = forms(program(inner, chain))
    assert "call-start(x), to_apply=w" in sugared
    assert "sine-start(p)" in sugared
    assert explicit.count(" async-start(") == 2


def test_names_that_are_taken():
    taken = "async_wrapped {\nasync_param = f32[4] parameter(0)\nROOT sine = f32[4] abs(async_param)\n}\n"
    chain = "s = ((f32[4]), f32[4]) sine-start(x)\nd = f32[4] sine-done(s)"
    _, explicit = forms(program("", f"{chain}\nz = f32[4] call(d), to_apply=async_wrapped", taken))
    assert "calls=async_wrapped.1" in explicit
    assert "sine.1 = f32[4] sine(async_param.1)" in explicit


BAD = {
    "s = (f32[4]) sine-start(x)": "11:1: error: expected a shape ((operands), output, context...)",
    "s = f32[4] sine-start(x)": "11:1: error: expected a shape ((operands), output, context...)",
    "s = ((), f32[4]) constant-start()": "11:1: error: constant-start: constant cannot be async",
    "s = ((), f32[4]) parameter-start()": "11:1: error: parameter-start: parameter cannot be",
    "s = ((f32[4]), f32[4]) sine-done-start(x)": "sine-done cannot be asynchronous",
    "s = ((f32[4]), f32[4]) async-start-start(x)": "async-start cannot be asynchronous",
    "d = f32[4] sine-done(x)": "11:1: error: sine-done expects one operand, a start or update of",
    "d = f32[4] sine-done()": "11:1: error: sine-done expects one operand, a start or update of",
    f"{START}\nd = f32[4] cosine-done(s)": "12:1: error: cosine-done expects a chain of cosine; %s",
    f"{START}\nu = ((f32[4]), f32[4]) sine-update(s), k=1": "12:40: error: k=1 differs from the",
    "s = ((f32[4]), f32[4]) abs-start(x), k=2\nu = ((f32[4]), f32[4]) abs-update(s), k=1": (
        "12:39: error: k=1 differs from the start, which has k=2"
    ),
    's = ((f32[4]), f32[4]) abs-start(x), k="a b"\nd = f32[4] abs-done(s), k="ab"': (
        '12:25: error: k="ab" differs from the start, which has k="a b"'
    ),
    "s = ((f32[4]), f32[4]) async-start(x)\nd = f32[4] sine-done(s)": "%s wraps no computation",
}  # fmt: skip


@pytest.mark.parametrize("chain", BAD)
def test_errors(chain: str):
    with pytest.raises(hlo.HloSyntaxError) as caught:
        hlo.read(program(SINE.rstrip(), chain), "f.hlo")
    assert BAD[chain] in str(caught.value)
    assert str(caught.value).startswith("f.hlo:")
