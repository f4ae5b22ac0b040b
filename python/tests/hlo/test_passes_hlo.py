"""The passes over random HLO programs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sdykit import hlo
from sdykit.core.plan import plan
from sdykit.errors import PipelineError
from sdykit.hlo import async_ops
from sdykit.hlo.verify import VerificationError, verify
from sdykit.passes.async_hlo._hlo.program import HloProgram
from sdykit.passes.async_hlo._program import chains
from support.amounts import examples
from support.hlo.async_chains import chain_programs
from support.hlo.random_programs.programs import Program, programs

MANY = settings(
    derandomize=True,
    max_examples=examples(200),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def run(module: hlo.Module, pipeline: str) -> None:
    assert verify(module) == []
    for step in plan(pipeline):
        each: Any = step.run
        each.run_hlo(module)
    assert verify(module) == []


def starts(module: hlo.Module) -> list[hlo.Instruction]:
    return [op for computation in module for op in computation if op.opcode == async_ops.START]


def max_in_flight(computation: hlo.Computation) -> int:
    count = maximum = 0
    for op in computation:
        count += (op.opcode == async_ops.START) - (op.opcode == async_ops.DONE)
        maximum = max(maximum, count)
    return maximum


def beside(module: hlo.Module) -> dict[str, set[str]]:
    """Return for each start the names of the instructions between it and its done."""
    found = {}
    for start in starts(module):
        assert start.parent is not None
        names = [
            op.name for op in start.parent if op.opcode not in (async_ops.START, async_ops.DONE)
        ]
        all_names = [op.name for op in start.parent]
        done = async_ops.chain(start)[-1]
        between = all_names[all_names.index(start.name) : all_names.index(done.name)]
        found[start.name] = set(between) & set(names)
    return found


@MANY
@given(programs(), st.data(), st.sampled_from(("main", "host")))
def test_unwrap_restores_the_text_from_before_wrap(
    program: Program, data: st.DataObject, thread: str
) -> None:
    chosen = data.draw(st.lists(st.sampled_from(program.opcodes), min_size=1, unique=True))
    module = hlo.read(program.text)
    run(module, "async-unwrap")
    plain = hlo.to_text(module)
    run(module, f"async-wrap{{ops={','.join(chosen)} execution-thread={thread}}}")
    assert starts(module)
    assert not [op for op in module.entry if op.opcode in chosen]
    assert hlo.to_text(module) != plain
    run(module, "async-unwrap")
    assert hlo.to_text(module) == plain


@MANY
@given(programs(), st.data(), st.integers(0, 4), st.integers(0, 4))
def test_decompose_sets_the_number_of_updates(
    program: Program, data: st.DataObject, first: int, second: int
) -> None:
    chosen = data.draw(st.lists(st.sampled_from(program.opcodes), min_size=1, unique=True))
    module = hlo.read(program.text)
    run(module, f"async-wrap{{ops={','.join(chosen)}}}")
    undecomposed = beside(module)
    for updates in (first, second):
        run(module, f"async-decompose{{updates={updates}}}")
        found = [len(async_ops.chain(start)) - 2 for start in starts(module)]
        assert found == [updates] * len(found)
    run(module, "async-decompose{updates=0}")
    assert beside(module) == undecomposed


@MANY
@given(chain_programs(), st.integers(0, 4))
def test_chains_of_random_programs_can_be_decomposed(text: str, updates: int) -> None:
    module = hlo.read(text)
    run(module, f"async-decompose{{updates={updates}}}")
    assert {len(async_ops.chain(start)) - 2 for start in starts(module)} <= {updates}


@MANY
@given(chain_programs())
def test_chains_of_random_programs_can_be_unwrapped(text: str) -> None:
    module = hlo.read(text)
    run(module, "async-unwrap")
    assert not [op for computation in module for op in computation if async_ops.is_async(op)]


@MANY
@given(st.one_of(chain_programs(), programs()), st.integers(0, 3))
def test_schedules_keep_control_order_bound_and_overlap(drawn: str | Program, slack: int) -> None:
    module = hlo.read(drawn if isinstance(drawn, str) else drawn.text)
    if isinstance(drawn, Program):
        run(module, f"async-wrap{{ops={','.join(drawn.opcodes[::2])}}}")
    bound = max(1, max(max_in_flight(each) for each in module) + slack)
    before = beside(module)
    run(module, f"async-schedule{{max-in-flight={bound}}}")
    assert max(max_in_flight(each) for each in module) <= bound
    after = beside(module)
    assert all(before[name] <= after[name] for name in before)
    for computation in module:
        at = {op: position for position, op in enumerate(computation)}
        assert all(at[other] < at[op] for op in at for other in op.control_predecessors)
    run(module, f"async-schedule{{max-in-flight={bound}}}")
    assert all(after[name] <= again for name, again in beside(module).items())


@MANY
@given(chain_programs(), st.integers(1, 3))
def test_schedules_without_effects_keep_any_bound(text: str, bound: int) -> None:
    module = hlo.read(text)
    # These chains depend on their operands only, and nothing has a side effect.
    run(module, f"async-schedule{{max-in-flight={bound}}}")
    assert max(max_in_flight(each) for each in module) <= bound


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("async-wrap", "nothing is chosen"),
        ("async-wrap{ops=add execution-thread=}", "'execution-thread' expects a name .* found ''"),
        (r"async-wrap{ops=add execution-thread=a\b}", r"quotes, backslashes and .* found 'a\\\\b'"),
        ("async-wrap{ops=add execution-thread='a\"b'}", "found 'a\"b'"),
        ("async-decompose{updates=-1}", "'updates' must not be negative, found -1"),
        ("async-schedule{max-in-flight=-2}", "'max-in-flight' must not be negative, found -2"),
    ],
)
def test_invalid_options_are_errors(pipeline: str, message: str) -> None:
    with pytest.raises(PipelineError, match=message):
        plan(pipeline)


CHAIN = """\
HloModule m

ENTRY %main {
  %a = f32[4] parameter(0)
  %s = ((f32[4]), f32[4]) sine-start(%a)
  %d = f32[4] sine-done(%s)
  ROOT %e = f32[4] negate(%d)
}
"""


def test_decompose_makes_one_update_by_default() -> None:
    module = hlo.read(CHAIN)
    run(module, "async-decompose")
    assert [op.opcode for op in async_ops.chain(module.entry.by_name["s"])] == [
        "async-start",
        "async-update",
        "async-done",
    ]


def test_passes_refuse_chains_that_are_not_linear() -> None:
    module = hlo.read(CHAIN, "c.hlo")
    start = module.entry.by_name["s"]
    done = module.entry.by_name["d"]
    done.operands = ()
    for pipeline in ("async-unwrap", "async-decompose", "async-schedule"):
        (step,) = plan(pipeline)
        each: Any = step.run
        with pytest.raises(hlo.HloError, match=r"c.hlo:5:\d+: error: .*%s requires one consumer"):
            each.run_hlo(module)
    module.entry.by_name["e"].operands = [start]
    with pytest.raises(hlo.HloError, match="requires its consumer to be an update or done"):
        list(chains(HloProgram(module)))


def test_work_after_the_root_may_move_before_it() -> None:
    module = hlo.read(CHAIN.replace("(%d)\n", "(%d)\n  %w = f32[4] cosine(%a)\n"))
    run(module, "async-schedule")
    assert [op.name for op in module.entry] == ["a", "s", "w", "d", "e"]
    run(module, "async-schedule")
    assert module.entry.instructions[-1].is_root


def test_a_control_predecessor_after_its_successor_is_an_error() -> None:
    module = hlo.read(CHAIN)
    ops = module.entry.by_name
    ops["s"].control_predecessors = [ops["e"]]
    (step,) = plan("async-schedule")
    each: Any = step.run
    with pytest.raises(hlo.HloError, match="%s waits for an operation that comes after it"):
        each.run_hlo(module)


def test_verify_raises_all_errors_at_once() -> None:
    module = hlo.read(CHAIN, "c.hlo")
    module.entry.by_name["s"].shape = "f32[4]"
    module.entry.by_name["d"].attributes["calls"] = "%other"
    (step,) = plan("async-verify")
    each: Any = step.run
    with pytest.raises(VerificationError) as caught:
        each.run_hlo(module)
    first, second = str(caught.value).split("\n")
    assert first.startswith("c.hlo:5:3: error: The async-start expects the async shape to be a tu")
    assert second.startswith("c.hlo:6:3: error: The async-done expects its wrapped async comp")
