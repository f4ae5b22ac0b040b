"""Record the stages of a run of passes, and compare the modules before and after each."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdykit.core import Registry
from sdykit.core.upstream import UPSTREAM_PASSES
from sdykit.viz.import_report.diff import Kind, PartDiff, diff_modules
from sdykit.viz.import_report.facts import Facts, module_facts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdykit.mlir import ir


@dataclass(frozen=True)
class Stage:
    """A pass that ran, with the module before and after it."""

    name: str
    """The pass with its options, as in a pipeline."""

    before: str
    """The text of the module before the pass."""

    after: str
    """The text of the module after the pass."""

    seconds: float
    """The time that the pass took."""


class Recorder:
    """Records the stages of a run, as an observer of `sdykit.core.run_pipeline`.

    recorder = Recorder(module.operation)
    run_pipeline(module, "sdy-import-pipeline", RunOptions(observer=recorder))
    write_report("report.html", recorder.stages)
    """

    def __init__(self, module: ir.Operation) -> None:
        self._text = _printed(module)
        self.stages: list[Stage] = []

    def __call__(self, name: str, module: ir.Operation, seconds: float) -> None:
        """Record the module after the pass `name`, which took `seconds`."""
        before, after = self._text, _printed(module)
        # Equal texts share one object, so that they are kept and compared once.
        self._text = before if after == before else after
        self.stages.append(Stage(name, before, self._text, seconds))


def _printed(module: ir.Operation) -> str:
    return str(module.get_asm(large_elements_limit=64))


@dataclass(frozen=True)
class Change:
    """The changes of a stage to the module."""

    stage: Stage
    """The stage."""
    before: Facts
    """The numbers of the module before the pass."""
    after: Facts
    """The numbers of the module after the pass."""
    parts: list[PartDiff]
    """The differences of the text, for each part that changed."""

    @property
    def lines(self) -> Counter[Kind]:
        """The number of lines that were added, removed and changed."""
        return sum((part.counts for part in self.parts), Counter())

    @property
    def ops(self) -> list[tuple[str, int]]:
        """The change in the number of each op, the largest change first."""
        change = self.after.ops.copy()
        change.subtract(self.before.ops)
        pairs = [(name, by) for name, by in change.items() if by]
        return sorted(pairs, key=lambda pair: (-abs(pair[1]), pair[0]))


def analyse(stages: Iterable[Stage]) -> list[Change]:
    """Return the changes of each stage.

    Raises:
        SdykitError: a module is not valid IR.
    """
    known: dict[str, Facts] = {}

    def facts(text: str) -> Facts:
        if text not in known:
            known[text] = module_facts(text)
        return known[text]

    return [
        Change(
            stage, facts(stage.before), facts(stage.after), diff_modules(stage.before, stage.after)
        )
        for stage in stages
    ]


def pass_summary(name: str) -> str:
    """Return the one-line description of a pass, given its name with options as in a pipeline.

    Returns:
        An empty text for a pass that is not built in.
    """
    name = re.split(r"[({]", without_nesting(name))[0]
    if name in UPSTREAM_PASSES:
        return UPSTREAM_PASSES[name].summary
    found = Registry().find(name)
    return (inspect.getdoc(found) or "").partition("\n")[0] if found else ""


def without_nesting(name: str) -> str:
    """Return the name of a pass without the op that it is nested on: `func.func(cse)` is `cse`."""
    nested = re.fullmatch(r"[\w.]+\((.*)\)", name)
    return nested[1] if nested else name
