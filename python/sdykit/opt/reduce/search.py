"""Delta debugging: edits are tried on many sites at once, then on fewer, until none helps.

Several candidates are tested at a time, and the first one in order that helps is kept, so that
the result depends neither on their number nor on which test ends first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sdykit.core import capture
from sdykit.mlir import ir
from sdykit.opt.reduce.edits import EDITS, Edit, Size, size, text_of_module
from sdykit.opt.reduce.failures import Behaviour, Test
from sdykit.opt.reduce.worker import Candidate, Worker


@dataclass
class Best:
    """The smallest module so far."""

    text: bytes
    size: Size
    tried: int = 0
    """The number of candidates that were tested."""


Report = Callable[[str, Best], None]


@dataclass(frozen=True)
class Search:
    """Makes modules smaller while they behave in one way."""

    context: ir.Context
    test: Test
    jobs: int
    """The number of candidates that are tested at a time."""
    timeout: float
    """The seconds after which a candidate is taken to behave differently."""
    stopped: Callable[[], bool]
    """A function that returns whether the user has stopped the search."""

    def behaviour(self, text: bytes) -> Behaviour | None:
        """Return the behaviour of a module; None if the test takes too long.

        Raises:
            SdykitError: the module cannot be tested.
        """

        def work() -> Iterator[Candidate | Behaviour]:
            yield text, (0, 0, 0)
            yield self.test(self._parsed(text))

        return Worker(work).finish(time.monotonic() + self.timeout, self.stopped)[1]

    def run(self, best: Best, wanted: Behaviour, report: Report) -> None:
        """Make a module as small as the edits can; `best` is valid at any time.

        Args:
            best: the first module; it is replaced by smaller ones.
            wanted: the behaviour that candidates must have.
            report: a function that is called with the title of the edit and `best` whenever `best`
                becomes smaller.

        Raises:
            SdykitError: a candidate cannot be tested.
            KeyboardInterrupt: the user has stopped it.
        """
        before = None
        while before != best.size:
            before = best.size
            for edit in EDITS:
                self._use(edit, best, wanted, report)

    def measured(self, text: bytes) -> Best:
        """Return a module, with its size, as the smallest one so far."""
        return Best(text, size(self._parsed(text)))

    def _use(self, edit: Edit, best: Best, wanted: Behaviour, report: Report) -> None:
        """Try an edit on all sites, on halves, and so on down to single ones."""
        count = width = self._count(edit, best)
        while width:
            start = 0
            while start < count:
                starts = list(range(start, count, width))[: self.jobs]
                found = self._first(edit, best, starts, width, wanted)
                if found is None:
                    start = starts[-1] + width
                    continue
                start, (best.text, best.size) = found
                report(edit.title, best)
                count = self._count(edit, best)
            width = min(width // 2, count)

    def _count(self, edit: Edit, best: Best) -> int:
        return len(edit.sites(self._parsed(best.text)))

    def _first(
        self, edit: Edit, best: Best, starts: list[int], width: int, wanted: Behaviour
    ) -> tuple[int, Candidate] | None:
        """Try an edit on some chunks of sites; return the first candidate that helps."""

        def work(start: int) -> Callable[[], Iterator[Candidate | Behaviour]]:
            return lambda: self._try(edit, best, start, start + width)

        workers = [Worker(work(start)) for start in starts]
        deadline = time.monotonic() + self.timeout
        try:
            for start in starts:
                candidate, behaviour = workers.pop(0).finish(deadline, self.stopped)
                best.tried += candidate is not None
                if candidate is not None and behaviour == wanted:
                    return start, candidate
        finally:
            for worker in workers:
                worker.end()
        return None

    def _try(self, edit: Edit, best: Best, start: int, end: int) -> Iterator[Candidate | Behaviour]:
        """Yield a candidate and its behaviour; nothing if it is invalid or not smaller."""
        module = self._parsed(best.text)
        with self.context, capture(self.context, lambda _: None):
            edit.apply(edit.sites(module)[start:end])
            try:
                module.operation.verify()
            except ir.MLIRError:
                return
            candidate = size(module)
        if candidate < best.size:
            text = text_of_module(module.operation)
            yield text, candidate
            yield self.test(self._parsed(text))

    def _parsed(self, text: bytes) -> ir.Module:
        return ir.Module.parse(text, self.context)
