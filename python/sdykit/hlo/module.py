"""An HLO module: a list of computations, their names, and who calls whom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sdykit.hlo.computation import Computation
from sdykit.hlo.instruction import Instruction
from sdykit.hlo.source import Source

_COUNT = re.compile(r"\.\d+\Z", re.ASCII)


@dataclass(slots=True, eq=False)
class Module:
    """An HLO program."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    """Those of the header: `is_scheduled`, `entry_computation_layout`, ..."""
    sections: dict[str, list[str]] = field(default_factory=dict)
    """The tables behind the header, `FileNames` and so on: their rows by title."""
    computations: list[Computation] = field(default_factory=list)
    source: Source | None = None
    _entry: Computation | None = None
    _by_name: dict[str, Computation] = field(default_factory=dict)
    _names: set[str] | None = None
    _counts: dict[str, int] = field(default_factory=dict)

    @property
    def entry(self) -> Computation:
        """What was assigned or marked `ENTRY`, or else the last computation."""
        return self._entry or self.computations[-1]

    @entry.setter
    def entry(self, entry: Computation) -> None:
        self._entry = entry

    def __iter__(self) -> Iterator[Computation]:
        return iter(self.computations)

    def computation(self, name: str) -> Computation:
        """Find a computation by its name."""
        return self._by_name[name]

    def find_computation(self, name: str) -> Computation | None:
        """Find a computation by its name; None if there is none of it."""
        return self._by_name.get(name)

    def has_computation(self, name: str) -> bool:
        """Whether a computation has this name."""
        return name in self._by_name

    def add_computation(
        self, computation: Computation, *, before: Computation | None = None
    ) -> Computation:
        """Add a computation at the end, or `before` one that calls it, as XLA wants it."""
        at = len(self.computations) if before is None else self.computations.index(before)
        self._adopt(computation)
        self.computations.insert(at, computation)
        return computation

    def erase_computation(self, computation: Computation) -> None:
        """Take out a computation; nothing may call it any more."""
        self.computations.remove(computation)
        self._forget(computation)

    def set_order(self, order: Iterable[Computation]) -> None:
        """Make `order` the list: for many changes at once, in linear time."""
        new = dict.fromkeys(order)
        erased = [each for each in self.computations if each not in new]
        inserted = [each for each in new if each.module is not self]
        self.computations = list(new)
        for each in erased:
            self._forget(each)
        for each in inserted:
            self._adopt(each)

    def rename_computation(self, computation: Computation, name: str) -> None:
        """Rename a computation, and what calls it with it; looks at the whole module."""
        if self._by_name.get(name, computation) is not computation:
            raise ValueError(f"the module has a computation %{name} already")
        mention = re.compile(rf"(?<![\w.\-]){re.escape(computation.name)}(?![\w.\-])", re.ASCII)
        for op in [op for each in self.computations for op in each.instructions]:
            for attribute, called in op.called_names():
                if called == computation.name:
                    op.attributes[attribute] = mention.sub(name, op.attributes[attribute])
        del self._by_name[computation.name]
        self._by_name[name] = computation
        computation.name = name
        self.note_name(name)

    def callers(self) -> dict[Computation, list[Instruction]]:
        """For each computation, the instructions that name it, in program order."""
        found: dict[Computation, list[Instruction]] = {each: [] for each in self.computations}
        for op, called in self.calls():
            for each in dict.fromkeys(called):
                found[each].append(op)
        return found

    def calls(self) -> Iterator[tuple[Instruction, list[Computation]]]:
        """Iterate over the instructions that name computations, with these, in program order."""
        for computation in self.computations:
            for op in computation.instructions:
                if op.attributes and (called := op.called()):
                    yield op, called

    def fresh_name(self, base: str) -> str:
        """Give `base`, or with a count, `base.1`: a name that nothing in the module has."""
        if self._names is None:
            self._names = set(self._by_name)
            for computation in self.computations:
                self._names.update(computation.by_name)
        name = base
        while name in self._names:
            stem = _COUNT.sub("", base)
            self._counts[stem] = self._counts.get(stem, 0) + 1
            name = f"{stem}.{self._counts[stem]}"
        self._names.add(name)
        return name

    def note_name(self, name: str) -> None:
        """Record that `name` is taken."""
        if self._names is not None:
            self._names.add(name)

    def _adopt(self, computation: Computation) -> None:
        if computation.name in self._by_name:
            raise ValueError(f"the module has a computation %{computation.name} already")
        self._by_name[computation.name] = computation
        computation.module = self
        if self._names is not None:
            self._names.add(computation.name)
            self._names.update(computation.by_name)

    def _forget(self, computation: Computation) -> None:
        del self._by_name[computation.name]
        computation.module = None
        if self._entry is computation:
            self._entry = None
