"""Numbers of things in texts, with the right plural."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return how many things there are, such as `1 tensor` or `1,024 tensors`.

    Args:
        number: how many.
        noun: one of them; its plural ends in `s`, and in `ies` after a consonant and `y`.
    """
    if number == 1:
        return f"1 {noun}"
    is_ies = noun.endswith("y") and noun[-2] not in "aeiou"
    return f"{number:,} {noun[:-1]}ies" if is_ies else f"{number:,} {noun}s"
