"""One step: what an op does to the shardings of its tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from sdykit.dialects import sdy
from sdykit.passes.sdy._propagation.axes import Axis, Status, status
from sdykit.passes.sdy._propagation.factors import (
    Direction,
    OpFactors,
    Tensor,
    propagate_aggressive,
    propagate_basic,
)
from sdykit.passes.sdy._propagation.projection import Dim, Factors, Mapped, combine, project
from sdykit.passes.sdy._propagation.shardings import Mesh, Sharding, Shardings

Strategy = Callable[[OpFactors], None]
StrategyName = Literal["basic", "aggressive", "basic-then-aggressive"]
STRATEGIES: dict[str, tuple[Strategy, ...]] = {
    "basic": (propagate_basic,),
    "aggressive": (propagate_aggressive,),
    "basic-then-aggressive": (propagate_basic, propagate_aggressive),
}


@dataclass(frozen=True, eq=False)
class Rule:
    """A sharding rule, ready for use; equal rules are one object.

    Attributes:
        sizes: the size of each factor.
        operands: the factors of each dimension of each operand.
        results: the same of each result.
        blocked: the factors along which nothing is propagated.
        special: the factors that are not passed through, and their kinds.
        is_identity: whether it is that of an edge, which has no rule of its own.
    """

    sizes: tuple[int, ...]
    operands: tuple[Mapped, ...]
    results: tuple[Mapped, ...]
    blocked: frozenset[int] = frozenset()
    special: Mapping[int, str] = field(default_factory=dict)
    is_identity: bool = False

    @property
    def tensors(self) -> tuple[Mapped, ...]:
        return (*self.operands, *self.results)

    def kind(self, factor: int) -> str:
        """Return the kind of a factor, such as `reduction`."""
        return self.special.get(factor, "pass_through")


def rule_of(view: sdy.OpShardingRuleAttr) -> Rule:
    """Return a rule from its attribute."""

    def mapped(mappings: Sequence[sdy.TensorMappingAttr]) -> tuple[Mapped, ...]:
        return tuple(
            tuple(dim.factor_indices for dim in mapping.dim_mappings) for mapping in mappings
        )

    special = {
        **dict.fromkeys(view.permutation_factors, "permutation"),
        **dict.fromkeys(view.need_replication_factors, "need_replication"),
        **dict.fromkeys(view.reduction_factors, "reduction"),
    }
    return Rule(
        view.factor_sizes,
        mapped(view.operand_mappings),
        mapped(view.result_mappings),
        frozenset(view.blocked_propagation_factors),
        special,
    )


def identity_rule(shape: Sequence[int], sources: int) -> Rule:
    """Return the rule of an edge: all tensors have one sharding."""
    mapped = tuple((dim,) for dim in range(len(shape)))
    return Rule(tuple(shape), (mapped,) * sources, (mapped,), is_identity=True)


@dataclass(frozen=True, eq=False)
class Key:
    """What a step depends on. A table makes one for each step: it is a key of dictionaries as it is."""

    rule: Rule
    shardings: tuple[Sharding | None, ...]
    directions: tuple[Direction, ...] | Direction
    strategy: Strategy
    conservative: bool
    is_elementwise: bool


class Outcome(NamedTuple):
    """What a step does.

    Attributes:
        changes: the numbers of the tensors that change, operands first, and their new shardings.
        flows: each axis that a tensor got, the number of the tensor that it came from, and its own.
    """

    changes: tuple[tuple[int, Sharding], ...] = ()
    flows: tuple[tuple[Axis, int, int], ...] = ()


@dataclass
class Steps:
    """Computes steps.

    Attributes:
        shardings: knows the meshes.
    """

    shardings: Shardings

    def outcome(self, key: Key) -> Outcome:
        """Return what a step changes."""
        rule = key.rule
        if not any(each is not None and each.has_axes for each in key.shardings):
            return Outcome()
        mesh = self.common_mesh(key.shardings)
        if mesh is None:
            return Outcome()
        op = self.state(key, key.shardings)
        tensors = op.tensors
        before = [tensor.factors.copy() for tensor in tensors]
        key.strategy(op)
        changed, flows = [], []
        for number, (tensor, mapped) in enumerate(zip(tensors, rule.tensors, strict=True)):
            if tensor.is_changed:
                old = key.shardings[number]
                dims = combine(tensor.factors, mapped, rule.sizes)
                new = Sharding(mesh, dims, tensor.replicated, tensor.unreduced)
                if new != old and (old is not None or new.has_axes):
                    changed.append((number, new))
                    flows += _flows(number, before, tensor.factors)
        return Outcome(tuple(changed), tuple(flows))

    def state(self, key: Key, shardings: Sequence[Sharding | None]) -> OpFactors:
        """Return the tensors of a step, by factors, when they have some shardings."""
        rule, directions = key.rule, key.directions
        if isinstance(directions, Direction):
            directions = (directions,) * len(rule.sizes)
        if rule.blocked:
            directions = tuple(
                Direction.NONE if factor in rule.blocked else direction
                for factor, direction in enumerate(directions)
            )
        tensors = [
            _tensor(sharding, mapped, rule.sizes)
            for sharding, mapped in zip(shardings, rule.tensors, strict=True)
        ]
        count = len(rule.operands)
        mesh = self.common_mesh(shardings) if key.conservative else None
        return OpFactors(
            tensors[:count],
            tensors[count:],
            rule.sizes,
            directions,
            None if mesh is None else self._whole(mesh),
            key.is_elementwise,
        )

    def common_mesh(self, shardings: Sequence[Sharding | None]) -> Mesh | None:
        """Return the mesh of shardings; None if they differ in it, or it does not propagate."""
        meshes = dict.fromkeys(sharding.mesh for sharding in shardings if sharding is not None)
        known = [mesh for mesh in meshes if not self._is_empty(mesh)]
        if not known or any(not self.same_mesh(mesh, known[0]) for mesh in known[1:]):
            return None
        return known[0] if self._mesh(known[0]).axes else None

    def same_mesh(self, mesh: Mesh, other: Mesh) -> bool:
        """Return whether two meshes have the same axes and devices."""
        return self._mesh(mesh) == self._mesh(other)

    def is_maximal(self, mesh: Mesh) -> bool:
        """Return whether a mesh is one device."""
        return not self._mesh(mesh).axes and not self._is_empty(mesh)

    def _whole(self, mesh: Mesh) -> dict[str, int]:
        return {axis.name: axis.size for axis in self._mesh(mesh).axes}

    def _mesh(self, mesh: Mesh) -> sdy.MeshAttr:
        return self.shardings.mesh(mesh)

    def _is_empty(self, mesh: Mesh) -> bool:
        view = self._mesh(mesh)
        return not view.axes and not view.device_ids


def _flows(
    number: int, before: Sequence[Factors], after: Factors
) -> Iterator[tuple[Axis, int, int]]:
    """Yield the axes that a tensor got, and the first tensor that had them, operands first."""
    for factor, sharding in after.items():
        old, new = before[number][factor].axes, sharding.axes
        if old == new:
            continue
        kept = len(old) if old == new[: len(old)] else len(old) - 1
        source = next(
            other
            for other, factors in enumerate(before)
            if factor in factors and status(new, factors[factor].axes) is not Status.NOT_A_PREFIX
        )
        for axis in new[kept:]:
            yield axis, source, number


def _tensor(sharding: Sharding | None, mapped: Mapped, sizes: Sequence[int]) -> Tensor:
    # A sharding on one device need not have dimensions.
    if sharding is None or len(sharding.dims) != len(mapped):
        return Tensor(project([Dim()] * len(mapped), mapped, sizes))
    factors = project(sharding.dims, mapped, sizes)
    return Tensor(factors, sharding.replicated, sharding.unreduced)
