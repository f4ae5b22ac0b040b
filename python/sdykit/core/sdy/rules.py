"""Building the sharding rule of an op: which dimensions of its tensors correspond."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, get_args

from sdykit.mlir import ir

if TYPE_CHECKING:
    from sdykit.dialects import sdy

Shape = tuple[int, ...]
Dims = Sequence[int | None]


Kind = Literal["pass_through", "reduction", "need_replication", "permutation"]
"""What a factor needs if it is sharded.

- `pass_through`: nothing, each device works on its part;
- `reduction`: an all-reduce, since the op sums over it;
- `need_replication`: it must be whole on each device when the op runs;
- `permutation`: devices exchange elements along it.
"""

_KINDS: Final = get_args(Kind)

PASS_THROUGH: Final = "pass_through"
REDUCTION: Final = "reduction"
NEED_REPLICATION: Final = "need_replication"
PERMUTATION: Final = "permutation"


class RuleBuilder:
    """Builds the sharding rule of one op, factor by factor.

    Attributes:
        operands: the shape of each operand; `()` for one that is no ranked tensor.
        results: the shape of each result, likewise.
        conservative: whether factors are to be left out, or blocked, where a sharding along them would
            need communication that not every partitioner can do.
    """

    def __init__(
        self, operands: Sequence[Shape], results: Sequence[Shape], *, conservative: bool = False
    ) -> None:
        self.operands = tuple(operands)
        self.results = tuple(results)
        self.conservative = conservative
        self._sizes: list[int] = []
        self._kinds: list[Kind] = []
        self._blocked: list[int] = []
        # The factors of each dimension of each operand, then of each result.
        self._tensors: list[list[list[int]]] = [
            [[] for _ in shape] for shape in (*self.operands, *self.results)
        ]

    def add(
        self,
        operands: Dims,
        results: Dims,
        size: int,
        kind: Kind = PASS_THROUGH,
        *,
        blocked: bool = False,
    ) -> None:
        """Add a factor.

        Args:
            operands: the dimension of each operand that the factor is in; None: in none.
            results: the same of each result.
            size: its size. One of size 1 is left out of dimensions that have factors already.
            kind: what it needs if it is sharded.
            blocked: whether no sharding is propagated along it.

        Raises:
            ValueError: a tensor has no such dimension, the size or the kind is none, or there are
                not as many dimensions as operands and results.
        """
        self._check(operands, results, size, kind)
        factor = len(self._sizes)
        self._sizes.append(size)
        self._kinds.append(kind)
        if blocked:
            self._blocked.append(factor)
        for dims, dim in zip(self._tensors, (*operands, *results), strict=True):
            if dim is not None and (size != 1 or not dims[dim]):
                dims[dim].append(factor)

    def _check(self, operands: Dims, results: Dims, size: int, kind: Kind) -> None:
        if size < 0 or kind not in _KINDS:
            raise ValueError(
                f"factor of size {size} and kind {kind!r}; expected a size of 0 or more and one of"
                f" {', '.join(_KINDS)}"
            )
        for word, dims, shapes in (
            ("operand", operands, self.operands),
            ("result", results, self.results),
        ):
            if len(dims) != len(shapes):
                raise ValueError(
                    f"{len(dims)} dimensions of {word}s; the op has {len(shapes)} {word}s"
                )
            for number, (dim, shape) in enumerate(zip(dims, shapes, strict=True)):
                if dim is not None and not 0 <= dim < len(shape):
                    raise ValueError(
                        f"{word} {number} has no dimension {dim}: its shape is {shape}"
                    )

    def same(
        self, dim: int, size: int, kind: Kind = PASS_THROUGH, *, blocked: bool = False
    ) -> None:
        """Add a factor to dimension `dim` of every tensor that has dimensions."""
        operands = [dim if shape else None for shape in self.operands]
        results = [dim if shape else None for shape in self.results]
        self.add(operands, results, size, kind, blocked=blocked)

    def pointwise(self, shape: Shape) -> None:
        """Add a factor for each dimension of `shape` to every tensor that has dimensions."""
        for dim, size in enumerate(shape):
            self.same(dim, size)

    def build(self) -> sdy.OpShardingRuleAttr:
        """Return the rule; each dimension without factors gets one of size 1 of its own."""
        # A driver that makes no rules starts faster without these classes.
        from sdykit.dialects import sdy

        for dims in self._tensors:
            for factors in dims:
                if not factors:
                    factors.append(len(self._sizes))
                    self._sizes.append(1)
                    self._kinds.append(PASS_THROUGH)
        mappings = [
            sdy.TensorMappingAttr(tuple([sdy.DimMappingAttr(tuple(factors)) for factors in dims]))
            for dims in self._tensors
        ]
        count = len(self.operands)
        return sdy.OpShardingRuleAttr(
            tuple(self._sizes),
            tuple(mappings[:count]),
            tuple(mappings[count:]),
            self._of_kind(REDUCTION),
            self._of_kind(NEED_REPLICATION),
            self._of_kind(PERMUTATION),
            tuple(self._blocked),
        )

    def _of_kind(self, kind: Kind) -> tuple[int, ...]:
        return tuple(factor for factor, found in enumerate(self._kinds) if found == kind)


def shape_of(type_: ir.Type) -> Shape:
    """Return the shape of a ranked tensor, or of that of a mesh of MPMD; `()` for any other type.

    A dynamic size is negative.
    """
    if isinstance(type_, ir.RankedTensorType):
        return tuple(type_.shape)
    if str(type_).startswith("!mpmd.mesh_tensor"):
        return tuple(ir.ShapedType(type_).shape)
    return ()
