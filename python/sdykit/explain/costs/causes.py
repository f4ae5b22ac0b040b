"""Why a collective is needed: which op it is for, which shardings disagree there, and what decided them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from sdykit.core.diagnostics import sent_to
from sdykit.dialects import sdy
from sdykit.explain.costs.chains import Chain, chain_of
from sdykit.explain.costs.model import Cause
from sdykit.explain.costs.numbering import op_number, tensor_number
from sdykit.explain.costs.program import RESHARDING, PartitionedProgram
from sdykit.explain.costs.sentences import source_of_op
from sdykit.explain.model import Refusal, SourceLine, TensorSharding
from sdykit.explain.questions.axes import is_along, overlaps
from sdykit.explain.questions.index import Index
from sdykit.explain.questions.why import why
from sdykit.mlir import ir
from sdykit.passes.sdy._sharding_rules import ShardingRules

_SUMS = frozenset(("sdy.all_reduce", "sdy.reduce_scatter"))


class Disagreement(NamedTuple):
    """Why a collective is needed.

    Attributes:
        op: the op of the recorded program that it is for.
        before: the sharding that its producer has.
        after: the sharding that its consumer needs.
        causes: what made them so, for each axis.
        source: the line of the op.
    """

    op: int | None
    before: TensorSharding | None
    after: TensorSharding | None
    causes: tuple[Cause, ...]
    source: SourceLine | None


class Causes:
    """Finds them."""

    def __init__(self, program: PartitionedProgram) -> None:
        self._program = program
        self._explanation = program.explanation
        self._index = Index(program.explanation)
        self._rules = ShardingRules()
        self._from: dict[int, list[tuple[int, Refusal]]] = {}
        for op, refusal in self._index.refusals():
            self._from.setdefault(refusal.source, []).append((op, refusal))

    def of(self, op: ir.Operation, axes: Sequence[str]) -> Disagreement:
        """Return why a collective along some axes is needed."""
        if op.name not in RESHARDING:
            return self._written(op, axes)
        chain = chain_of(self._program, op)
        sums = [self._sum(chain, axis) if op.name in _SUMS else None for axis in axes]
        causes = [
            cause or self._reshard(chain, axis) for cause, axis in zip(sums, axes, strict=True)
        ]
        ops = (*(each.op for each in sums if each is not None), *chain.ops)
        number = next(iter(ops), None)
        return Disagreement(
            number,
            self._program.sharding(chain.start),
            self._program.sharding(chain.end),
            tuple(causes),
            self._source(number, next(iter(chain.tensors), None)),
        )

    def _written(self, op: ir.Operation, axes: Sequence[str]) -> Disagreement:
        number = op_number(op)
        causes = tuple(Cause(axis, "written", op=number) for axis in axes or ("",))
        return Disagreement(
            number,
            self._program.sharding(op.operands[0]),
            self._program.sharding(op.results[0]),
            causes,
            self._source(number, None),
        )

    def _source(self, op: int | None, tensor: int | None) -> SourceLine | None:
        """Return the line of an op, else of a tensor, else of the call that the op is in."""
        ops = self._explanation.ops
        if op is not None and ops[op].source is not None:
            return ops[op].source
        if tensor is not None and self._explanation.tensors[tensor].source is not None:
            return self._explanation.tensors[tensor].source
        return None if op is None else source_of_op(self._explanation, op)

    # Sums.

    def _sum(self, chain: Chain, axis: str) -> Cause | None:
        """Return the dimension that the producer sums over along an axis; None if it does not."""
        producer, start = chain.producer, chain.start
        sharding = self._program.sharding(start)
        if sharding is not None and is_along(sharding.unreduced, axis):
            tensor = tensor_number(start, self._explanation)
            op = None if producer is None else op_number(producer)
            return Cause(axis, "unreduced", tensor, op)
        rule = None if producer is None else self._rule(producer)
        if producer is None or rule is None:
            return None
        found = self._divided(producer, rule, rule.reduction_factors, axis)
        return None if found is None else self._of_dimension("sum", producer, *found, axis)

    def _of_dimension(
        self,
        kind: Literal["sum", "whole", "used"],
        op: ir.Operation,
        value: ir.Value,
        dimension: int,
        axis: str,
    ) -> Cause:
        tensor = tensor_number(self._program.chain_start(value), self._explanation)
        step = None if tensor is None else self._step(tensor, axis, dimension)
        return Cause(axis, kind, tensor, op_number(op), dimension, step=step)

    def _divided(
        self,
        op: ir.Operation,
        rule: sdy.OpShardingRuleAttr,
        factors: Sequence[int],
        axis: str,
    ) -> tuple[ir.Value, int] | None:
        """Return an operand and a dimension of it, of one of some factors, that is divided along an axis."""
        for operand, mapping in zip(op.operands, rule.operand_mappings, strict=True):
            sharding = self._program.sharding(operand)
            if sharding is None:
                continue
            # A tensor on one device has a sharding without dimensions.
            pairs = zip(sharding.dims, mapping.dim_mappings, strict=False)
            for at, (dim, factors_of_dim) in enumerate(pairs):
                has = is_along(dim.axes, axis)
                if has and not set(factors).isdisjoint(factors_of_dim.factor_indices):
                    return operand, at
        return None

    def _rule(self, op: ir.Operation) -> sdy.OpShardingRuleAttr | None:
        # Propagation has warned of ops without rules; collectives disagree with nobody.
        if op.name in RESHARDING:
            return None
        with sent_to(lambda _: None):
            return self._rules.of(op)

    # Reshards.

    def _reshard(self, chain: Chain, axis: str) -> Cause:
        """Return what makes the sharding of a tensor differ from what an op needs, along an axis."""
        found = self._refusal(chain, axis)
        if found is not None:
            op, refusal = found
            step = self._step(refusal.source, axis)
            return Cause(axis, "refused", refusal.source, op, refusal=refusal, step=step)
        found = self._whole(chain, axis) or self._used(chain, axis)
        if found is not None:
            return found
        tensor = next(iter(chain.tensors), None)
        step = None if tensor is None else self._step(tensor, axis)
        return Cause(axis, "differs", tensor, next(iter(chain.ops), None), step=step)

    def _refusal(self, chain: Chain, axis: str) -> tuple[int, Refusal] | None:
        """Return a refusal of an axis, to a tensor or from it, at the ops that disagree if there is one."""
        around = [
            each
            for tensor in chain.tensors
            for each in (*self._from.get(tensor, ()), *self._index.refusals_of(tensor))
            if overlaps(each[1].axis, axis)
        ]
        here = [each for each in around if each[0] in chain.ops]
        return next(iter([*here, *around]), None)

    def _whole(self, chain: Chain, axis: str) -> Cause | None:
        """Return the dimension that a consumer needs whole, or exchanges data along."""
        sharding = self._program.sharding(chain.start)
        for consumer in chain.users:
            rule = self._rule(consumer)
            if rule is None or sharding is None:
                continue
            factors = {*rule.need_replication_factors, *rule.permutation_factors}
            for operand, mapping in zip(consumer.operands, rule.operand_mappings, strict=True):
                pairs = zip(sharding.dims, mapping.dim_mappings, strict=False)
                for at, (dim, of_dim) in enumerate(pairs):
                    has = operand == chain.end and is_along(dim.axes, axis)
                    if has and not factors.isdisjoint(of_dim.factor_indices):
                        return self._of_dimension("whole", consumer, chain.start, at, axis)
        return None

    def _used(self, chain: Chain, axis: str) -> Cause | None:
        """Return another tensor of an op that disagrees, which is divided along an axis."""
        for op in chain.users:
            for value in (*op.operands, *op.results):
                sharding = self._program.sharding(value)
                if value in (chain.start, chain.end) or sharding is None:
                    continue
                for at, dim in enumerate(sharding.dims):
                    if is_along(dim.axes, axis):
                        return self._of_dimension("used", op, value, at, axis)
        return None

    def _step(self, tensor: int, axis: str, dimension: int | None = None) -> int | None:
        """Return the number of the step in which a tensor got an axis; None: it was given, or lacks it."""
        links = why(self._index, tensor, axis)
        if not links or links[0].step is None:
            return None
        if dimension is not None and links[0].dimension != dimension:
            return None
        return self._explanation.steps[links[0].step].number
