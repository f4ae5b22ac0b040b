"""The `custom<...>` directives in the assembly formats of the `mpmd` dialect.

For `custom<RankedTensorType>($ranked_tensor_type)` the generated code calls
`parse_ranked_tensor_type` with the parser, and `print_ranked_tensor_type` with the field. A
directive with several fields parses to a tuple.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sdykit.dialects.sdy.sharding_attrs_gen import TensorShardingAttr
from sdykit.dialects.text import quote

if TYPE_CHECKING:
    from sdykit.dialects.text import TextParser

# "m1": the name of a mesh, which MLIR does not escape when it prints a mesh tensor


def parse_mesh_name(parser: TextParser) -> str:
    """Parse the name of a mesh."""
    return parser.string()


def print_mesh_name(mesh_name: str) -> str:
    """Return the text of the name of a mesh, which is not escaped."""
    return f'"{mesh_name}"'


# Types that MLIR prints without spaces: `4x?xf32`, `complex<f32>`.
_WITHOUT_SPACES = re.compile(r"(?:(?:[0-9]+|\?)x)*(?:\w+|complex<\w+>)")


# tensor<4x8xf32>


def parse_ranked_tensor_type(parser: TextParser) -> str:
    """Parse a ranked tensor type; MLIR checks its element type and encoding."""
    start = parser.index
    if parser.tokens[start : start + 2] != ["tensor", "<"] or parser.tokens[start + 2] == "*":
        parser.fail("a ranked tensor type")
    parser.index = start + 2
    content = parser.foreign()
    dense = "".join(parser.tokens[start + 2 : parser.index])
    if _WITHOUT_SPACES.fullmatch(dense):
        content = dense
    if parser.accept(","):
        content += f", {parser.foreign()}"
    parser.expect(">")
    return f"tensor<{content}>"


def print_ranked_tensor_type(ranked_tensor_type: str) -> str:
    """Return the text of a ranked tensor type."""
    return ranked_tensor_type


# , sharding=<@mesh, [{"x"}, {}]>, memory_kind="pinned_host"


def parse_sharding_and_memory_kind(
    parser: TextParser,
) -> tuple[TensorShardingAttr | None, str | None]:
    """Parse the sharding and the memory kind after the tensor type; either may be absent."""
    sharding: TensorShardingAttr | None = None
    memory_kind: str | None = None
    if not parser.accept(","):
        return sharding, memory_kind
    if parser.accept("sharding"):
        parser.expect("=")
        sharding = parser.nested(TensorShardingAttr)
        if not parser.accept(","):
            return sharding, memory_kind
        parser.expect("memory_kind")
    elif not parser.accept("memory_kind"):
        parser.fail("`sharding` or `memory_kind`")
    parser.expect("=")
    memory_kind = parser.string()
    return sharding, memory_kind


def print_sharding_and_memory_kind(
    sharding: TensorShardingAttr | None, memory_kind: str | None
) -> str:
    """Return the text of the sharding and the memory kind, as far as they are present."""
    text = "" if sharding is None else f", sharding={sharding.print_body()}"
    return text if memory_kind is None else f"{text}, memory_kind={quote(memory_kind)}"
