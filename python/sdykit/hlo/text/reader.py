"""Read HLO text into a module."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from sdykit.hlo.model import Computation, Module
from sdykit.hlo.shape import same_shape, without_layouts
from sdykit.hlo.text import lexis
from sdykit.hlo.text.body import BodyReader
from sdykit.hlo.text.phrases import Header, Phrases
from sdykit.hlo.text.unsugar import Unsugar


def read(text: str, file: str = "<string>") -> Module:
    """Read a module.

    Both forms of asynchronous operations are read into one representation. Comments are
    dropped. Computations may come in any order; without an `ENTRY` the last one is the entry,
    and without a `ROOT` the last instruction of a computation is its root, as in XLA.

    Args:
        text: the text that XLA prints, or one written by hand in its syntax.
        file: the name of the file in locations and errors.

    Raises:
        HloSyntaxError: the text is not HLO.
    """
    with _collector_paused():
        return _Reader(Phrases(text, file)).module()


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the garbage collector from walking over a growing module again and again.

    All objects that reading creates stay, so there is nothing to collect; it would take half
    the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Reader:
    def __init__(self, scanner: Phrases) -> None:
        self.scanner = scanner
        self.result = Module("", source=scanner.source)
        self.bodies = BodyReader(scanner)
        self.entry: Computation | None = None

    def module(self) -> Module:
        scanner, module = self.scanner, self.result
        at = 0
        header = lexis.MODULE.match(scanner.text)
        if header is not None:
            module.name = header["name"].removeprefix("%")
            module.attributes, _, at = scanner.attributes(header.end())
            at = self._sections(at)
        while scanner.space(at) < len(scanner.text):
            at = self._computation(at)
        if not module.computations:
            scanner.expected(at, "a computation" if header else "'HloModule' or a computation")
        module.entry = self.entry or module.computations[-1]
        if header is None:
            module.name = f"module_{module.entry.name}"
        self._check_calls()
        Unsugar(module, scanner).run(self.bodies.asynchronous)
        return module

    def _sections(self, at: int) -> int:
        while section := lexis.SECTION.match(self.scanner.text, at):
            rows = [row.strip() for row in section["rows"].splitlines()]
            self.result.sections[section["title"]] = [row for row in rows if row]
            at = section.end()
        return at

    def _computation(self, at: int) -> int:
        scanner, module = self.scanner, self.result
        header = scanner.header(at)
        name = header.name.removeprefix("%")
        if module.has_computation(name):
            scanner.fail(header.start, f"computation {name} is defined already")
        computation = Computation(
            name,
            percent=header.name[0] == "%",
            signature=header.result is not None,
            offset=header.start,
        )
        at = self.bodies.read(computation, header.end) + 1
        computation.attributes, _, at = scanner.attributes(at)
        computation.root = computation.root
        self._check(computation, header)
        module.add_computation(computation)
        if header.is_entry:
            if self.entry is not None:
                scanner.fail(header.start, f"{self.entry.name} is the ENTRY already")
            self.entry = computation
        return at

    def _check(self, computation: Computation, header: Header) -> None:
        parameters = computation.parameters
        for number, op in enumerate(parameters):
            if int(op.literal or 0) != number:
                message = f"parameter numbers must be 0 to {len(parameters) - 1}, each once"
                self.scanner.fail(op.offset, f"{message}; found {op.literal} for {number}")
        root, result = computation.root, header.result
        if result is None or result == without_layouts(root.shape):
            return
        if not same_shape(result, root.shape):
            message = f"the result is declared as {result}, but the root is {root.shape}"
            self.scanner.fail(header.start, message)

    def _check_calls(self) -> None:
        for op in self.bodies.calling:
            for attribute, name in op.called_names():
                if not self.result.has_computation(name):
                    at = self.scanner.attribute_start(op.offset, attribute)
                    self.scanner.fail(at, f"there is no computation {name}")
