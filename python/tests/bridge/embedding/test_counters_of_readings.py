"""What is counted with `execute="cpu"`, from the inputs of runs, is what the chip reading counts as it runs."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.embedding.programs import counting
from sdykit.sparsecore import SparseCoreError
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.optimizers import SGD, Adagrad, Custom
from sdykit.sparsecore.tile.counters import Counters
from support.bridge.ffi_programs import run_python
from support.embedding import embedding_cases as cases


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    sc.reset_counters()
    yield
    sc.configure()
    sc.reset_counters()


def counted(execute: Any, run: Callable[[], object]) -> list[Counters]:
    sc.configure(counters=True, execute=execute)
    sc.reset_counters()
    jax.block_until_ready(run())
    return sc.counters()


def _place(counters: Counters) -> tuple[str, int]:
    spec = dataclasses.replace(counters.spec, reading="cpu")
    return repr(spec), counters.device


def assert_equal(run: Callable[[], object], *, kinds: list[str]) -> None:
    """Check that a function counts the same in both readings."""
    # Programs that were compiled before come first, so that the order of both may differ.
    found, expected = (sorted(counted(execute, run), key=_place) for execute in ("cpu", "chip"))
    assert sorted(each.spec.kind for each in found) == sorted(kinds)
    for ours, theirs in zip(found, expected, strict=True):
        assert not isinstance(ours.spec, MosaicSpec)
        assert not isinstance(theirs.spec, MosaicSpec)
        assert (ours.spec.reading, theirs.spec.reading) == ("cpu", "chip")
        assert (ours.device, ours.runs, ours.names) == (theirs.device, theirs.runs, theirs.names)
        for one, other in zip(ours.loops, theirs.loops, strict=True):
            assert one.axes == other.axes
            for at, name in enumerate(ours.names):
                assert np.array_equal(one.counts[..., at], other.counts[..., at]), name
        assert any(each.counts.any() for each in ours.loops)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("layout", ["sdykit", "jax_tpu_embedding"])
@pytest.mark.parametrize("minibatching", ["off", "vocabulary", "sample"])
def test_counters_of_buffers(seed: int, layout: Any, minibatching: Any) -> None:
    limit = 1000 if minibatching == "off" else 6
    # Preprocessing counts the ids of some, runs those of others.
    case = cases.buffers_case(
        seed, layout=layout, minibatching=minibatching, limit=limit, tiles=16 * (seed % 2)
    )
    table, slots = jnp.asarray(case.flat), {"accumulator": jnp.ones_like(case.flat)}
    gradients = jnp.ones((case.samples, case.flat.shape[1]))

    def run() -> object:
        # Functions that are new: one that was traced keeps its settings.
        def step(state: Any, _: Any) -> Any:
            table, slots = state
            found = sc.lookup(table, case.ids)
            return sc.grad_update(table, slots, case.ids, None, found, optimizer=Adagrad(0.1)), None

        scanned = jax.jit(lambda state: jax.lax.scan(step, state, None, 3))((table, slots))
        dense = jax.grad(lambda table: (sc.lookup(table, case.ids) * gradients).sum())(table)
        return scanned, dense

    # The dense gradient is an update of another optimizer; its lookup is the same program.
    assert_equal(run, kinds=["lookup", "update", "update"])


@pytest.mark.parametrize("optimizer", [SGD(0.1), cases.OPTIMIZERS[-1]])
def test_counters_of_other_updates(optimizer: Any) -> None:
    case = cases.buffers_case(4, dim=13, combiner="mean")
    slots = cases.make_slots(case, optimizer, 4)
    gradients = np.ones((case.samples, 13), np.float32)

    def run() -> object:
        update = functools.partial(sc.grad_update, optimizer=optimizer, step=1)
        return jax.jit(update)(case.flat, slots, case.ids, None, gradients)

    kind = "custom_update" if isinstance(optimizer, Custom) else "update"
    assert_equal(run, kinds=[kind])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("samples", [10, 3000])
def test_counters_of_lookups_of_raw_ids(samples: int, weighted: bool) -> None:
    case = cases.raw_case(samples, samples=samples, valency=25, rows=400, weighted=weighted)

    def run() -> object:
        lookup = jax.jit(functools.partial(sc.lookup, combiner="mean"))
        return [lookup(case.flat, case.ids, case.weights) for _ in range(2)]

    assert_equal(run, kinds=["lookup"])


def test_counters_of_raw_ids_that_take_a_chips_way() -> None:
    case = cases.raw_case(3, samples=40, valency=5, rows=96, weighted=False)
    limits = {"max_ids_per_partition": 200, "max_unique_ids_per_partition": 200}

    def run() -> object:
        lookup = functools.partial(sc.lookup, as_on_chip=True, **limits)
        return jax.jit(lookup)(case.flat, case.ids)

    assert_equal(run, kinds=["lookup"])


def test_row_pointers_of_no_segments_are_an_error() -> None:
    case = cases.buffers_case(0, layout="sdykit")
    sc.configure(counters=True)
    # A lookup reads the index by sample: row pointers are for its counters alone.
    for pointer in (-1, np.size(case.ids.embedding_ids) + 1):
        sc.reset_counters()
        pointers = np.array(case.ids.row_pointers)
        pointers[1] = pointer
        wrong = dataclasses.replace(case.ids, row_pointers=pointers)
        jax.block_until_ready(jax.jit(functools.partial(sc.lookup))(case.flat, wrong))
        with pytest.raises(SparseCoreError) as raised:
            sc.counters()
        assert str(raised.value) == (
            "counters: of lookup, layout sdykit, the counts do not follow from what its runs recorded: "
            "counts: row_pointers are not the ends of segments in the buffers, one after another; "
            'expected those of preprocessing. Expected configure(execute="chip"), with which a program '
            "counts as it runs"
        )


SHARDED = """
import functools
import jax, numpy as np
import sdykit.sparsecore as sc
from sdykit.sparsecore.optimizers import Adagrad
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4,), ("x",))
rng = np.random.default_rng(0)
ids = {"a": rng.integers(0, 200, (64, 3)), "b": rng.integers(0, 50, (64, 9))}
raw = rng.integers(-5, 80, (32, 6)).astype(np.int32)
raw, table = jax.device_put((raw, np.ones((80, 12), np.float32)), NamedSharding(mesh, P("x")))

def counted(execute):
    sc.configure("v5p", counters=True, execute=execute, disable_table_stacking=True)
    sc.reset_counters()
    tables = [sc.TableSpec(name, 200, 8, Adagrad(0.1)) for name in ("a", "b")]
    features = [sc.FeatureSpec(table.name, table, 64) for table in tables]
    embedding = sc.Embedding(features, mesh=mesh, minibatching=MINIBATCHING)
    variables = embedding.init(jax.random.key(0), jax.nn.initializers.normal())
    batch = embedding.preprocess(ids)
    train = jax.jit(lambda v, b: embedding.update(v, b, embedding.lookup(v, b)))
    for _ in range(2):
        variables = jax.block_until_ready(train(variables, batch))
    lookup = functools.partial(sc.lookup, axis_name="x")
    split = jax.jit(jax.shard_map(lookup, mesh=mesh, in_specs=P("x"), out_specs=P("x")))
    jax.block_until_ready(split(table, raw))
    return sc.counters()

key = lambda each: (each.spec.kind, each.spec.label, each.device)
found, expected = (sorted(counted(execute), key=key) for execute in ("cpu", "chip"))
assert len(found) == 4 * 5, [key(each) for each in found]
for ours, theirs in zip(found, expected, strict=True):
    assert (key(ours), ours.runs, ours.names) == (key(theirs), theirs.runs, theirs.names)
    for one, other in zip(ours.loops, theirs.loops, strict=True):
        assert one.axes == other.axes
        assert np.array_equal(one.counts, other.counts), key(ours)
print("right")
"""


@pytest.mark.parametrize("minibatching", ["off", "vocabulary"])
def test_counters_of_several_devices(minibatching: str) -> None:
    program = SHARDED.replace("MINIBATCHING", repr(minibatching))
    flags = "--xla_force_host_platform_device_count=4"
    assert run_python(program, XLA_FLAGS=flags) == "right\n"


def test_records_are_read_before_they_take_much_memory() -> None:
    sc.configure(counters=True)
    ids, table = np.full((4, 3 * 10**6), -1, np.int32), np.ones((4, 1), np.float32)
    ids[:, 0] = 2
    lookup = jax.jit(functools.partial(sc.lookup))
    for _ in range(6):  # 48 MB are recorded each time.
        jax.block_until_ready(lookup(table, ids))
    before = [each.runs for of_devices in counting._sums.values() for each in of_devices.values()]
    assert len(before) == 1
    assert 0 < before[0] < 6
    (found,) = sc.counters()
    assert found.runs == 6
    assert found.totals["gather: bytes read from table"] == 6 * 4 * 4


def test_counts_that_do_not_follow_from_the_inputs_are_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def count_records(*_: object, **__: object) -> Counters:
        raise SparseCoreError("a loop ends at a number in memory")

    monkeypatch.setattr(counting, "count_records", count_records)
    case = cases.raw_case(2, weighted=False)
    gradients = np.ones((case.samples, 8), np.float32)

    def run() -> object:
        return sc.grad_update(case.flat, {}, case.ids, None, gradients, optimizer=SGD(0.1))

    text = (
        r"^counters: of update, layout ids, the counts do not follow from what its runs recorded: a loop ends "
        r"at a number in memory\. "
        r"Expected configure\(execute=\"chip\"\), with which a program counts as it runs$"
    )
    for _ in range(2):
        with pytest.raises(SparseCoreError, match=text):
            counted("cpu", run)
    with pytest.raises(SparseCoreError, match=text):
        sc.counters()
    (found,) = counted("chip", run)
    assert found.runs == 1
