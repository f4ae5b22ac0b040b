"""Sizes of buffers in tile programs."""

from __future__ import annotations

import pytest

from sdykit.core.sparsecore.sizes import SizeError, evaluate, names_in

SIZES = {"max_ids": 30, "dim": 13, "tiles": 16, "none": 0}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("7", 7),
        ("max_ids", 30),
        ("max_ids * dim", 390),
        ("max_ids / tiles", 2),
        ("dim / 8 * 8", 16),
        ("min(max_ids, 8 * dim, 9)", 9),
        ("max(dim, 8)", 13),
    ],
)
def test_an_expression_is_evaluated_and_division_rounds_up(expression: str, value: int) -> None:
    assert evaluate(expression, SIZES) == value


def test_each_name_is_listed_once() -> None:
    assert sorted(names_in("min(b * a, a)")) == ["a", "b"]


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("batch", "size 'batch' has the name 'batch'; expected one of max_ids, dim, tiles, none"),
        ("dim / none", "size 'dim / none' divides by 0; expected a positive divisor"),
        ("dim -", "size 'dim -' has 'dim -'; expected names, integers"),
        ("dim - 1", "size 'dim - 1' has 'dim - 1'; expected names, integers"),
        ("open(dim)", "size 'open(dim)' has 'open(dim)'; expected names, integers"),
        ("min()", r"size 'min\(\)' has 'min\(\)'; expected names, integers"),
        ("True", "size 'True' has 'True'; expected names, integers"),
        ("1.5", r"size '1.5' has '1.5'; expected names, integers"),
    ],
)
def test_what_is_not_a_size_is_an_error(expression: str, text: str) -> None:
    with pytest.raises(SizeError, match=text.replace("open(dim)", r"open\(dim\)")):
        evaluate(expression, SIZES)
