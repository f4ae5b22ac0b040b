"""The flow of buffers: which parts of which values are the same one.

Every part of a value has at most one source: the part of an operand that is in the same buffer,
if the instruction allocates none. The parts with a common origin are one buffer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sdykit.hlo.async_ops import DONE, START, UPDATE
from sdykit.hlo.attributes import ALIASING, Alias, parse_aliases
from sdykit.hlo.model import Computation, Instruction
from sdykit.hlo.shape import leaves, parse_shape

Index = tuple[int, ...]
Place = tuple[Instruction, Index]

SAME_AS_FIRST_OPERAND = frozenset(
    {"add-dependency", "bitcast", "domain", "opt-barrier", "while", UPDATE}
)
"""Opcodes whose value is that of their first operand, in the same buffers."""


@dataclass(slots=True)
class Sharing:
    """The sharing of parts of a value by an attribute, or because of a wrapped computation."""

    sources: dict[Index, tuple[int, Index]] = field(default_factory=dict)
    """The operand, and the part of it, that is in the buffer of a part of the value."""
    outputs: dict[tuple[int, Index], list[Index]] = field(default_factory=dict)
    """The inverse of `sources`."""
    twins: dict[Index, Index] = field(default_factory=dict)
    """The earlier part of the value that is in the buffer of a part."""
    repeated: dict[Index, list[Index]] = field(default_factory=dict)
    """The inverse of `twins`."""

    def add(self, alias: Alias) -> None:
        """Add an alias, unless the part has one already."""
        if alias.output not in self.sources:
            source = alias.operand, alias.operand_index
            self.sources[alias.output] = source
            self.outputs.setdefault(source, []).append(alias.output)

    def add_twin(self, index: Index, earlier: Index) -> None:
        """Record that a part is in the buffer of an earlier one."""
        self.twins[index] = earlier
        self.repeated.setdefault(earlier, []).append(index)


@dataclass(frozen=True, slots=True)
class _Forwarded:
    """The parts of a computation's result that are in buffers of its parameters, or in one.

    The result is element {1} of the start that wraps the computation.
    """

    aliases: list[Alias] = field(default_factory=list)
    twins: dict[Index, Index] = field(default_factory=dict)
    """The earlier part that is in the buffer of a part."""


_NOTHING = Sharing()


class Flow:
    """Follows buffers through the instructions of a module, in both directions.

    Results are cached: the module must not change meanwhile.
    """

    def __init__(self) -> None:
        self._origins: dict[Place, Place] = {}
        self._leaves: dict[str, dict[Index, str]] = {}
        self._uses = Uses()
        self._sharing: dict[Instruction, Sharing] = {}
        self._cached_forwards: dict[Computation, _Forwarded] = {}

    def leaves(self, op: Instruction) -> dict[Index, str]:
        """Return the shapes of all parts of a value that are not tuples, by index, in order."""
        if op.shape not in self._leaves:
            self._leaves[op.shape] = leaves(op.shape)
        return self._leaves[op.shape]

    def origin(self, op: Instruction, index: Index) -> Place:
        """Return the part of a value that defines the buffer of a part."""
        path: list[Place] = []
        place: Place | None = (op, index)
        while place is not None and place not in self._origins:
            path.append(place)
            place = self._source(*place)
        origin = path[-1] if place is None else self._origins[place]
        self._origins.update(dict.fromkeys(path, origin))
        return origin

    def reach(self, op: Instruction, index: Index) -> set[Place]:
        """Return all parts of values that are in the buffer that a part defines."""
        found = {(op, index)}
        pending = [(op, index)]
        while pending:
            at = pending.pop()
            for place in self._sinks(*at):
                if place not in found:
                    found.add(place)
                    pending.append(place)
        return found

    def readers(self, op: Instruction, index: Index) -> Sequence[Instruction]:
        """Return the users that may read a part: all but those that take another element."""
        return self._uses.readers(op, index)

    def _source(self, op: Instruction, index: Index) -> Place | None:
        """Return the part of an operand in the same buffer; None if the part defines its buffer."""
        if op.opcode in SAME_AS_FIRST_OPERAND and op.operands:
            return op.operands[0], index
        if op.opcode == "tuple" and index[0] < len(op.operands):
            return op.operands[index[0]], index[1:]
        if op.opcode == "get-tuple-element" and op.operands:
            return op.operands[0], (*element(op), *index)
        if op.opcode == DONE:
            return op.operands[0], (1, *index)
        if op.opcode == START and index[0] == 0:
            if _is_bare(op):
                return op.operands[0], index[1:]
            return op.operands[index[1]], index[2:]
        sharing = self._shared(op)
        for size in range(len(index) + 1):
            if index[:size] in sharing.sources:
                operand, at = sharing.sources[index[:size]]
                return op.operands[operand], (*at, *index[size:])
        twin = sharing.twins.get(index)
        return None if twin is None else (op, twin)

    def _sinks(self, op: Instruction, index: Index) -> Iterator[Place]:
        """Yield the parts of users' values that are in the same buffer: the inverse of `_source`."""
        for twin in self._shared(op).repeated.get(index, ()):
            yield op, twin
        for user in self._uses.readers(op, index):
            for place in self._candidates(op, index, user):
                if self._source(*place) == (op, index):
                    yield place

    def _candidates(self, op: Instruction, index: Index, user: Instruction) -> Iterator[Place]:
        if user.opcode in SAME_AS_FIRST_OPERAND:
            yield user, index
        elif user.opcode == "get-tuple-element" or (user.opcode == DONE and index[0] == 1):
            yield user, index[1:]
        elif user.opcode == "tuple":
            yield from ((user, (at, *index)) for at in self._uses.places(op, user))
        elif user.opcode == START and _is_bare(user):
            yield user, (0, *index)
        elif user.opcode == START:
            yield from ((user, (0, at, *index)) for at in self._uses.places(op, user))
        outputs = self._shared(user).outputs
        for at in self._uses.places(op, user) if outputs else ():
            for size in range(len(index) + 1):
                for output in outputs.get((at, index[:size]), ()):
                    yield user, (*output, *index[size:])

    def _shared(self, op: Instruction) -> Sharing:
        if op.opcode != START and ALIASING not in op.attributes:
            return _NOTHING
        if op not in self._sharing:
            sharing = self._sharing[op] = Sharing()
            for alias in parse_aliases(op.attributes.get(ALIASING, "{}")) or ():
                sharing.add(alias)
            for wrapped in op.called() if op.opcode == START else ():
                forwarded = self._forwarded(wrapped)
                for alias in forwarded.aliases:
                    sharing.add(alias)
                for index, earlier in forwarded.twins.items():
                    sharing.add_twin(index, earlier)
        return self._sharing[op]

    def _forwarded(self, computation: Computation) -> _Forwarded:
        """Return the parts of a result that are in the buffers of parameters or earlier parts.

        Computations that are wrapped in it are analysed first, without recursion: nesting may
        be deep.
        """
        pending = [] if computation in self._cached_forwards else [computation]
        while pending:
            starts = [op for op in pending[-1] if op.opcode == START]
            called = [each for op in starts for each in op.called()]
            inner = [each for each in called if each not in self._cached_forwards]
            pending += inner
            if not inner:
                found = pending.pop()
                self._cached_forwards[found] = self._find_forwarded(found)
        return self._cached_forwards[computation]

    def _find_forwarded(self, computation: Computation) -> _Forwarded:
        found = _Forwarded()
        parameters = {op: at for at, op in enumerate(computation.parameters)}
        seen: dict[Place, Index] = {}
        for index in self.leaves(computation.root):
            op, at = self.origin(computation.root, index)
            if op in parameters:
                found.aliases.append(Alias((1, *index), parameters[op], at))
            elif seen.setdefault((op, at), index) != index:
                found.twins[1, *index] = (1, *seen[op, at])
        return found


def _is_bare(start: Instruction) -> bool:
    """Whether {0} of a start is its one operand, not the tuple of its operands."""
    elements = parse_shape(start.shape).elements
    if elements is None or len(start.operands) != 1:
        return False
    return elements[0].same(parse_shape(start.operands[0].shape))


class Uses:
    """Tables of users and operands, since an instruction may have thousands of either.

    Results are cached: the module must not change meanwhile.
    """

    def __init__(self) -> None:
        self._takers: dict[Instruction, dict[Index, list[Instruction]]] = {}
        self._others: dict[Instruction, list[Instruction]] = {}
        self._places: dict[Instruction, dict[Instruction, list[int]]] = {}

    def readers(self, op: Instruction, index: Index) -> Sequence[Instruction]:
        """Return the users that may read a part: all but those that take another element."""
        if op not in self._others:
            takers = self._takers[op] = dict[Index, list[Instruction]]()
            others = self._others[op] = list[Instruction]()
            for user in op.users:
                is_taker = user.opcode == "get-tuple-element"
                (takers.setdefault(element(user), []) if is_taker else others).append(user)
        return [*self._takers[op].get(index[:1], ()), *self._others[op]]

    def places(self, operand: Instruction, op: Instruction) -> Sequence[int]:
        """Return the operand numbers of `operand` in an instruction."""
        if op not in self._places:
            places = self._places[op] = dict[Instruction, list[int]]()
            for at, each in enumerate(op.operands):
                places.setdefault(each, []).append(at)
        return self._places[op].get(operand, ())


def element(op: Instruction) -> Index:
    """Return the index of a get-tuple-element; () if it has none, which selects nothing."""
    text = op.attributes.get("index", "")
    return (int(text),) if text.isdecimal() else ()
