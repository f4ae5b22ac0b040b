"""What MLIR's parser rejects, ours rejects, with an error that says what and where."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.dialects import mpmd, sdy
from sdykit.dialects.base import View
from sdykit.dialects.text import _TOKEN
from sdykit.errors import AttributeSyntaxError
from sdykit.mlir import ir
from support.amounts import examples
from support.dialects.strategies import any_view, is_utf8, parse_with_mlir, view_of
from support.dialects.subjects import DIALECTS

# What MLIR's verifier says; our parser checks the format only.
VERIFIER = re.compile(
    r"axis size must be|duplicate axis name|device id|axes is empty and|propagation edges have"
)


def mlir_error(kind: type[View], text: str, context: ir.Context) -> str:
    """Return what MLIR says against a text; empty if it accepts it."""
    try:
        parse_with_mlir(kind, text, context)
    except ir.MLIRError as error:
        return "; ".join(diagnostic.message for diagnostic in error.error_diagnostics)
    return ""


def parsed(kind: type[View], text: str) -> View | None:
    try:
        return kind.parse(text)
    except AttributeSyntaxError:
        return None


def is_too_large(text: str) -> bool:
    """Whether there is a number of more than 32 bits."""
    return any(int(number) >= 2**31 for number in re.findall(r"\d+", text))


def is_printed_by_mlir(kind: type[View], text: str) -> bool:
    """Whether the text has what MLIR prints and does not read; we do."""
    if kind is sdy.OpShardingRuleAttr and ("()" in text.replace(" ", "") or is_too_large(text)):
        return True
    return re.search(r"#sdy[<.] ?(edge_value_ref|dim_mapping)[a-z]", text) is not None


def tokens_of(view: View) -> list[str]:
    """Return the tokens of the text of a view; a tensor type is one, since MLIR checks it."""
    text = view.unambiguous_text()
    if not isinstance(view, mpmd.MeshTensorType):
        return _TOKEN.findall(text)
    before, tensor, after = text.partition(view.ranked_tensor_type)
    return [*_TOKEN.findall(before), tensor, *_TOKEN.findall(after)]


@st.composite
def mutations(draw: st.DrawFn) -> tuple[type[View], str]:
    """Texts of attributes with a token removed, doubled, replaced, inserted or swapped."""
    # The bindings abort the process on a diagnostic that is not UTF-8.
    view = draw(any_view.filter(is_utf8))
    tokens = tokens_of(view)
    for _ in range(draw(st.integers(1, 2))):
        index = draw(st.integers(0, len(tokens) - 1))
        other = draw(
            st.sampled_from(
                [*tokens, *'[]{}<>(),=:?-"@#', "p1", "p01", "0x", "1.5", "->", "i", "z_0", "ij"]
            )
        )
        edited = draw(
            st.sampled_from(
                [[], [tokens[index]] * 2, [other], [tokens[index], other], [other, tokens[index]]]
            )
        )
        tokens[index : index + 1] = edited
        if not tokens:
            break
    return type(view), draw(st.sampled_from(["", " "])).join(tokens)


@given(mutations())
@settings(max_examples=examples(1200), deadline=None)
def test_mutated_texts_are_accepted_exactly_if_mlir_accepts_them(
    context: ir.Context, mutation: tuple[type[View], str]
) -> None:
    kind, text = mutation
    error = mlir_error(kind, text, context)
    view = parsed(kind, text)
    if error:
        assert view is None or VERIFIER.search(error) or is_printed_by_mlir(kind, text), error
    elif view is not None:
        assert view_of(kind, parse_with_mlir(kind, text, context)) == view


@pytest.mark.parametrize(
    "text",
    [
        '#sdy<mesh<["x"=2]> x>',  # the rest is ignored
        "#sdy.mesh<[]> : i32",
        "#sdy.dim_mapping<{i, j}>",
        '#sdy<manual_axes{"x" : i32}>',  # strings with a type
        '#sdy<manual_axes{"x" : none}>',
        '#sdy<all_to_all_param{"x"}: true->false>',  # numbers -1 and 0
        "#sdy<tensor_mapping[z_9999999999999999999999]>",  # overflows to z
        "#sdy.op_sharding_rule<([i])->([i]) {i=2, j=2} reduction={ij}>",  # drops j
        '#mpmd.user_origin<"f" : i32>',
        '#mpmd.user_origin<"f"(true)>',
        '!mpmd.mesh_tensor<"m" : none, tensor<f32>>',
        '!mpmd.mesh_tensor<"m", tensor<f32>, memory_kind="device" : i32>',
    ],
)
def test_texts_that_mlir_accepts_by_mistake_are_errors(text: str, context: ir.Context) -> None:
    name = re.match(r"([#!](?:sdy|mpmd))[.<](\w+)", text)
    assert name is not None
    kinds = {kind.NAME: kind for dialect in DIALECTS.values() for kind in dialect.views}
    kind = kinds[f"{name[1]}.{name[2]}"]
    assert not mlir_error(kind, text, context)
    with pytest.raises(AttributeSyntaxError):
        kind.parse(text)
