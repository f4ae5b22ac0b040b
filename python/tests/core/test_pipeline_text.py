from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.core.pipeline_text import Nest, PassCall, parse_anchored, parse_elements, parse_pipeline
from sdykit.errors import PipelineError

CSE = PassCall("cse")


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("", ()),
        ("cse", (CSE,)),
        (" cse , cse\n", (CSE, CSE)),
        ("a{x=1 y={2 3}}", (PassCall("a", "x=1 y={2 3}"),)),
        ("a{x='}'}", (PassCall("a", "x='}'"),)),
        ("a{}", (PassCall("a"),)),
        ("func.func(cse,b-c)", (Nest("func.func", (CSE, PassCall("b-c"))),)),
        ("m( )", (Nest("m", ()),)),
        ("m(n(cse),cse),cse", (Nest("m", (Nest("n", (CSE,)), CSE)), CSE)),
    ],
)
def test_text_is_parsed_into_elements(text: str, elements: tuple):
    assert parse_elements(text) == elements


@pytest.mark.parametrize(
    "text", ["cse", "builtin.module(cse)", "any(cse)", " builtin.module( cse ) "]
)
def test_the_outer_module_may_be_left_out(text: str):
    assert parse_pipeline(text) == (CSE,)


def test_a_pipeline_for_another_op_is_an_error():
    with pytest.raises(PipelineError, match=r"can't run a pipeline anchored on 'scf\.for'"):
        parse_pipeline("scf.for(cse)")


def test_an_anchored_pipeline_must_name_its_op():
    assert parse_anchored("scf.for(cse)") == Nest("scf.for", (CSE,))
    for text in ("", "cse", "m(cse),n(cse)", "a{x}"):
        with pytest.raises(PipelineError, match="to be wrapped with the anchor operation type"):
            parse_anchored(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cse,", "expected the name of a pass or op at column 5, found the end"),
        (",cse", "expected the name of a pass or op at column 1, found ','"),
        ("m(cse", "expected ')' to close 'm(' at column 6, found the end"),
        ("m(cse}", "expected ')' to close 'm(' at column 6, found '}'"),
        ("cse)", "expected ',' or the end of the pipeline at column 4, found ')'"),
        ("cse cse", "expected ',' or the end of the pipeline at column 5, found 'c'"),
        ("a{x", "'}' expected to close '{x'"),
        ("a{x='y}", "''' expected to close ''y}'"),
        ("m(" * 200, "pipeline: found more than 100 levels of nesting; expected 100 or fewer"),
    ],
)
def test_malformed_text_is_an_error_with_its_column(text: str, message: str):
    with pytest.raises(PipelineError) as raised:
        parse_elements(text)
    assert message in str(raised.value)


NAMES = st.from_regex(r"\A[a-z][a-z0-9.-]{0,6}\Z")
CALLS = st.builds(PassCall, NAMES, st.sampled_from(["", "a=1", "a={b c} d", "e='}'"]))
ELEMENTS = st.recursive(
    CALLS,
    lambda inner: st.builds(Nest, NAMES, st.lists(inner, max_size=3).map(tuple)),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.lists(ELEMENTS, max_size=4).map(tuple))
def test_printed_elements_are_parsed_again(elements: tuple):
    assert parse_elements(",".join(map(str, elements))) == elements


@settings(deadline=None)
@given(st.text("ab.,(){}='\" -", max_size=16))
def test_any_text_is_parsed_or_refused(text: str):
    try:
        elements = parse_elements(text)
    except PipelineError:
        return
    assert parse_elements(",".join(map(str, elements))) == elements
