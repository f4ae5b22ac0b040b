"""Reading the two forms of asynchronous operations, and errors in them."""

from __future__ import annotations

import pytest

from sdykit import hlo
from sdykit.hlo.async_ops import thread_of
from support.hlo.sugar_forms import SINE, START, F, P, computation, forms, program


def test_a_chain_may_mix_both_forms():
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


def test_a_computation_in_place_of_its_name_is_kept_as_text():
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
def test_a_bare_first_element_becomes_a_tuple(operand: str, written: str, printed: str):
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


def test_sugar_may_be_nested():
    inner = computation(P, "s = ((f32[4]), f32[4]) sine-start(p)", "ROOT d = f32[4] sine-done(s)")
    chain = "s = ((f32[4]), f32[4]) call-start(x), to_apply=w\nROOT d = f32[4] call-done(s)"
    sugared, explicit = forms(program(inner, chain))
    assert "call-start(x), to_apply=w" in sugared
    assert "sine-start(p)" in sugared
    assert explicit.count(" async-start(") == 2


def test_new_computations_and_instructions_get_free_names():
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
def test_invalid_sugar_is_an_error_at_its_place(chain: str):
    with pytest.raises(hlo.HloSyntaxError) as caught:
        hlo.read(program(SINE.rstrip(), chain), "f.hlo")
    assert BAD[chain] in str(caught.value)
    assert str(caught.value).startswith("f.hlo:")
