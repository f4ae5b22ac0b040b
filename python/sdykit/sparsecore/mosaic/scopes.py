"""When scopes began and ended: where both engines note it, and what it says after a run.

A scope is what lies between `tpu.trace_start` and `trace_stop` (`jax.named_scope`); in each other:
`outer/inner`. Each subcore has `WORDS` words for each scope, which are 0 before a run. Of a scope that
a loop repeats, the first `KEPT` executions are kept, and of the others how many there were and how long
they took, so that the size does not depend on the program's loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.kernel import Kernel

KEPT: Final = 16
"""How many executions of a scope are kept of each subcore: `kKept` of native/machine/scopes.cc."""
_FIRST: Final = 3
"""The words before them: how often it ended, its nanoseconds in all, and when the last one began."""
WORDS: Final = _FIRST + 2 * KEPT
"""The words of a scope: then when each began, and when it ended, in nanoseconds of the steady clock."""

Words = npt.NDArray[np.int64]

START: Final = "tpu.trace_start"
STOP: Final = "tpu.trace_stop"


class Execution(NamedTuple):
    """What is known of an execution of a scope, or of the last one that is kept and all after it.

    Attributes:
        agent: the number of the subcore.
        scope: the name of the scope, `outer/inner`.
        start: when it began, in nanoseconds.
        end: when it ended.
        left_out: how many more executions there were after it that are not kept.
        left_out_nanoseconds: how long they took.
    """

    agent: int
    scope: str
    start: int
    end: int
    left_out: int = 0
    left_out_nanoseconds: int = 0


@dataclass(frozen=True)
class Scopes:
    """The scopes of a kernel.

    Attributes:
        kernel: the kernel.
    """

    kernel: Kernel

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all scopes, in the order of their first starts in the text."""
        return tuple(dict.fromkeys(self._names.values()))

    @property
    def shape(self) -> tuple[int, int]:
        """The number of subcores, and of words of each."""
        return len(self.kernel.agents), len(self.names) * WORDS

    def first_word(self, op: ir.Operation | ir.OpView) -> int | None:
        """Return the first word of the scope that an op starts or stops; None: it does neither."""
        name = self._names.get(op.operation)
        return None if name is None else self._numbers[name] * WORDS

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def _names(self) -> dict[ir.Operation, str]:
        return {
            op: "/".join(scope)
            for function in self.kernel.functions
            for op, scope in with_scopes(function.body)
            if op.name in (START, STOP)
        }


def with_scopes(
    block: ir.Block, outer: tuple[str, ...] = ()
) -> Iterator[tuple[ir.Operation, tuple[str, ...]]]:
    """Yield the ops of a block, and of blocks in it, each with its scope, the outer names first.

    The scope of an op that starts or stops one is that one.
    """
    scope = outer
    for view in block.operations:
        op = view.operation
        if op.name == START:
            scope = (*scope, ir.StringAttr(op.attributes["message"]).value)
        yield op, scope
        if op.name == STOP:
            scope = scope[:-1]
        for region in op.regions:
            for inner in region.blocks:
                yield from with_scopes(inner, scope)


def begin(words: Words, now: int) -> None:
    """Note that a scope begins; `words` are those of the scope and subcore."""
    words[2] = now
    if words[0] < KEPT:
        words[_FIRST + 2 * words[0]] = now


def end(words: Words, now: int) -> None:
    """Note that a scope ends."""
    if words[0] < KEPT:
        words[_FIRST + 2 * words[0] + 1] = now
    words[0] += 1
    words[1] += now - words[2]


def executions(names: Sequence[str], words: Words) -> Iterator[Execution]:
    """Yield what a run has noted, subcore by subcore.

    Args:
        names: the names of the kernel's scopes.
        words: the words of all subcores, `[agents, scopes * WORDS]`.
    """
    of_scopes = words.reshape(len(words), len(names), WORDS)
    for agent, row in enumerate(of_scopes):
        for name, (count, total, _, *times) in zip(names, row.tolist(), strict=True):
            kept = min(count, KEPT)
            pairs = [(times[2 * at], times[2 * at + 1]) for at in range(kept)]
            more = count - kept, total - sum(stop - start for start, stop in pairs)
            for at, (start, stop) in enumerate(pairs):
                left_out = more if at == kept - 1 and more[0] else (0, 0)
                yield Execution(agent, name, start, stop, *left_out)
