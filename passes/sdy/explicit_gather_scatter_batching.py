"""`-sdy-explicit-gather-scatter-batching`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from sdykit.core import FunctionPass
from sdykit.mlir import FuncOp, ir, rewrite, stablehlo

IOTA = "stablehlo.iota"
CONCATENATE = "stablehlo.concatenate"
FORWARDING = ("stablehlo.broadcast_in_dim", "stablehlo.reshape")

Callback: TypeAlias = Callable[[ir.OpView, rewrite.PatternRewriter], bool]


@dataclass(frozen=True)
class ExplicitGatherScatterBatchingPass(FunctionPass):
    """Turn implicit batch dimensions of gathers and scatters into explicit ones.

    `jax.vmap` used to batch a gather by one more index: an iota that counts along
    dimension 0 of the start indices and selects along dimension 0 of the operand. Such a
    pair of dimensions becomes a pair of batching dimensions, which shardings propagate
    through, and the iota is no longer among the indices. The same holds for the inputs of a
    scatter, all conditions alike:

    - the op has no batching dimensions yet (so that it changes at most once);
    - dimension 0 of the operand is collapsed (inserted, in a scatter), is in the index map,
      and is of the same size as dimension 0 of the indices;
    - the indices are a `stablehlo.concatenate` along the index vector dimension, of a static
      size of at least 2;
    - its piece at the position of dimension 0 in the index map is a `stablehlo.iota` along
      dimension 0, or comes from one through `stablehlo.broadcast_in_dim` and
      `stablehlo.reshape`.

    If every piece is one index wide, the other pieces are concatenated; else the index is
    sliced away. The new ops are inserted before the gather or scatter, with its location.

    Before:

    ```mlir
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.concatenate %0, %indices, dim = 2
        : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %2 = "stablehlo.gather"(%operand, %1) <{dimension_numbers = #stablehlo.gather<
        offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1],
        index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 16>}>
        : (tensor<4x8x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3x16xf32>
    ```

    After:

    ```mlir
    %0 = "stablehlo.gather"(%operand, %indices) <{dimension_numbers = #stablehlo.gather<
        offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0],
        start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
        indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 16>}>
        : (tensor<4x8x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3x16xf32>
    ```

    The rewrite runs in MLIR's greedy pattern driver, which also folds ops, erases dead code and
    moves constants to the start, in the whole function, even if it has no gather.

    As in Shardy, some conditions are looser than they should be:

    - What lies between the iota and the concatenation is not examined: a reshape or
      broadcast that lets the iota count along another dimension, or not up to the full
      size, counts as well, and changes what is computed.
    - The position in the index map is used as the number of the piece, which is wrong if
      a piece before it is not one index wide.
    - With index vector dimension 0, or with a dynamic dimension where an index must be
      sliced away, the result does not verify, and the pass fails.
    """

    name = "sdy-explicit-gather-scatter-batching"

    def run(self, func: FuncOp) -> None:
        patterns = rewrite.RewritePatternSet(func.context)
        patterns.add("stablehlo.gather", _pattern(_Gather))
        patterns.add("stablehlo.scatter", _pattern(_Scatter))
        rewrite.apply_patterns_and_fold_greedily(func.operation, patterns.freeze())


class _Gather:
    """The dimension numbers of a gather, in the terms they share with a scatter's."""

    numbers_name = "dimension_numbers"
    flags: Sequence[str] = ("indices_are_sorted",)
    """The boolean attributes of the op; a new op gets those that are absent, as false."""

    def __init__(self, attr: ir.Attribute) -> None:
        self._numbers = stablehlo.GatherDimensionNumbers(attr)
        self.axis: int = self._numbers.index_vector_dim
        self.collapsed: list[int] = self._numbers.collapsed_slice_dims
        self.index_map: list[int] = self._numbers.start_index_map
        self.is_batched = bool(self._numbers.operand_batching_dims)

    @cached_property
    def batched(self) -> ir.Attribute:
        """The dimension numbers with dimensions 0 as batching dimensions."""
        return stablehlo.GatherDimensionNumbers.get(
            self._numbers.offset_dims,
            _without_0(self.collapsed),
            [0],
            [0],
            _without_0(self.index_map),
            self.axis,
        )


class _Scatter:
    """The dimension numbers of a scatter, in the terms they share with a gather's."""

    numbers_name = "scatter_dimension_numbers"
    flags: Sequence[str] = ("indices_are_sorted", "unique_indices")

    def __init__(self, attr: ir.Attribute) -> None:
        self._numbers = stablehlo.ScatterDimensionNumbers(attr)
        self.axis: int = self._numbers.index_vector_dim
        self.collapsed: list[int] = self._numbers.inserted_window_dims
        self.index_map: list[int] = self._numbers.scattered_dims_to_operand_dims
        self.is_batched = bool(self._numbers.input_batching_dims)

    @cached_property
    def batched(self) -> ir.Attribute:
        """The dimension numbers with dimensions 0 as batching dimensions."""
        return stablehlo.ScatterDimensionNumbers.get(
            self._numbers.update_window_dims,
            _without_0(self.collapsed),
            [0],
            [0],
            _without_0(self.index_map),
            self.axis,
        )


Numbers: TypeAlias = _Gather | _Scatter


def _without_0(dims: Sequence[int]) -> list[int]:
    return [dim for dim in dims if dim != 0]


def _pattern(kind: type[Numbers]) -> Callback:
    """Return the rewrite pattern of gathers or of scatters."""
    known: dict[ir.Attribute, Numbers] = {}

    def rewrite_one(view: ir.OpView, rewriter: rewrite.PatternRewriter) -> bool:
        op = view.operation
        attr = op.attributes[kind.numbers_name]
        numbers = known.get(attr)
        if numbers is None:
            numbers = known[attr] = kind(attr)
        concatenate = _batching_concatenate(op, numbers)
        if concatenate is None:
            return True  # No match.
        with op.context, op.location, rewriter.ip:
            indices = _other_indices(concatenate, numbers.index_map.index(0), numbers.axis)
            new = op.clone()
        new.operands[_indices_number(op)] = indices
        new.attributes[kind.numbers_name] = numbers.batched
        for flag in kind.flags:
            if flag not in new.attributes:
                new.attributes[flag] = ir.BoolAttr.get(False, op.context)
        rewriter.replace_op(op, new)
        return False

    return rewrite_one


def _indices_number(op: ir.Operation) -> int:
    """Return the number of the operand that holds the indices.

    It comes after the one operand of a gather, and between as many inputs as updates of a scatter.
    """
    return len(op.operands) // 2


def _batching_concatenate(op: ir.Operation, numbers: Numbers) -> ir.Operation | None:
    """Return the concatenation that makes the indices if one of its pieces counts batches."""
    if numbers.is_batched or 0 not in numbers.collapsed or 0 not in numbers.index_map:
        return None
    indices = op.operands[_indices_number(op)]
    concatenate = _producer(indices)
    if concatenate is None or concatenate.name != CONCATENATE:
        return None
    axis = numbers.axis
    if ir.IntegerAttr(concatenate.attributes["dimension"]).value != axis:
        return None
    shape = ir.RankedTensorType(indices.type).shape
    # Negative if dynamic; two dynamic sizes count as the same.
    if shape[axis] < 2 or ir.RankedTensorType(op.operands[0].type).shape[0] != shape[0]:
        return None
    position = numbers.index_map.index(0)
    pieces = concatenate.operands
    if position >= len(pieces) or not _counts_along_0(pieces[position]):
        return None
    return concatenate


def _producer(value: ir.Value) -> ir.Operation | None:
    return value.owner.operation if isinstance(value, ir.OpResult) else None


def _counts_along_0(value: ir.Value) -> bool:
    """Return whether a value comes from an iota along dimension 0."""
    op = _producer(value)
    visited: set[ir.Operation] = set()  # In a graph region, or dead code, there may be a cycle.
    while op is not None and op.name in FORWARDING and op not in visited:
        visited.add(op)
        op = _producer(op.operands[0])
    if op is None or op.name != IOTA:
        return False
    return ir.IntegerAttr(op.attributes["iota_dimension"]).value == 0


def _other_indices(concatenate: ir.Operation, position: int, axis: int) -> ir.Value:
    """Return the indices without the one at `position`; inserts ops at the current point."""
    indices, pieces = concatenate.results[0], list(concatenate.operands)
    size = ir.RankedTensorType(indices.type).shape[axis]
    if len(pieces) == size:
        del pieces[position]
    else:
        ranges = ((0, position), (position + 1, size))
        pieces = [_slice(indices, axis, *ends) for ends in ranges if ends[0] < ends[1]]
    if len(pieces) == 1:
        return pieces[0]
    dimension = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), axis)
    return ir.Operation.create(
        CONCATENATE, operands=pieces, attributes={"dimension": dimension}, infer_type=True
    ).results[0]


def _slice(value: ir.Value, axis: int, start: int, limit: int) -> ir.Value:
    """Return a slice of a value along one dimension."""
    old = ir.RankedTensorType(value.type)
    starts, limits = [0] * old.rank, list(old.shape)
    starts[axis], limits[axis] = start, limit
    shape = list(old.shape)
    shape[axis] = limit - start
    attributes: dict[str, ir.Attribute] = {
        "start_indices": ir.DenseI64ArrayAttr.get(starts),
        "limit_indices": ir.DenseI64ArrayAttr.get(limits),
        "strides": ir.DenseI64ArrayAttr.get([1] * old.rank),
    }
    kind = ir.RankedTensorType.get(shape, old.element_type)
    return ir.Operation.create(
        "stablehlo.slice", results=[kind], operands=[value], attributes=attributes
    ).results[0]
