"""Random numbers, names and lists, of which the views of attributes are made."""

from __future__ import annotations

from hypothesis import strategies as st

INT64 = st.integers(-(2**63), 2**63 - 1)
SMALL = st.integers(0, 5)

_ODD_NAMES = [
    "",
    '"',
    "\\",
    '\\"',
    "\n\t\r\v\f\0",
    "é→𝄞",
    "\udcff",  # a byte that is not UTF-8
    "mesh",
    "replicated",
    "true",
    "?",
    "a>b]}",
    "//",
    "@x",
    "\\0A",
    "<<INVALID EMPTY SYMBOL>>",
    "$_.x",
]
# Mostly simple: of one letter out of a few, so that names also repeat.
names = st.one_of(
    st.sampled_from("xyz"),
    st.sampled_from(_ODD_NAMES),
    st.text(max_size=8),
)
# MLIR prints the empty symbol in a way that it cannot read.
symbols = names.filter(bool)


def tuples_of(items: st.SearchStrategy, min_size: int = 0) -> st.SearchStrategy:
    """Short tuples."""
    return st.lists(items, min_size=min_size, max_size=3).map(tuple)
