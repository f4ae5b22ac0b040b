"""The `custom<...>` directives in the assembly formats of the `sdy` attributes.

For `custom<MeshOrRef>($mesh_or_ref)` the generated code calls `parse_mesh_or_ref` with the
parser, and `print_mesh_or_ref` with the field. A directive with several fields parses to a
tuple. The result type of a parser is the type of the field where ODS has only
`Attribute`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sdykit.dialects.sdy.mesh_attrs_gen import AxisRefAttr, MeshAttr
from sdykit.dialects.text import symbol_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdykit.dialects.text import TextParser

_PRIORITY = re.compile(r"p(0|[1-9][0-9]{0,18})")
_FACTOR = re.compile(r"z_([1-9][0-9]{0,17})|([i-z])")
_LAST_LETTER = ord("z") - ord("i")
_INT64_MAX = 2**63 - 1


# {"x", "y", ?}p1: the axes and the question mark


def parse_dimension_axes(parser: TextParser) -> tuple[tuple[AxisRefAttr, ...], bool]:
    """Parse the axes of a dimension, and whether it is closed."""
    axes = []
    while not parser.peek("}"):
        if axes:
            parser.expect(",")
        if parser.accept("?"):
            return tuple(axes), False
        axes.append(AxisRefAttr.parse_body(parser))
    return tuple(axes), True


def print_dimension_axes(axes: Sequence[AxisRefAttr], is_closed: bool) -> str:
    """Return the text of the axes of a dimension."""
    texts = [axis.print_body() for axis in axes]
    if not is_closed:
        texts.append("?")
    return ", ".join(texts)


# {"x", "y", ?}p1: the priority


def parse_priority(parser: TextParser) -> int | None:
    """Parse the priority of a dimension, if it has one."""
    if not parser.is_keyword():
        return None
    match = _PRIORITY.fullmatch(parser.tokens[parser.index])
    if match is None or int(match[1]) > _INT64_MAX:
        parser.fail("a priority `p<number>` without leading zeros")
    parser.index += 1
    return int(match[1])


def print_priority(priority: int | None) -> str:
    """Return the text of the priority of a dimension."""
    return "" if priority is None else f"p{priority}"


# @mesh or mesh<["x"=2]>


def parse_mesh_or_ref(parser: TextParser) -> str | MeshAttr:
    """Parse the name of a mesh or an inlined mesh."""
    if parser.accept("mesh"):
        return MeshAttr.parse_body(parser)
    return parser.symbol("`@` and the name of a mesh, or `mesh<`")


def print_mesh_or_ref(mesh_or_ref: str | MeshAttr) -> str:
    """Return the text of the name of a mesh or of an inlined mesh."""
    if isinstance(mesh_or_ref, str):
        return symbol_text(mesh_or_ref)
    return "mesh" + mesh_or_ref.print_body()


# , replicated={"x"}, unreduced={"y"}


def parse_replicated_and_unreduced(
    parser: TextParser,
) -> tuple[tuple[AxisRefAttr, ...], tuple[AxisRefAttr, ...]]:
    """Parse the two lists of axes, which may be in any order."""
    lists: dict[str, tuple[AxisRefAttr, ...]] = {}
    while parser.accept(","):
        word = parser.tokens[parser.index]
        if word not in {"replicated", "unreduced"} or word in lists:
            left = [f"`{name}`" for name in ("replicated", "unreduced") if name not in lists]
            parser.fail(" or ".join(left) or "`>`")
        parser.index += 1
        parser.expect("=")
        parser.expect("{")
        lists[word] = parser.nested_list(AxisRefAttr)
        parser.expect("}")
    return lists.get("replicated", ()), lists.get("unreduced", ())


def print_replicated_and_unreduced(
    replicated: Sequence[AxisRefAttr], unreduced: Sequence[AxisRefAttr]
) -> str:
    """Return the text of the two lists, without empty ones."""
    text = ""
    for name, axes in (("replicated", replicated), ("unreduced", unreduced)):
        if axes:
            text += f", {name}={{{', '.join([axis.print_body() for axis in axes])}}}"
    return text


# Factors: i, j, ..., z, z_1, z_2, ...


def factor_symbol(index: int) -> str:
    """Return the symbol of a factor."""
    return chr(ord("i") + index) if index <= _LAST_LETTER else f"z_{index - _LAST_LETTER}"


def _factor_index(match: re.Match[str]) -> int:
    return int(match[1]) + _LAST_LETTER if match[1] else ord(match[2]) - ord("i")


def parse_factor_symbols(parser: TextParser) -> tuple[int, ...]:
    """Parse factors without spaces between them, `ijz_1`, or nothing."""
    if not parser.is_keyword():
        return ()
    word = parser.tokens[parser.index]
    matches = list(_FACTOR.finditer(word))
    indices = tuple(map(_factor_index, matches))
    if sum(len(m[0]) for m in matches) != len(word):
        parser.fail("factors out of `i` ... `z`, `z_1`, `z_2`, ...")
    parser.index += 1
    return indices


def print_factor_symbols(indices: Sequence[int]) -> str:
    """Return the text of factors without spaces between them."""
    return "".join(map(factor_symbol, indices))


def _parse_factor(parser: TextParser) -> int:
    match = _FACTOR.fullmatch(parser.tokens[parser.index])
    if match is None:
        parser.fail("a factor")
    parser.index += 1
    return _factor_index(match)


def parse_factor_sizes(parser: TextParser) -> tuple[int, ...]:
    """Parse `i=8, j=16` or nothing; the factors begin at `i` and have no gaps."""
    sizes: list[int] = []
    while not parser.peek("}"):
        if sizes:
            parser.expect(",")
        parser.expect(factor_symbol(len(sizes)))
        parser.expect("=")
        sizes.append(parser.integer())
    return tuple(sizes)


def print_factor_sizes(sizes: Sequence[int]) -> str:
    """Return the text of the sizes of the factors."""
    return ", ".join([f"{factor_symbol(index)}={size}" for index, size in enumerate(sizes)])


def parse_factor_set(parser: TextParser) -> tuple[int, ...]:
    """Parse `{i, k}`."""
    parser.expect("{")
    if parser.accept("}"):
        return ()
    factors = parser.comma_separated(lambda: _parse_factor(parser))
    parser.expect("}")
    return factors


def print_factor_set(factors: Sequence[int]) -> str:
    """Return `{i, k}`."""
    return f"{{{', '.join(map(factor_symbol, factors))}}}"


def parse_is_custom_rule(parser: TextParser) -> bool:
    """Parse `, custom` or nothing."""
    if not parser.accept(","):
        return False
    parser.expect("custom")
    return True


def print_is_custom_rule(is_custom: bool) -> str:
    """Return `, custom` or nothing."""
    return ", custom" if is_custom else ""
