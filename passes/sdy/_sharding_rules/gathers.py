"""Rules of gathers and scatters: slices correspond to parts of the input, batches to the indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sdykit.core.sdy.rules import (
    NEED_REPLICATION,
    PASS_THROUGH,
    REDUCTION,
    Kind,
    RuleBuilder,
)
from sdykit.mlir import ir, stablehlo
from sdykit.passes.sdy._sharding_rules.table import rule

_REDUCTIONS: Final = frozenset(
    f"stablehlo.{name}" for name in ("add", "multiply", "maximum", "minimum")
)
_REDUCTIONS_OF_BOOLEANS: Final = frozenset(("stablehlo.and", "stablehlo.or"))


@dataclass(frozen=True)
class _Slices:
    """A gather or scatter: how slices correspond to the input, and to the indices.

    Attributes:
        rule: the rule that factors are added to.
        inputs: the number of inputs of a scatter; 0: it is a gather.
        window: the dimensions of the slices that are of the input.
        collapsed: the dimensions of the input that slices lack.
        batching: the dimensions of the input that are batches.
        index_batching: the dimensions of the indices that correspond to them.
        index_vector: the dimension of the indices that holds an index.
    """

    rule: RuleBuilder
    inputs: int
    window: Sequence[int]
    collapsed: Sequence[int]
    batching: Sequence[int]
    index_batching: Sequence[int]
    index_vector: int

    def add(
        self,
        size: int,
        kind: Kind = PASS_THROUGH,
        *,
        of_input: int | None = None,
        of_indices: int | None = None,
        of_slices: int | None = None,
        blocked: bool = False,
    ) -> None:
        """Add a factor to dimensions of the input, the indices and the slices."""
        operands, results = [of_input, of_indices], [of_slices]
        if self.inputs:
            # The results of a scatter are like its inputs, and its updates are slices.
            results = [of_input] * self.inputs
            operands = [*results, of_indices, *[of_slices] * self.inputs]
        self.rule.add(operands, results, size, kind, blocked=blocked)

    def add_slices(self, batch_kind: Kind) -> None:
        """Add a factor for each dimension of the slices."""
        indices = self.rule.operands[self.inputs or 1]
        apart = {*self.collapsed, *self.batching}
        windows = (dim for dim in range(len(self.rule.operands[0])) if dim not in apart)
        batches = (dim for dim in range(len(indices)) if dim != self.index_vector)
        partners = dict(zip(self.index_batching, self.batching, strict=True))
        slices = self.rule.operands[-1] if self.inputs else self.rule.results[0]
        for dim, size in enumerate(slices):
            if dim in self.window:
                self._add_window(next(windows), dim, size)
                continue
            batch = next(batches)
            kind = PASS_THROUGH if batch in partners else batch_kind
            self.add(size, kind, of_input=partners.get(batch), of_indices=batch, of_slices=dim)

    def _add_window(self, of_input: int, of_slices: int, size: int) -> None:
        whole = self.rule.operands[0][of_input]
        if whole == size:
            self.add(size, of_input=of_input, of_slices=of_slices)
        elif self.inputs:
            self.add(whole, NEED_REPLICATION, of_input=of_input)
            self.add(size, NEED_REPLICATION, of_slices=of_slices)
        elif size == 1:
            self.add(whole, REDUCTION, of_input=of_input)
            self.add(size, NEED_REPLICATION, of_slices=of_slices)
        else:
            self.add(whole, NEED_REPLICATION, of_input=of_input, of_slices=of_slices, blocked=True)

    def add_index_vector(self) -> None:
        """Add a factor for the dimension of the indices that holds an index, if there is one."""
        indices = self.rule.operands[self.inputs or 1]
        if self.index_vector < len(indices):
            self.add(indices[self.index_vector], NEED_REPLICATION, of_indices=self.index_vector)


@rule("stablehlo.gather", reads=["dimension_numbers"])
def gather(op: ir.Operation, rule: RuleBuilder) -> None:
    numbers = stablehlo.GatherDimensionNumbers(op.attributes["dimension_numbers"])
    slices = _Slices(
        rule,
        0,
        numbers.offset_dims,
        numbers.collapsed_slice_dims,
        numbers.operand_batching_dims,
        numbers.start_indices_batching_dims,
        numbers.index_vector_dim,
    )
    slices.add_slices(PASS_THROUGH)
    for dim in slices.collapsed:
        size = rule.operands[0][dim]
        slices.add(size, NEED_REPLICATION if size == 1 else REDUCTION, of_input=dim)
    slices.add_index_vector()


def _is_common_reduction(op: ir.Operation) -> bool:
    """Return whether the body of a scatter combines every pair of elements by the same reduction."""
    block = op.regions[0].blocks[0]
    arguments, returned = list(block.arguments), list(block.operations)[-1].operands
    kinds = {
        _reduction_of(value, arguments[number], arguments[number + len(returned)])
        for number, value in enumerate(returned)
    }
    return len(kinds) == 1 and None not in kinds


def _reduction_of(value: ir.Value, old: ir.Value, new: ir.Value) -> str | None:
    """Return the name of the reduction of `old` and `new` that a value is, or None."""
    if not isinstance(value, ir.OpResult):
        return None
    op = value.owner.operation
    operands = list(op.operands)
    if operands not in ([old, new], [new, old]):
        return None
    is_boolean = str(ir.RankedTensorType(value.type).element_type) == "i1"
    known = op.name in _REDUCTIONS or (is_boolean and op.name in _REDUCTIONS_OF_BOOLEANS)
    return op.name if known else None


@rule("stablehlo.scatter", reads=["scatter_dimension_numbers"], facts=_is_common_reduction)
def scatter(op: ir.Operation, rule: RuleBuilder) -> None:
    numbers = stablehlo.ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])
    slices = _Slices(
        rule,
        len(rule.results),
        numbers.update_window_dims,
        numbers.inserted_window_dims,
        numbers.input_batching_dims,
        numbers.scatter_indices_batching_dims,
        numbers.index_vector_dim,
    )
    slices.add_slices(REDUCTION if _is_common_reduction(op) else NEED_REPLICATION)
    for dim in slices.collapsed:
        slices.add(rule.operands[0][dim], of_input=dim)
    slices.add_index_vector()
