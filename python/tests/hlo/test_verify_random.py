"""The verifier on random programs: legal ones, and some with exactly one fault."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sdykit import hlo
from sdykit.core.diagnostics import Diagnostic
from sdykit.hlo.async_ops import chain
from sdykit.hlo.verify import verify
from support.hlo.async_chains import chain_programs
from support.hlo.verify_faults import FAULTS, Case, Fault

SAME_EVERY_TIME = settings(
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@SAME_EVERY_TIME
@given(chain_programs(), st.booleans())
def test_legal_programs_are_accepted(text: str, layout_sensitive: bool):
    assert verify(hlo.read(text), layout_sensitive=layout_sensitive) == []


@SAME_EVERY_TIME
@given(chain_programs())
def test_legal_programs_are_accepted_after_printing(text: str):
    module = hlo.read(text)
    assert verify(hlo.read(hlo.to_text(module))) == []
    assert verify(hlo.read(hlo.to_text(module, syntax_sugar=False))) == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
@SAME_EVERY_TIME
@given(text=chain_programs(), seed=st.integers(0, 2**32))
def test_one_fault_is_reported_and_nothing_else(fault: Fault, text: str, seed: int):
    module = hlo.read(text)
    starts = [op for computation in module for op in computation if op.opcode == "async-start"]
    assume(starts)
    random = Random(seed)
    expected = fault(Case(random, module, chain(random.choice(starts))))
    found = verify(module)
    assert len(found) == len(expected), [str(error) for error in found]
    unmatched = list(found)
    for op, message in expected:
        unmatched.remove(next(error for error in found if _is(error, op, message)))
    assert unmatched == []


def _is(error: Diagnostic, op: hlo.Instruction, message: str) -> bool:
    place = op.location and str(op.location)
    here = error.location and str(error.location)
    return here == place and error.message.startswith(message)
