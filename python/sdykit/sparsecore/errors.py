"""The errors of the SparseCore's host side, and how they quote names and values."""

from __future__ import annotations

from collections.abc import Iterable

from sdykit.errors import SdykitError


class SparseCoreError(SdykitError, ValueError):
    """Host input, a specification or a configuration is wrong; the text says what and where."""


class LimitExceeded(SparseCoreError):
    """The data need more than the program was compiled for.

    A class of its own, since a caller may compute new limits and try again.
    """


def nearest(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return the known name that may have been meant, or None if none is similar.

    Args:
        name: the unknown name.
        known: the names to choose from.
        likeness: the similarity, from 0 to 1 as `difflib` computes it, that a name must have.
    """
    from difflib import get_close_matches  # Only needed on errors; start-up counts.

    by_lower = {each.lower(): each for each in known}
    close = get_close_matches(name.lower(), list(by_lower), n=1, cutoff=likeness)
    return by_lower[close[0]] if close else None


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the end of an error about an unknown name: the nearest known one, or all of them."""
    known = list(known)
    close = nearest(name, known)
    return f"did you mean '{close}'?" if close else f"expected one of {', '.join(known)}"


def shown(value: object) -> str:
    """Return the `repr` of a value for an error: on one line, and cut after 80 characters."""
    try:
        text = " ".join(line.strip() for line in repr(value).splitlines())
    except ValueError:  # Python refuses to write integers of thousands of digits.
        return "an integer of thousands of digits"
    return text if len(text) <= 80 else text[:77] + "..."
