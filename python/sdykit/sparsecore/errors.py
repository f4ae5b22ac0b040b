"""The errors of the SparseCore's host side, and what they say about names and values."""

from __future__ import annotations

from collections.abc import Iterable

from sdykit.errors import SdykitError


class SparseCoreError(SdykitError, ValueError):
    """Host input, a specification or a configuration is wrong; the text says what and where."""


class LimitExceeded(SparseCoreError):
    """The data need more than the program was compiled for.

    Apart from other errors, since a caller may compute new limits and try again.
    """


def nearest(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """Find the known name that may have been meant.

    Args:
        likeness: from 0 to 1, as `difflib` counts it; names less alike are passed over.
    """
    from difflib import get_close_matches  # Only needed on errors; start-up counts.

    by_lower = {each.lower(): each for each in known}
    close = get_close_matches(name.lower(), list(by_lower), n=1, cutoff=likeness)
    return by_lower[close[0]] if close else None


def instead_of(name: str, known: Iterable[str]) -> str:
    """Say what to write instead of an unknown name: the nearest, or what there is."""
    known = list(known)
    close = nearest(name, known)
    return f"did you mean '{close}'?" if close else f"expected one of {', '.join(known)}"


def shown(value: object) -> str:
    """Give a value that was found, as Python writes it, in one line and cut if it is long."""
    try:
        text = " ".join(line.strip() for line in repr(value).splitlines())
    except ValueError:  # Python refuses to write integers of thousands of digits.
        return "an integer of thousands of digits"
    return text if len(text) <= 80 else text[:77] + "..."
