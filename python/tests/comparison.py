"""Comparing all our `sdy` passes with the oracle on one module."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from oracle import Outcome, ours
from oracle_process import OracleProcess

_LIFT = "sdy-lift-inlined-meshes"
_EDGES = "sdy-add-data-flow-edges"
_APPLY = "sdy-apply-sharding-constraints"
_SPLIT = "sdy-constant-or-scalar-splitter"

PIPELINES = (
    _LIFT,
    "sdy-remove-size-one-axes",
    "sdy-propagate-sharding-from-func-to-call",
    _SPLIT,
    "sdy-manual-axes-cleanup",
    _EDGES,
    _APPLY,
    f"{_LIFT},{_APPLY}",
    f"{_LIFT},{_EDGES},{_APPLY}",
    f"{_LIFT},{_APPLY}{{debug-sharding-origins=true}}",
    f"{_LIFT},{_EDGES},{_APPLY}{{debug-propagation-edge-sharding=true}}",
    "sdy-sharding-group-import",
    f"{_LIFT},sdy-remove-size-one-axes,sdy-manual-axes-cleanup",
    f"{_SPLIT},{_EDGES},sdy-sharding-group-import",
    "sdy-import-pipeline",
    "sdy-import-pipeline{dedup-functions-fully=true}",
    "sdy-import-pipeline,sdy-import-pipeline",
)
"""The eight import passes, the pipeline they make, and sequences of them."""


@dataclass
class Difference:
    """Where a pipeline of ours did otherwise than the C++ passes."""

    pipeline: str
    module: str
    expected: Outcome
    found: Outcome

    def __str__(self) -> str:
        return "\n".join([f"pipeline: {self.pipeline}", "module:", self.module, *self._lines()])

    def _lines(self) -> list[str]:
        def listed(outcome: Outcome) -> list[str]:
            return [*outcome.errors, *(outcome.text or "failed").splitlines()]

        return list(
            difflib.unified_diff(
                listed(self.expected), listed(self.found), "C++", "ours", lineterm="", n=4
            )
        )


class Comparison:
    """Runs pipelines on both sides, ours in this process, and counts what it compared."""

    def __init__(self, pipelines: tuple[str, ...] = PIPELINES) -> None:
        self.pipelines = pipelines
        self.modules = 0
        self.outcomes = 0
        self.failures = 0
        self.crashes = 0
        self._process = OracleProcess()

    def __enter__(self) -> Comparison:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.close()

    def differences(self, text: str) -> list[Difference]:
        """Run every pipeline on a module; where the C++ crashes, ours must only end."""
        pipelines = [name for name in self.pipelines if _defined(name, text)]
        self._process.ask(text, pipelines)
        found = [ours(text, name) for name in pipelines]
        expected = self._process.answers()
        self.modules += 1
        different = []
        for name, theirs, mine in zip(pipelines, expected, found, strict=True):
            if theirs is None:
                self.crashes += 1
                continue
            self.outcomes += 1
            self.failures += theirs.text is None
            if not _same(theirs, mine, text, name):
                different.append(Difference(name, text, theirs, mine))
        return different

    def check(self, text: str) -> None:
        """Assert that there is no difference."""
        different = self.differences(text)
        assert not different, "\n\n".join(map(str, different))

    def __str__(self) -> str:
        return (
            f"{self.modules} modules, {self.outcomes} outcomes compared,"
            f" {self.failures} of them failures, {self.crashes} crashes of the oracle"
        )


def _defined(pipeline: str, text: str) -> bool:
    """Whether the C++ passes have defined behaviour on a module.

    Where a mesh is inlined, the C++ `sdy-apply-sharding-constraints` by itself uses the
    name that it does not have.
    """
    return not (pipeline.startswith(_APPLY) and "mesh<" in text)


def _same(theirs: Outcome, mine: Outcome, text: str, pipeline: str) -> bool:
    if theirs.text is None and mine.text is None and theirs.errors != mine.errors:
        # The C++ pipeline stops at the pass that breaks the module; ours verifies at its
        # end, unless told otherwise.
        mine = ours(text, pipeline, verify_each=True)
    return theirs == mine
