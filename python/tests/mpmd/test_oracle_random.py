"""The export pipeline with `compat=jaxlib` on random programs: the same text as C++ produces."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from support.amounts import examples
from support.mpmd.oracle import MpmdOracle
from support.mpmd.oracle_compare import as_located, assert_same_export, ours
from support.mpmd.programs import programs, random_program

PROGRAMS = 3_000
SHARDS = 10
"""The programs in parts, for pytest-xdist."""


@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_programs_are_exported_as_by_the_oracle(shard: int, partitioner: MpmdOracle) -> None:
    exported = [
        assert_same_export(random_program(seed), partitioner, clean=False)
        for seed in range(shard, PROGRAMS, SHARDS)
    ]
    assert all(outcome.text is not None for outcome in exported)
    assert sum(bool(outcome.warnings) for outcome in exported) > len(exported) // 10


NOT_COMPARED = (
    # Of an op that the clean-ups before the C++ export remove, since nobody uses it.
    "Expected only TransferOp, FragmentOp, FragmentCallOp and ReturnOp in the function body.",
    # C++ aborts, or leaves the marks where it would set none.
    "expected a fragment without marks of aliasing and donation",
)


def test_errors_of_random_programs_are_those_of_the_oracle(partitioner: MpmdOracle) -> None:
    """What both refuse, they refuse with the same errors."""
    messages: set[str] = set()
    for seed in range(PROGRAMS // 3):
        text = random_program(seed, mistakes=True)
        expected, found = partitioner(text), ours(text)
        if expected.errors and not found.errors[-1].endswith(NOT_COMPARED):
            last = found.errors[-1:]  # Of several, the last is told.
            assert last == as_located(expected.errors, last), text
            messages |= {error.partition("error: ")[2][:24] for error in found.errors}
    assert messages == {
        "Inferred fragment has no",
        "Internal error: inferred",
        "Memory kind mismatch bet",
    }


@given(text=programs())
@settings(
    max_examples=examples(300),
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_programs_of_hypothesis_are_exported_as_by_the_oracle(
    text: str, partitioner: MpmdOracle
) -> None:
    assert_same_export(text, partitioner, clean=False)
