"""Comparing our `mpmd` export pipeline with the oracle's on one module."""

from __future__ import annotations

from dataclasses import replace

from sdykit.core import Diagnostic, RunOptions, Severity, capture, run_pipeline
from sdykit.errors import PassFailure
from support import oracle
from support.mpmd.oracle import EXPORT, UNTIL_EXPORT, MpmdOracle, Partitioned, printed

DOCUMENTED = "mpmd-export-pipeline"
JAXLIB = "mpmd-export-pipeline{compat=jaxlib}"

_PROPAGATION = "is unknown to SDY sharding rule registry"
"""A warning of the propagation before the export, about custom calls."""


def ours(text: str, pipeline: str = JAXLIB) -> Partitioned:
    """Run our pipeline."""
    module, diagnostics = oracle.parse(text), list[Diagnostic]()
    with module.context, capture(module.context, diagnostics.append):
        try:
            run_pipeline(module, pipeline, RunOptions())
            outcome = printed(module, [])
        except PassFailure:
            outcome = Partitioned(None)
    outcome.errors = [_line(d) for d in diagnostics if d.severity is Severity.ERROR]
    outcome.warnings = [_line(d) for d in diagnostics if d.severity is Severity.WARNING]
    return outcome


def _line(diagnostic: Diagnostic) -> str:
    """Print a diagnostic as MLIR's C++ code does."""
    if diagnostic.location is not None:
        return str(diagnostic)
    where = "" if diagnostic.location_text == "loc(unknown)" else f"{diagnostic.location_text}: "
    return f"<unknown>:0: {diagnostic.severity.value}: {where}{diagnostic.message}"


def as_located(expected: list[str], found: list[str]) -> list[str]:
    """Replace what the oracle says without a place by what we say of a place nearby."""
    if len(expected) != len(found):
        return expected
    pairs = zip(expected, found, strict=True)
    return [ours if _says_the_same(theirs, ours) else theirs for theirs, ours in pairs]


def _says_the_same(theirs: str, ours: str) -> bool:
    _, severity, message = ours.split(": ", 2)
    return theirs.startswith(f"<unknown>:0: {severity}: ") and theirs.endswith(f": {message}")


def assert_same_export(text: str, process: MpmdOracle, *, clean: bool = True) -> Partitioned:
    """Assert that our pipeline and the oracle's export make the same of a module.

    Text with locations, errors and warnings are compared; of a failure only the errors.

    Args:
        text: a module of fragments and transfers.
        process: the oracle.
        clean: let the oracle clean up for our passes as it does for its own, since a second
            run of the clean-ups orders constants otherwise. Without, the module must be clean.

    Returns:
        What both made of it.
    """
    given, expected = text, process(text, EXPORT)
    if clean:
        cleaned = process(text, UNTIL_EXPORT)
        assert cleaned.text is not None, f"the oracle cannot clean up: {cleaned}\n{text}"
        given = cleaned.text
    found = ours(given)
    assert not expected.crash, f"{expected.crash}\n{given}"
    # Of several errors the oracle tells the last; the ops that a message prints are left out.
    errors = [error.split("\n")[0] for error in found.errors[-1:]]
    assert as_located(expected.errors, errors) == errors, given
    assert found.text == expected.text, given
    if expected.text is not None:  # Warnings before an error are not told.
        warnings = [w for w in expected.warnings if _PROPAGATION not in w]
        assert as_located(warnings, found.warnings) == found.warnings, given
    return replace(found, log=expected.log)
