"""What MLIR's parser rejects, ours rejects, with an error that says what and where."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialects.strategies import any_view, is_utf8
from sdykit.dialects import sdy
from sdykit.dialects._text import _TOKEN
from sdykit.dialects._views_base import AttributeView
from sdykit.errors import AttributeSyntaxError, SdykitError
from sdykit.mlir import ir

# What MLIR's verifier says; our parser checks the format only.
VERIFIER = re.compile(
    r"axis size must be|duplicate axis name|device id|axes is empty and|propagation edges have"
)


def mlir_error(text: str, context: ir.Context) -> str:
    """Return what MLIR says against a text; empty if it accepts it."""
    try:
        ir.Attribute.parse(text, context)
    except ir.MLIRError as error:
        return "; ".join(diagnostic.message for diagnostic in error.error_diagnostics)
    return ""


def parsed(kind: type[AttributeView], text: str) -> AttributeView | None:
    try:
        return kind.parse(text)
    except AttributeSyntaxError:
        return None


def is_too_large(text: str) -> bool:
    """Whether there is a number of more than 32 bits."""
    return any(int(number) >= 2**31 for number in re.findall(r"\d+", text))


def is_printed_by_mlir(kind: type[AttributeView], text: str) -> bool:
    """Whether the text has what MLIR prints and does not read; we do."""
    if kind is sdy.OpShardingRuleAttr and ("()" in text.replace(" ", "") or is_too_large(text)):
        return True
    return re.search(r"#sdy[<.] ?(edge_value_ref|dim_mapping)[a-z]", text) is not None


@st.composite
def mutations(draw: st.DrawFn) -> tuple[type[AttributeView], str]:
    """Texts of attributes with a token removed, doubled, replaced, inserted or swapped."""
    # The bindings abort the process on a diagnostic that is not UTF-8.
    view = draw(any_view.filter(is_utf8))
    tokens: list[str] = _TOKEN.findall(view.unambiguous_text())
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
@settings(max_examples=1200, deadline=None)
def test_mutations(context: ir.Context, mutation: tuple[type[AttributeView], str]) -> None:
    kind, text = mutation
    error = mlir_error(text, context)
    view = parsed(kind, text)
    if error:
        assert view is None or VERIFIER.search(error) or is_printed_by_mlir(kind, text), error
    elif view is not None:
        assert kind.of(ir.Attribute.parse(text, context)) == view


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
    ],
)
def test_slips_of_mlir_are_errors_here(text: str, context: ir.Context) -> None:
    assert not mlir_error(text, context)
    name = re.match(r"#sdy[.<](\w+)", text)
    assert name is not None
    full_name = f"#sdy.{name[1]}"
    kind = next(
        kind
        for kind in vars(sdy).values()
        if isinstance(kind, type) and issubclass(kind, AttributeView) and full_name == kind.NAME
    )
    with pytest.raises(AttributeSyntaxError):
        kind.parse(text)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (
            sdy.MeshAttr,
            '#sdy.mesh<["x"=2,]>',
            'bad #sdy.mesh: column 18: expected a string, found `]`, in: #sdy.mesh<["x"=2,]>',
        ),
        (sdy.MeshAttr, '#sdy.mesh<["x"=two]>', "column 16: expected an integer, found `two`"),
        (sdy.MeshAttr, '#sdy.mesh<["x"=2.5]>', "column 16: expected an integer, found `2.5`"),
        (
            sdy.MeshAttr,
            '#sdy.mesh<["x"=9223372036854775808]>',
            "column 16: expected an integer of 64 bits",
        ),
        (sdy.MeshAttr, f'#sdy.mesh<["x"={"9" * 5000}]>', "expected an integer of 64 bits"),
        (sdy.MeshAttr, '#sdy.mesh<["x"=\u0663]>', "expected an integer, found `\u0663`"),
        (sdy.MeshAttr, "#sdy.mesh<[]", "column 13: expected `>`, found the end of the text"),
        (sdy.MeshAttr, "#sdy.mesh<[]>>", "column 14: expected the end of the text, found `>`"),
        (sdy.MeshAttr, "", "column 1: expected `#sdy.mesh`, found the end of the text"),
        (sdy.MeshAttr, "#sdy.mesh <[]>", "column 1: expected `#sdy.mesh<`, found `#sdy.mesh`"),
        (sdy.MeshAttr, "#sdy.sharding<@m, []>", "column 1: expected `#sdy.mesh`, found `#sdy.sh"),
        (sdy.MeshAttr, '#sdy<mesh_axis"x"=2>', "expected `#sdy.mesh`"),
        (
            sdy.MeshAttr,
            '#sdy.mesh<[// axes\n  "x"=2 "y"=3]>',
            'bad #sdy.mesh: line 2, column 9: expected `]`, found `"y"`',
        ),
        (sdy.MeshAttr, '#sdy.mesh<["x\\q"=2]>', 'column 12: expected a string, found `"`'),
        (sdy.AxisRefAttr, '#sdy<axis_ref_list{"x"}>', "expected `#sdy.axis_ref`"),
        (
            sdy.TensorShardingAttr,
            "#sdy.sharding<mesh, []>",
            "column 19: expected `<`, found `,`",
        ),
        (
            sdy.TensorShardingAttr,
            '#sdy.sharding<"mesh", []>',
            'column 15: expected `@` and the name of a mesh, or `mesh<`, found `"mesh"`',
        ),
        (
            sdy.TensorShardingAttr,
            "#sdy.sharding<@m, [{}p01]>",
            "column 22: expected a priority `p<number>` without leading zeros, found `p01`",
        ),
        (sdy.TensorShardingAttr, f"#sdy.sharding<@m, [{{}}p{2**63}]>", "expected a priority"),
        (sdy.TensorShardingAttr, f"#sdy.sharding<@m, [{{}}p{'9' * 5000}]>", "expected a priority"),
        (sdy.TensorMappingAttr, f"#sdy<tensor_mapping[z_{'9' * 5000}]>", "expected factors"),
        (
            sdy.TensorShardingAttr,
            "#sdy.sharding<@m, [], foo={}>",
            "column 23: expected `replicated` or `unreduced`, found `foo`",
        ),
        (
            sdy.TensorShardingAttr,
            '#sdy.sharding<@m, [], replicated={"x"}, replicated={"y"}>',
            "column 41: expected `unreduced`, found `replicated`",
        ),
        (
            sdy.TensorShardingAttr,
            "#sdy.sharding<@m, [], replicated={}>",
            "column 35: expected a string, found `}`",
        ),
        (
            sdy.OpShardingRuleAttr,
            "#sdy.op_sharding_rule<([a])->([i]) {i=2}>",
            "column 25: expected factors out of `i` ... `z`, `z_1`, `z_2`, ..., found `a`",
        ),
        (
            sdy.OpShardingRuleAttr,
            "#sdy.op_sharding_rule<([i, j])->([i]) {j=2}>",
            "column 40: expected `i`, found `j`",
        ),
        (
            sdy.EdgeValueRefAttr,
            "#sdy<edge_value_ref value-0>",
            "column 21: expected `operand` or `result`, found `value`",
        ),
    ],
)
def test_error_texts(kind: type[AttributeView], text: str, message: str) -> None:
    with pytest.raises(AttributeSyntaxError) as caught:
        kind.parse(text)
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, SdykitError)
