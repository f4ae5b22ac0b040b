"""The shardings of values as they are now: an op that is asked for them may have been changed before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from sdykit.core.symbols import Symbols
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.manual import boundary_of
from sdykit.passes.sdy._propagation.numbered import NONE, NumberedShardings
from sdykit.passes.sdy._propagation.program import TypeInfo, type_info
from sdykit.passes.sdy._propagation.shardings import Mesh, Sharding
from sdykit.passes.sdy._shardings import RESULT_ATTRIBUTE, SHARDING
from sdykit.passes.sdy._value_shardings import DATA_FLOW_OPS, ValueShardings, parent_op

BARRIER = "sdy.propagation_barrier"


class Tensors(NamedTuple):
    """The operands and results of an op, operands first.

    Attributes:
        operands: how many of them are operands.
        numbers: the numbers of their shardings.
        sources: the same, of the values that reach the operands through barriers.
        types: their types.
    """

    operands: int
    numbers: tuple[int, ...]
    sources: tuple[int, ...]
    types: tuple[TypeInfo, ...]


class Source(NamedTuple):
    """A value, and what it is the result of: to get from a value to its op takes most of the time here.

    Attributes:
        value: the value.
        op: the op that it is a result of, None for a block argument.
        name: the name of the op, empty for a block argument.
    """

    value: ir.Value
    op: ir.Operation | None
    name: str

    @classmethod
    def of(cls, value: ir.Value) -> Self:
        """Return the source that is a value itself."""
        if not isinstance(value, ir.OpResult):
            return cls(value, None, "")
        op = value.owner.operation
        return cls(value, op, op.name)

    @classmethod
    def before_barriers(cls, value: ir.Value) -> Self:
        """Return the value that reaches another one through barriers."""
        source = cls.of(value)
        while source.op is not None and source.name == BARRIER:
            source = cls.of(source.op.operands[0])
        return source


class Values:
    """Reads the shardings of values. Nothing is kept by value: a new one may lie where an erased one was.

    Attributes:
        shardings: converts them; it knows the meshes of the module.
        functions: the functions of the module by name.
    """

    def __init__(self, symbols: Symbols) -> None:
        self.functions = symbols.functions
        self.shardings = NumberedShardings(symbols.meshes)
        self._values = ValueShardings()
        self._types: dict[ir.Type, TypeInfo] = {}

    def sharding(self, value: ir.Value) -> Sharding | None:
        """Return the sharding of a value."""
        return self.shardings.find(self.number(value))

    def number(self, value: ir.Value) -> int:
        """Return the number of the sharding of a value."""
        return self.number_of(Source.of(value))

    def number_of(self, source: Source) -> int:
        """Return the number of the sharding of a value whose op is known."""
        value, op, name = source
        if op is None or name in DATA_FLOW_OPS:
            return self._number_on_edge(value)
        own = RESULT_ATTRIBUTE.get(name)
        attribute = op.attributes.get(own or SHARDING)
        if attribute is None:
            return NONE
        if own is not None:
            return self.shardings.number_of(attribute)
        return self.shardings.numbers_of(attribute)[ir.OpResult(value).result_number]

    def _number_on_edge(self, value: ir.Value) -> int:
        """Return the number of the sharding of a block argument, or of a value on a data-flow edge."""
        attribute = self._values.get(value)
        if attribute is None:
            return NONE
        if not isinstance(value, ir.BlockArgument):
            return self.shardings.number_of(attribute)
        number, outer = value.arg_number, self.shardings.read(attribute)
        boundary = boundary_of(parent_op(value), number, self.shardings, is_argument=True)
        return self.shardings.number(outer if boundary is None else boundary.to_inner(outer))

    def tensors(self, op: ir.Operation, *, has_barriers: bool) -> Tensors:
        """Return the tensors of an op.

        Args:
            op: the op.
            has_barriers: whether its operands may be results of barriers.
        """
        operands, results = list(op.operands), list(op.results)
        values = [*operands, *results]
        numbers = sources = tuple(map(self.number, values))
        if has_barriers:
            sources = tuple(self.number_of(Source.before_barriers(value)) for value in operands)
            sources += numbers[len(operands) :]
        types = tuple(self._type(value.type) for value in values)
        return Tensors(len(operands), numbers, sources, types)

    def _type(self, type_: ir.Type) -> TypeInfo:
        found = self._types.get(type_)
        if found is None:
            found = self._types[type_] = type_info(type_)
        return found

    def mesh(self, shardings: Sequence[Sharding | None]) -> Mesh | None:
        """Return the common mesh, whatever its devices: that which most shardings with axes are on."""
        meshes = [each.mesh for each in shardings if each is not None]
        views = {mesh: self.shardings.mesh(mesh) for mesh in meshes}
        known = [mesh for mesh in meshes if views[mesh].axes or views[mesh].device_ids]
        if not known or len({tuple(views[mesh].axes) for mesh in known}) > 1:
            return None
        if not views[known[0]].axes:
            return None
        counts: dict[Mesh, int] = dict.fromkeys(known, 0)
        for sharding in shardings:
            if sharding is not None and sharding.has_axes and sharding.mesh in counts:
                counts[sharding.mesh] += 1
        return max(counts, key=lambda mesh: counts[mesh])
