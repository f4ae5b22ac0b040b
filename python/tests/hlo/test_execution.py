"""A program that is wrapped, decomposed, scheduled and unwrapped computes the same as before."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import jax
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from sdykit import hlo
from sdykit.core import Severity
from sdykit.core.plan import plan
from sdykit.hlo.async_ops import FIRST_CLASS, is_async
from sdykit.hlo.verify import verify
from support.amounts import examples
from support.hlo.jax_programs import PROGRAMS
from support.hlo.random_programs.execution import execute, same_bits
from support.hlo.random_programs.programs import Program, programs

NOT_WRAPPED = FIRST_CLASS | {"parameter"}
CALLING = {"call", "conditional", "while"}
CALLBACKS = {"host_callback"}
"""Programs that call into the process that lowered them."""
THREADS = st.sampled_from(("main", "sparsecore", "host"))
FORMS = st.booleans()


def transformed(text: str, *pipeline: str, sugar: bool = True) -> str:
    """Return a program after passes, verified before and after each."""
    module = hlo.read(text)
    assert errors(module) == []
    for step in plan(",".join(pipeline)):
        run: Any = step.run
        run.run_hlo(module)
        assert errors(module) == []
    return hlo.to_text(module, syntax_sugar=sugar)


def errors(module: hlo.Module) -> list[str]:
    return [str(found) for found in verify(module) if found.severity is Severity.ERROR]


def chains(text: str) -> int:
    return sum(op.opcode == "async-start" for computation in hlo.read(text) for op in computation)


def there_and_back(
    text: str, wrap: str, updates: int, limit: int, forms: Sequence[bool]
) -> tuple[str, str]:
    """Return the program with chains, scheduled, and the program with these unwrapped again."""
    wrapped = transformed(text, wrap, sugar=forms[0])
    split = transformed(wrapped, f"async-decompose{{updates={updates}}}", sugar=forms[1])
    schedule = f"async-schedule{{max-in-flight={limit}}}" if limit else "async-schedule"
    scheduled = transformed(split, schedule, "async-verify", sugar=forms[2])
    return scheduled, transformed(scheduled, "async-unwrap")


def assert_same(text: str, inputs: Sequence[object], back: str) -> None:
    assert not any(is_async(op) for computation in hlo.read(back) for op in computation)
    wanted, found = execute(text, inputs), execute(back, inputs)
    assert same_bits(found, wanted), f"{back}\n{found}\n{wanted}"


@settings(
    max_examples=examples(100),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(
    programs(),
    st.data(),
    THREADS,
    st.tuples(st.integers(0, 3), st.integers(0, 3)),
    st.tuples(FORMS, FORMS, FORMS),
)
def test_random_programs_compute_the_same_after_all_passes(
    program: Program,
    data: st.DataObject,
    thread: str,
    counts: tuple[int, int],
    forms: tuple[bool, bool, bool],
):
    updates, limit = counts
    chosen = data.draw(st.lists(st.sampled_from(program.opcodes), min_size=1, unique=True))
    wrap = f"async-wrap{{ops={','.join(chosen)} execution-thread={thread}}}"
    note(program.text)
    scheduled, back = there_and_back(program.text, wrap, updates, limit, forms)
    note(scheduled)
    wanted = sum(op.opcode in chosen for op in hlo.read(program.text).entry)
    assert chains(scheduled) >= wanted > 0
    assert scheduled.count("-update(") == updates * chains(scheduled)
    assert_same(program.text, program.inputs, back)


@cache
def lowered(name: str) -> tuple[str, tuple[object, ...]]:
    function, inputs = PROGRAMS[name]
    return jax.jit(function).lower(*inputs).as_text("hlo"), inputs


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - CALLBACKS))
def test_programs_from_jax_compute_the_same_after_all_passes(name: str):
    text, inputs = lowered(name)
    opcodes = dict.fromkeys(op.opcode for op in hlo.read(text).entry)
    chosen = [opcode for opcode in opcodes if opcode not in NOT_WRAPPED]
    # A computation that is called from several places cannot run on several threads.
    thread = "main" if CALLING.intersection(chosen) else "sparsecore"
    wrap = f"async-wrap{{ops={','.join(chosen)} execution-thread={thread}}}"
    scheduled, back = there_and_back(text, wrap, 2, 3, (True, False, True))
    assert chains(scheduled) > 0
    assert_same(text, inputs, back)


def test_programs_that_differ_in_one_operation_have_different_results():
    text, inputs = lowered("gradient")
    other = text.replace(" add(", " subtract(", 1)
    assert other != text
    assert not same_bits(execute(other, inputs), execute(text, inputs))


def test_invalid_programs_are_not_given_to_xla(monkeypatch: pytest.MonkeyPatch):
    from support.hlo.random_programs import execution

    parsed_by_xla: list[str] = []
    monkeypatch.setattr(execution._hlo, "hlo_module_from_text", parsed_by_xla.append)
    for wrong in ("add-start(%x)", "async-done(%x)"):
        with pytest.raises((AssertionError, hlo.HloError)):
            execute(
                f"HloModule m\n\nENTRY %e {{\n  %x = f32[] parameter(0)\n  ROOT %y = f32[] {wrong}\n}}\n",
                [],
            )
    assert parsed_by_xla == []
