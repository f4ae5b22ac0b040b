"""Compare our `mpmd` export pipeline with the oracle's on one module."""

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
    """Return the result of our pipeline for a module."""
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
    """Return the text of a diagnostic as MLIR's C++ code prints it."""
    if diagnostic.location is not None:
        return str(diagnostic)
    where = "" if diagnostic.location_text == "loc(unknown)" else f"{diagnostic.location_text}: "
    return f"<unknown>:0: {diagnostic.severity.value}: {where}{diagnostic.message}"


def as_located(expected: list[str], found: list[str]) -> list[str]:
    """Replace diagnostics of the oracle without a location by our equal ones with a location."""
    if len(expected) != len(found):
        return expected
    pairs = zip(expected, found, strict=True)
    return [ours if _has_the_same_message(theirs, ours) else theirs for theirs, ours in pairs]


def _has_the_same_message(theirs: str, ours: str) -> bool:
    _, severity, message = ours.split(": ", 2)
    return theirs.startswith(f"<unknown>:0: {severity}: ") and theirs.endswith(f": {message}")


def assert_same_export(text: str, process: MpmdOracle, *, clean: bool = True) -> Partitioned:
    """Assert that our pipeline and the oracle's export produce the same for a module.

    Compares the text with locations, errors and warnings; after a failure only the errors.

    Args:
        text: a module of fragments and transfers.
        process: the oracle.
        clean: whether the oracle cleans up before our passes as it does before its own, since
            a second run of the clean-ups changes the order of constants. If not, the module
            must be clean.

    Returns:
        The common result.
    """
    source, expected = text, process(text, EXPORT)
    if clean:
        cleaned = process(text, UNTIL_EXPORT)
        assert cleaned.text is not None, f"the oracle cannot clean up: {cleaned}\n{text}"
        source = cleaned.text
    found = ours(source)
    assert not expected.crash, f"{expected.crash}\n{source}"
    # The oracle reports only the last error; ops that a message prints are left out.
    errors = [error.split("\n")[0] for error in found.errors[-1:]]
    assert as_located(expected.errors, errors) == errors, source
    assert found.text == expected.text, source
    if expected.text is not None:  # The oracle does not report warnings before an error.
        warnings = [w for w in expected.warnings if _PROPAGATION not in w]
        assert as_located(warnings, found.warnings) == found.warnings, source
    return replace(found, log=expected.log)
