"""Suggestions for unknown names; never the name of a pass that does the opposite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

_PAIRS = (
    ("add", "remove"),
    ("after", "before"),
    ("export", "import"),
    ("flatten", "unflatten"),
    ("inline", "lift"),
    ("merger", "splitter"),
    ("wrap", "unwrap"),
)
_OPPOSITES = (*_PAIRS, *((other, one) for one, other in _PAIRS), ("inline", "lift-inlined"))
_CANDIDATES = 5


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that the user may have meant, if one is close."""
    from difflib import get_close_matches  # Only needed on errors; start-up counts.

    name = name.replace("_", "-")
    close = get_close_matches(name, list(known), n=_CANDIDATES)
    return next((each for each in close if not _is_nearer_to_opposite(name, each)), None)


def _is_nearer_to_opposite(name: str, other: str) -> bool:
    """Return whether a name, maybe misspelled, is more similar to an opposite of another name."""
    from difflib import SequenceMatcher

    if any(
        _has(other, word) and _has(name, instead) and not _has(name, word)
        for word, instead in _OPPOSITES
    ):
        return True
    compared = SequenceMatcher(b=name)

    def likeness(to: str) -> float:
        compared.set_seq1(to)
        return compared.ratio()

    return any(likeness(opposite) > likeness(other) for opposite in opposites(other))


def opposites(name: str) -> Iterator[str]:
    """Yield names that passes which undo the work of a pass might have.

    They have a word of opposite meaning (`import`, `export`), or convert in the other direction
    (`a-x-to-b` and `b-x-to-a`).
    """
    for word, instead in _OPPOSITES:
        if _has(name, word):
            yield f"-{name}-".replace(f"-{word}-", f"-{instead}-")[1:-1]
    source, to, target = name.partition("-to-")
    parts = source.split("-")
    for start, end in combinations(range(len(parts) + 1), 2) if to else ():
        turned = "-".join([*parts[:start], target, *parts[end:]])
        yield f"{turned}-to-{'-'.join(parts[start:end])}"


def _has(name: str, word: str) -> bool:
    return f"-{word}-" in f"-{name}-"
