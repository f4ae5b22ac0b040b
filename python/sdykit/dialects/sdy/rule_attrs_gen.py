# Generated from dialects/sdy/rule_attrs.td by tools/generate_dialects.py; do not edit.
"""Views of the attributes and types in `dialects/sdy/rule_attrs.td`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from sdykit.dialects.base import AttributeView
from sdykit.dialects.sdy import formats
from sdykit.dialects.text import TextParser, print_views

__all__ = [
    "DimMappingAttr",
    "OpShardingRuleAttr",
    "TensorMappingAttr",
]


@dataclass(frozen=True, slots=True)
class DimMappingAttr(AttributeView):
    """The factors that a dimension is made of, from major to minor.

    A factor is written as a symbol: `i` is factor 0, `j` factor 1, ..., `z` factor 17,
    then come `z_1`, `z_2`, ... A dimension made of factors 0 and 1 is written `ij`.
    """

    NAME: ClassVar[str] = "#sdy.dim_mapping"
    GLUED: ClassVar[bool] = True

    factor_indices: tuple[int, ...] = ()
    """The factors, by index."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        factor_indices = formats.parse_factor_symbols(parser)
        return cls(factor_indices)

    def print_body(self) -> str:
        return formats.print_factor_symbols(self.factor_indices)


@dataclass(frozen=True, slots=True)
class TensorMappingAttr(AttributeView):
    """The factors of each dimension of a tensor.

    Written `[i, jk]`: dimension 0 is factor `i`; dimension 1 is made of `j` and `k`.
    """

    NAME: ClassVar[str] = "#sdy.tensor_mapping"

    dim_mappings: tuple[DimMappingAttr, ...] = ()
    """One for each dimension."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("[")
        dim_mappings = parser.nested_list_until("]", DimMappingAttr)
        return cls(dim_mappings)

    def print_body(self) -> str:
        return f"[{print_views(self.dim_mappings)}]"


@dataclass(frozen=True, slots=True)
class OpShardingRuleAttr(AttributeView):
    """How the dimensions of operands and results correspond.

    A rule relates dimensions by *factors*. Dimensions that have the same factor correspond to
    each other: a sharding of one is a sharding of the other. A dimension that a reshape
    splits or merges has more than one factor. After the mappings come the sizes of the
    factors, and then the factors that need special treatment.

    A matrix product:

    ```mlir
    #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}>
    ```

    A reshape from `8x16` to `128`:

    ```mlir
    #sdy.op_sharding_rule<([i, j])->([ij]) {i=8, j=16}>
    ```

    A factor that is in none of the lists is passed through: each device works on its
    part without communication. `, custom` at the end marks a rule that a user wrote for a
    custom call.

    The sizes are in the order of the factors, `{i=.., j=.., k=..}`, without gaps.

    **Constraints:**

    - There are as many mappings as operands and results, and as many dimensions in each
      as the tensor has.
    - A factor is used at most once in one tensor. A factor has a size if and only if a
      tensor uses it.
    - A dimension made of several factors has none of size 1.
    - The lists at the end are sorted and name no factor twice; a factor is in at most one
      of `reduction`, `need_replication` and `permutation`.
    - No result uses a reduction factor.
    """

    NAME: ClassVar[str] = "#sdy.op_sharding_rule"

    factor_sizes: tuple[int, ...] = ()
    """Size of each factor."""
    operand_mappings: tuple[TensorMappingAttr, ...] = ()
    """Factors of each operand."""
    result_mappings: tuple[TensorMappingAttr, ...] = ()
    """Factors of each result."""
    reduction_factors: tuple[int, ...] = ()
    """Factors that the operation sums over: sharding them takes an all-reduce."""
    need_replication_factors: tuple[int, ...] = ()
    """Factors that must be whole on each device when the operation runs."""
    permutation_factors: tuple[int, ...] = ()
    """Factors along which devices must exchange data if they are sharded."""
    blocked_propagation_factors: tuple[int, ...] = ()
    """Factors along which no sharding is propagated."""
    is_custom_rule: bool = False
    """Whether a user wrote the rule."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("<")
        parser.expect("(")
        operand_mappings = parser.nested_list_until(")", TensorMappingAttr)
        parser.expect("->")
        parser.expect("(")
        result_mappings = parser.nested_list_until(")", TensorMappingAttr)
        if parser.accept("{"):
            factor_sizes = formats.parse_factor_sizes(parser)
            parser.expect("}")
        else:
            factor_sizes = ()
        if parser.accept("reduction"):
            parser.expect("=")
            reduction_factors = formats.parse_factor_set(parser)
        else:
            reduction_factors = ()
        if parser.accept("need_replication"):
            parser.expect("=")
            need_replication_factors = formats.parse_factor_set(parser)
        else:
            need_replication_factors = ()
        if parser.accept("permutation"):
            parser.expect("=")
            permutation_factors = formats.parse_factor_set(parser)
        else:
            permutation_factors = ()
        if parser.accept("blocked_propagation"):
            parser.expect("=")
            blocked_propagation_factors = formats.parse_factor_set(parser)
        else:
            blocked_propagation_factors = ()
        is_custom_rule = formats.parse_is_custom_rule(parser)
        parser.expect(">")
        return cls(
            factor_sizes, operand_mappings, result_mappings, reduction_factors,
            need_replication_factors, permutation_factors, blocked_propagation_factors,
            is_custom_rule
        )

    def print_body(self) -> str:
        text = f"<({print_views(self.operand_mappings)})->({print_views(self.result_mappings)})"
        if self.factor_sizes:
            text += f" {{{formats.print_factor_sizes(self.factor_sizes)}}}"
        if self.reduction_factors:
            text += f" reduction={formats.print_factor_set(self.reduction_factors)}"
        if self.need_replication_factors:
            text += f" need_replication={formats.print_factor_set(self.need_replication_factors)}"
        if self.permutation_factors:
            text += f" permutation={formats.print_factor_set(self.permutation_factors)}"
        if self.blocked_propagation_factors:
            text += (
                " blocked_propagation="
                f"{formats.print_factor_set(self.blocked_propagation_factors)}"
            )
        return text + f"{formats.print_is_custom_rule(self.is_custom_rule)}>"
