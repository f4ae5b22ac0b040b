"""The collectives of a partitioned program, with what each moves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from sdykit.dialects import sdy
from sdykit.explain.costs.amounts import local_bytes, moved_bytes
from sdykit.explain.costs.causes import Causes
from sdykit.explain.costs.loops import LoopCounts
from sdykit.explain.costs.model import Collective, Kind
from sdykit.explain.costs.numbering import tensor_number
from sdykit.explain.costs.program import RESHARDING, PartitionedProgram, axis_text
from sdykit.explain.costs.written import WRITTEN, written_group
from sdykit.explain.model import TensorSharding
from sdykit.explain.questions.axes import name_of, size_of
from sdykit.mlir import ir
from sdykit.passes.sdy._value_shardings import shaped_type

_NOTHING_MOVES = frozenset(("sdy.replicated_to_unreduced", "sdy.sharded_to_unreduced"))
"""Collectives that only tell what the parts of a tensor mean."""
_LISTS = {
    "sdy.all_gather": "gathering_axes",
    "sdy.all_slice": "slicing_axes",
    "sdy.reduce_scatter": "reduce_scatter_axes",
}
_KINDS: Mapping[str, Kind] = {
    "sdy.all_gather": "all_gather",
    "sdy.all_slice": "all_slice",
    "sdy.all_to_all": "all_to_all",
    "sdy.collective_permute": "collective_permute",
    "sdy.reduce_scatter": "reduce_scatter",
    "sdy.all_reduce": "all_reduce",
    "sdy.reshard": "reshard",
    **WRITTEN,
}


class Collecting:
    """Collects them."""

    def __init__(self, program: PartitionedProgram) -> None:
        self._program = program
        self._loops = LoopCounts(program.module.operation)
        self._causes = Causes(program)

    def all(self) -> Iterator[Collective]:
        """Yield them in the order of the program."""
        ops: list[ir.Operation] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            if op.name in _KINDS and op.name not in _NOTHING_MOVES:
                ops.append(op)
            return ir.WalkResult.ADVANCE

        self._program.module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
        for number, op in enumerate(ops):
            yield self._collective(number, op)

    def _collective(self, number: int, op: ir.Operation) -> Collective:
        kind = _KINDS[op.name]
        has = self._program.sharding(op.operands[0])
        wants = self._program.sharding(op.results[0])
        axes, devices = self._group(op, has, wants)
        size = sum(self._local_bytes(operand) for operand in op.operands)
        runs = self._loops.of(op)
        disagreement = self._causes.of(op, axes)
        return Collective(
            number,
            kind,
            axes,
            devices,
            size,
            moved_bytes(kind, size, devices),
            runs.count,
            runs.is_in_unknown_loop,
            runs.is_in_branch,
            tensor_number(self._program.chain_start(op.operands[0]), self._program.explanation),
            disagreement.op,
            disagreement.before,
            disagreement.after,
            disagreement.causes,
            disagreement.source,
        )

    def _group(
        self, op: ir.Operation, has: TensorSharding | None, wants: TensorSharding | None
    ) -> tuple[tuple[str, ...], int]:
        """Return the axes along which devices exchange data, and the number of those that do."""
        if op.name not in RESHARDING:
            return written_group(op, self._program.meshes)
        axes = tuple(_axes(op, has, wants))
        mesh = (wants or has or _NOWHERE).mesh
        return axes, math.prod(size_of(axis, self._program.meshes.get(mesh, {})) for axis in axes)

    def _local_bytes(self, value: ir.Value) -> int:
        shaped = shaped_type(value.type)
        if shaped is None or not shaped.has_static_shape:
            return 0
        shape = list(shaped.shape)
        return local_bytes(shape, str(shaped.element_type), self._parts(value, len(shape)))

    def _parts(self, value: ir.Value, rank: int) -> list[int]:
        sharding = self._program.sharding(value)
        # A tensor on one device has a sharding without dimensions.
        if sharding is None or len(sharding.dims) != rank:
            return [1] * rank
        mesh = self._program.meshes.get(sharding.mesh, {})
        return [math.prod(size_of(axis, mesh) for axis in dim.axes) for dim in sharding.dims]


_NOWHERE = TensorSharding("", ())


def _axes(
    op: ir.Operation, has: TensorSharding | None, wants: TensorSharding | None
) -> Iterator[str]:
    """Yield the axes that a collective of sdy is about."""
    attributes = op.attributes
    if op.name == "sdy.all_reduce":
        yield from map(axis_text, sdy.AxisRefListAttr.of(attributes["reduction_axes"]).value)
    elif op.name == "sdy.all_to_all":
        for each in sdy.AllToAllParamListAttr.of(attributes["params"]).value:
            yield from map(axis_text, each.axes)
    elif op.name in _LISTS:
        for axes in sdy.ListOfAxisRefListsAttr.of(attributes[_LISTS[op.name]]).value:
            yield from map(axis_text, axes.value)
    else:
        yield from _moved(has, wants)


def _moved(has: TensorSharding | None, wants: TensorSharding | None) -> Sequence[str]:
    """Return the mesh axes of those dimensions that two shardings divide differently."""
    before = [dim.axes for dim in has.dims] if has is not None else []
    after = [dim.axes for dim in wants.dims] if wants is not None else []
    pairs = zip_longest(before, after, fillvalue=())
    names = (name_of(axis) for one, other in pairs if one != other for axis in (*one, *other))
    return tuple(dict.fromkeys(names))
