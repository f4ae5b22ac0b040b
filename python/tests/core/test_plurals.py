from __future__ import annotations

import pytest

from sdykit.plurals import counted


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (0, "tensor", "0 tensors"),
        (1, "tensor", "1 tensor"),
        (1024, "tensor", "1,024 tensors"),
        (2, "more byte", "2 more bytes"),
        (2, "entry", "2 entries"),
        (2, "array", "2 arrays"),
    ],
)
def test_a_number_of_things(number: int, noun: str, text: str) -> None:
    assert counted(number, noun) == text
