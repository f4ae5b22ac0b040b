"""Wrapping and unwrapping HLO: nested chains, threads, and attributes of starts."""

from __future__ import annotations

from typing import Any

import pytest

from sdykit import hlo
from sdykit.core.plan import plan
from sdykit.hlo.verify import verify

HEAD = "HloModule m\n"
SINE = """
%sine {
  %y = f32[4] parameter(0)
  ROOT %z = f32[4] sine(%y)
}
"""


def run(text: str, pipeline: str) -> str:
    module = hlo.read(text, "n.hlo")
    for step in plan(pipeline):
        assert verify(module) == []
        each: Any = step.run
        each.run_hlo(module)
    assert verify(module) == []
    return hlo.to_text(module, syntax_sugar=False)


def nested(depth: int) -> str:
    """Return a program in which a chain wraps a chain, and so on, `depth` times."""
    group = 'frontend_attributes={_collectives_group=""}'
    parts, called = [HEAD, SINE], "sine"
    for number in range(depth):
        entry = "ENTRY " if number == depth - 1 else ""
        parts.append(f"""
{entry}%c{number} {{
  %x = f32[4] parameter(0)
  %s = ((f32[4]), f32[4]) async-start(%x), calls=%{called}, {group}
  ROOT %d = f32[4] async-done(%s)
}}
""")
        called = f"c{number}"
    return "".join(parts)


@pytest.mark.parametrize("depth", [1, 2, 3, 2000])
def test_nested_chains_are_unwrapped_innermost_first(depth: int):
    text = run(nested(depth), "async-unwrap")
    assert text.count("\n%") == text.count("async-") == 0
    assert text.count("sine(%x)") == text.count("ENTRY") == 1


def test_nested_chains_are_unwrapped_in_any_order_of_computations():
    head, *parts = nested(3).rstrip("\n").split("\n\n")
    text = "\n\n".join([head, *reversed(parts)])
    assert text.index("%c2 {") < text.index("%c0 {")
    assert run(text, "async-unwrap").replace("z.1", "z") == run(nested(3), "async-unwrap")


LOOP = """
%body (x: f32[4]) -> f32[4] {
  %x = f32[4] parameter(0)
  ROOT %c = f32[4] call(%x), to_apply=%sine
}

%condition (x: f32[4]) -> pred[] {
  %x = f32[4] parameter(0)
  ROOT %p = pred[] constant(true)
}

ENTRY %main (a: f32[4]) -> f32[4] {
  %a = f32[4] parameter(0)
  ROOT %w = f32[4] while(%a), condition=%condition, body=%body
}

"""


@pytest.mark.parametrize("ops", ["while", "call", "while,call"])
def test_called_computations_move_to_the_thread_and_back(ops: str):
    text = HEAD + SINE + LOOP
    wrapped = run(text, f"async-wrap{{ops={ops} execution-thread=sparsecore}}")
    assert wrapped.count('}, execution_thread="sparsecore"') >= 2
    assert run(wrapped, "async-unwrap") == text
    assert run(wrapped, "async-unwrap{execution-thread=host}") == wrapped


def test_chains_of_one_of_two_threads_are_unwrapped():
    text = HEAD + SINE + LOOP
    inner = run(text, "async-wrap{ops=call execution-thread=host}")
    both = run(inner, "async-wrap{ops=while execution-thread=sparsecore}")
    assert run(both, "async-unwrap{execution-thread=sparsecore}") == inner
    assert run(both, "async-unwrap") == text


STARTS = """
ENTRY %main {
  %x = f32[4] parameter(0)
  %s = ((f32[4]), f32[4]) custom-call-start(%x), custom_call_target="f", METADATA
  ROOT %d = f32[4] custom-call-done(%s)
}

"""


def test_new_instructions_have_the_place_of_the_operation():
    module = hlo.read(HEAD + SINE + LOOP, "n.hlo")
    (step,) = plan("async-wrap{ops=while}")
    wrap: Any = step.run
    wrap.run_hlo(module)
    (computation,) = [each for each in module if each.name == "async_w"]
    built = [computation, *computation, *list(module.entry)[-2:]]
    assert {str(each.location) for each in built} == {"n.hlo:20:8"}


def test_the_unwrapped_operation_takes_over_attributes_of_the_start():
    own = 'metadata={op_name="o"}, frontend_attributes={a="b"}, backend_config={"k":1}'
    text = run(HEAD + STARTS.replace("METADATA", f"{own}, sharding={{replicated}}"), "async-unwrap")
    assert f'custom-call(%x), custom_call_target="f", {own}\n' in text


def test_the_unwrapped_operation_keeps_its_own_metadata():
    wrapped = SINE.replace("(%y)", '(%y), metadata={op_name="inner"}')
    chain = STARTS.replace('custom_call_target="f"', "calls=%sine").replace("custom-call", "async")
    text = run(HEAD + wrapped + chain.replace("METADATA", 'metadata={op_name="m"}'), "async-unwrap")
    assert 'sine(%x), metadata={op_name="inner"}\n' in text


def test_an_operand_that_is_the_result_takes_over_nothing():
    wrapped = "\n%same {\n  ROOT %y = f32[4] parameter(0)\n}\n"
    chain = STARTS.replace('custom_call_target="f"', "calls=%same").replace("custom-call", "async")
    text = run(HEAD + wrapped + chain.replace("METADATA", 'metadata={op_name="m"}'), "async-unwrap")
    assert text == f"{HEAD}\nENTRY %main {{\n  ROOT %x = f32[4] parameter(0)\n}}\n\n"
