"""Comparing all our `sdy` passes with the oracle on one module."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from support.oracle import Outcome, ours
from support.oracle_process import OracleProcess

_LIFT = "sdy-lift-inlined-meshes"
_EDGES = "sdy-add-data-flow-edges"
_APPLY = "sdy-apply-sharding-constraints"
_SPLIT = "sdy-constant-or-scalar-splitter"
_ORIGINS = "debug-sharding-origins"
_RULES = "debug-propagation-edge-sharding"

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
    f"{_LIFT},{_APPLY}{{{_ORIGINS}=true}}",
    f"{_LIFT},{_EDGES}" + 2 * f",{_APPLY}{{{_RULES}=true}}",
    "sdy-sharding-group-import",
    f"{_LIFT},sdy-remove-size-one-axes,sdy-manual-axes-cleanup",
    f"{_SPLIT},{_EDGES},sdy-sharding-group-import",
    "sdy-import-pipeline",
    "sdy-import-pipeline{dedup-functions-fully=true}",
    f"{_SPLIT},{_SPLIT}",
    "sdy-add-func-data-flow-edges",
    "sdy-flatten-call-graph",
    "sdy-pre-order-funcs",
    "sdy-flatten-call-graph,sdy-import-func-calls",
    "sdy-flatten-call-graph,sdy-import-func-calls{add-data-flow-edges-on-named-computations=false}",
)
"""The import passes, the pipeline they make, and sequences of them."""


def _defined(pipeline: str, text: str) -> bool:
    """Return whether the C++ passes have defined behaviour on a module.

    If not, they crash, or read memory that they do not own.
    """
    if "sdy-import-func-calls" in pipeline and "cf.br" in text:
        return False  # A body of two blocks cannot be imported; the errors are different ones.
    if _APPLY not in pipeline and "dedup-functions-fully" not in pipeline:
        return True
    # For an argument of any block, the sharding of a function argument is set.
    unsafe = ["cf.br"]
    if pipeline.startswith(_APPLY):
        # The name of the mesh is read, which an inlined mesh does not have.
        unsafe.append("mesh<")
    if _ORIGINS in pipeline:
        # Only results of ops and arguments of functions can have origins.
        unsafe.append("in_shardings")
    if _ORIGINS in pipeline or _RULES in pipeline:
        # The rule of a constraint is built from its sharding: a maximal one has no dimensions.
        unsafe.append("[], device_ids")
    return not any(word in text for word in unsafe)


@dataclass
class Difference:
    """A module on which a pipeline of ours and the C++ passes differ."""

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
    """Runs pipelines of ours and of C++, and counts the results that were compared."""

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
        """Return the differences on a module; where C++ has no result, ours must only not raise."""
        asked = [name for name in self.pipelines if _defined(name, text)]
        self._process.ask(text, asked)
        found = {name: ours(text, name) for name in self.pipelines}
        expected = dict(zip(asked, self._process.answers(), strict=True))
        self.modules += 1
        different = []
        for name, mine in found.items():
            theirs = expected.get(name)
            self.crashes += name in expected and theirs is None
            if theirs is None:
                theirs = Outcome(None, ["the C++ passes have no result"])
                same = not any("' raised " in error for error in mine.errors)
            else:
                self.outcomes += 1
                self.failures += theirs.text is None
                same = _same(theirs, mine, text, name)
            if not same:
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


def _same(theirs: Outcome, mine: Outcome, text: str, pipeline: str) -> bool:
    if theirs.text is None and mine.text is None and "sdy-import-func-calls" in pipeline:
        return True  # C++ leaves it to the verifier to find a body that cannot be imported.
    if any("recursive calls are not supported" in error for error in mine.errors):
        return True  # C++ imports some of the calls on a cycle and leaves others.
    if theirs.text is None and theirs.errors != mine.errors:
        # The C++ pipeline stops after the pass that makes the module invalid. Ours verifies at the
        # end by default, where later passes may have changed that.
        mine = ours(text, pipeline, verify_each=True)
    return theirs == mine
