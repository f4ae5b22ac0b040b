"""The text of `output_to_operand_aliasing`."""

from __future__ import annotations

import pytest

from sdykit.hlo.attributes import Alias, parse_aliases


@pytest.mark.parametrize(
    ("text", "aliases"),
    [
        ("{}", []),
        ("{{}: (0, {})}", [Alias((), 0, ())]),
        ("{{1,0}: (2, {3}, must-alias), {2}:(0,{})}", [Alias((1, 0), 2, (3,)), Alias((2,), 0, ())]),
        ("{{0}: (0, {}),{1}: (1, {})}", [Alias((0,), 0, ()), Alias((1,), 1, ())]),
        ("{{}: (0, {}), }", None),
        ("{{}: (0, {}) {1}: (0, {})}", None),
        ("{{}: 0}", None),
        ("(0, {})", None),
        ("{,{}: (0, {})}", None),
        ("{{1,,0}: (0, {})}", None),
        ("{{1 0}: (0, {})}", None),
    ],
)
def test_aliases_are_parsed_or_the_text_is_refused(text: str, aliases: list[Alias] | None):
    assert parse_aliases(text) == aliases
