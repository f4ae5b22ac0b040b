"""Each bottleneck in a program that has it on purpose: the report names it, and its advice helps."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.sparsecore.bottlenecks import KINDS, Finding, check_run
from sdykit.sparsecore.run import read_run
from support.recording.loops import SAMPLES, batches, make_layer, make_tables, train

LIMIT_NAMES = ("max_ids_per_partition", "max_unique_ids_per_partition")


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    sc.configure()


@dataclasses.dataclass(frozen=True)
class Seen:
    """Records a loop before and after an advice was followed."""

    folder: Path
    kind: str

    def of(self, loop: Callable[[], object]) -> Finding:
        """Return the finding of a loop."""
        path = self.folder / f"run_{len(list(self.folder.iterdir()))}"
        with sc.record(path):
            loop()
        findings = {each.kind: each for each in check_run(read_run(path))}
        assert tuple(findings) == KINDS
        return findings[self.kind]

    def check(
        self, before: Callable[[], object], after: Callable[[], object], *, is_gone: bool = True
    ) -> Finding:
        """Check that a loop has the bottleneck, and another one less of it, or none; return the first."""
        found, better = self.of(before), self.of(after)
        assert found.is_found, found
        assert found.figure is not None
        assert better.figure is not None
        assert not (is_gone and better.is_found), better
        assert better.figure < found.figure
        assert found.advice in str(found)
        return found


def prepared(layer: sc.Embedding, ids: Any = None) -> Callable[[], object]:
    """Return a loop that prepares batches, and trains on none."""
    return lambda: [layer.prepare(each) for each in ids or batches(layer, 4)]


def looked_up(layer: sc.Embedding) -> Callable[[], object]:
    """Return a loop that looks up batches, and trains on none."""
    tables = {
        each.table.name: jnp.ones((each.table.vocabulary_size, each.table.embedding_dim)).astype(
            each.table.dtype
        )
        for each in layer.features
    }
    variables, run = layer.from_tables(tables), jax.jit(layer.lookup)
    return lambda: [
        jax.block_until_ready(run(variables, layer.preprocess(each))) for each in batches(layer, 2)
    ]


def slow(seconds: float) -> Callable[[Any], Any]:
    """Return a function that takes as long on the TensorCore."""

    def sleep(x: Any) -> Any:
        time.sleep(seconds)
        return x

    return lambda x: jax.pure_callback(sleep, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


def test_host_bound_input(tmp_path: Path) -> None:
    layer = make_layer(make_tables(1))
    dense = slow(0.04)

    @jax.jit
    def step(variables: Any, batch: Any) -> Any:
        activations = layer.lookup(variables, batch)
        gradients = {name: dense(each) for name, each in activations.items()}
        return layer.update(variables, batch, gradients, 0)

    def slow_batches() -> Iterator[Any]:
        for each in batches(layer, 8):
            time.sleep(0.02)
            yield layer.preprocess(each)

    def loop(ahead: int) -> None:
        variables = layer.init(jax.random.key(0), jax.nn.initializers.normal())
        for batch in sc.prefetch(slow_batches(), ahead):
            variables = jax.block_until_ready(step(variables, batch))

    found = Seen(tmp_path, "host-bound input").check(lambda: loop(0), lambda: loop(2))
    assert found.setting == "maximum_parallel_iterations"


def test_missing_overlap(tmp_path: Path) -> None:
    table = sc.TableSpec("table", 1000, 32, **dict.fromkeys(LIMIT_NAMES, 2**15))
    features = [sc.FeatureSpec("ids", table, 2048)]
    random = np.random.default_rng(0)
    ids = [{"ids": random.integers(0, 1000, (2048, 32))} for _ in range(6)]
    dense = slow(0.005)

    def train(*, off: bool) -> None:
        config = sc.SparsecoreConfig(tf_xla_disable_full_embedding_pipelining=off)
        layer = sc.Embedding(features, config=config)

        def work(carry: Any, activations: Any, _: Any) -> Any:
            return carry, {name: dense(each) for name, each in activations.items()}, carry

        steps = sc.pipelined(layer, work)
        variables = layer.init(jax.random.key(0), jax.nn.initializers.normal())
        pairs = [(layer.preprocess(each), jnp.zeros(())) for each in ids]
        for state, _ in steps.run(steps.init(variables, jnp.zeros(())), pairs):
            jax.block_until_ready(state)

    seen = Seen(tmp_path, "missing overlap")
    found, better = (seen.of(lambda off=off: train(off=off)) for off in (True, False))
    # How much of a step it is depends on how fast the CPU looks up.
    assert found.figure is not None
    assert better.figure == 0.0 < found.figure
    assert "neither works while the other does" in found.shown
    assert "run beside the TensorCore" in better.shown
    assert found.setting == "tf_xla_disable_full_embedding_pipelining"


def test_too_low_limits_and_minibatches(tmp_path: Path) -> None:
    low = make_layer(make_tables(1, max_ids_per_partition=16), minibatching="vocabulary")
    seen = Seen(tmp_path, "limits too low: minibatches")
    found = seen.of(prepared(low))
    assert found.subjects == ("table_0",)
    ids, unique_ids = (int(each) for each in found.advice.rsplit(": ")[-1].split(" and "))
    limits = {"max_ids_per_partition": ids, "max_unique_ids_per_partition": unique_ids}
    high = make_layer(make_tables(1, **limits), minibatching="vocabulary")
    seen.check(prepared(low), prepared(high))


def test_too_low_limits_and_dropped_ids(tmp_path: Path) -> None:
    config = sc.SparsecoreConfig(allow_id_dropping=True)
    low = make_layer(make_tables(1, max_ids_per_partition=16), config=config)
    high = make_layer(make_tables(1, max_ids_per_partition=64), config=config)
    found = Seen(tmp_path, "limits too low: dropped ids").check(prepared(low), prepared(high))
    assert "compiled for 16 and 256" in found.shown


def test_too_high_limits(tmp_path: Path) -> None:
    of_need = {"max_ids_per_partition": 40, "max_unique_ids_per_partition": 40}
    high, fitting = make_layer(make_tables(1)), make_layer(make_tables(1, **of_need))
    found = Seen(tmp_path, "limits too high").check(prepared(high), prepared(fitting))
    assert "max_unique_ids_per_partition" in found.setting


def test_spmem_exhaustion(tmp_path: Path) -> None:
    chip = tmp_path / "small.toml"
    chip.write_text('base = "v5p"\ntile_memory_bytes = 8192\n')
    sc.configure(chip)
    high = make_layer(make_tables(1, max_ids_per_partition=4096), minibatching="vocabulary")
    low = make_layer(make_tables(1, max_ids_per_partition=64), minibatching="vocabulary")
    (tmp_path / "runs").mkdir()
    Seen(tmp_path / "runs", "SPMEM exhaustion").check(looked_up(high), looked_up(low))


def test_skewed_partitions(tmp_path: Path) -> None:
    layer = make_layer(make_tables(1))
    random = np.random.default_rng(0)
    hot = 4 * random.integers(0, 250, (SAMPLES, 2))  # All are in partition 0.
    shuffled = random.permutation(1000)[hot]
    seen = Seen(tmp_path, "skewed partitions")
    before = [{"of_table_0": hot}]
    found = seen.check(prepared(layer, before), prepared(layer, [{"of_table_0": shuffled}]))
    assert found.figure == 4.0
    assert "Partition 0 of stack 'table_0'" in found.shown


def test_too_few_tables_in_a_stack(tmp_path: Path) -> None:
    tables = [dataclasses.replace(each, embedding_dim=16) for each in make_tables(6)]
    apart = make_layer(tables, config=sc.SparsecoreConfig(disable_table_stacking=True))
    found = Seen(tmp_path, "too few tables in a stack").check(
        prepared(apart), prepared(make_layer(tables))
    )
    assert found.figure == 6
    assert found.setting == "disable_table_stacking"


def test_too_many_tables_in_a_stack(tmp_path: Path) -> None:
    tables = [dataclasses.replace(each, embedding_dim=16) for each in make_tables(101)]
    divided = [dataclasses.replace(each, combiner="mean") for each in tables[:50]] + tables[50:]
    config = sc.SparsecoreConfig(max_ids_per_chip_per_sample=1000)
    one, two = (
        make_layer(each, config=config, minibatching="vocabulary") for each in (tables, divided)
    )
    found = Seen(tmp_path, "too many tables in a stack").check(
        prepared(one, [next(batches(one, 1))]), prepared(two, [next(batches(two, 1))])
    )
    assert found.figure == 101


def test_float32_where_less_would_do(tmp_path: Path) -> None:
    wide, narrow = make_layer(make_tables(1)), make_layer(make_tables(1, dtype="bfloat16"))
    seen = Seen(tmp_path, "float32 where less would do")
    assert seen.check(looked_up(wide), looked_up(narrow)).subjects == ("table_0",)


def test_hbm_bandwidth_saturation(tmp_path: Path) -> None:
    chip = tmp_path / "slow.toml"
    chip.write_text('base = "v5p"\nhbm_bytes_per_second = 20_000_000_000\n')
    sc.configure(chip)
    wide, narrow = (
        make_layer([sc.TableSpec("table", 1000, 512, dtype=dtype)])
        for dtype in ("float32", "bfloat16")
    )
    (tmp_path / "runs").mkdir()
    seen = Seen(tmp_path / "runs", "HBM bandwidth saturation")
    found = seen.check(looked_up(wide), looked_up(narrow), is_gone=False)
    assert "narrower dtype" in found.advice


def test_padding_waste(tmp_path: Path) -> None:
    narrow = [sc.TableSpec(f"column_{at}", 1000, 1) for at in range(8)]
    joined = [sc.TableSpec("columns", 1000, 8)]
    found = Seen(tmp_path, "padding waste").check(
        prepared(make_layer(narrow)), prepared(make_layer(joined))
    )
    assert found.figure is not None
    assert found.figure > 7 / 8


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        (
            "HBM heap exhaustion",
            {"maximum_parallel_iterations": 64},
            {"maximum_parallel_iterations": 1},
        ),
        ("HBM stack exhaustion", {}, {"xla_sc_num_serialized_tables_to_optimize_hbm": 4}),
    ],
)
def test_hbm_exhaustion(
    tmp_path: Path, kind: str, before: dict[str, Any], after: dict[str, Any]
) -> None:
    tables = [
        sc.TableSpec(f"table_{at}", 200, 256, combiner=combiner)
        for at, combiner in enumerate(("sum", "mean", "sqrtn"))
    ]

    def layer(settings: dict[str, Any]) -> sc.Embedding:
        sc.configure(chip, **settings)
        return make_layer(tables)

    chip: Any = "v5p"
    used = layer(before).ledger().bytes
    chip = tmp_path / "small.toml"
    chip.write_text(f'base = "v5p"\nhbm_bytes = {int(used / 0.95)}\n')
    (tmp_path / "runs").mkdir()
    seen = Seen(tmp_path / "runs", kind)

    def loop(settings: dict[str, Any]) -> Callable[[], object]:
        def run() -> None:
            prepared(layer(settings))()

        return run

    assert seen.check(loop(before), loop(after)).setting in after


def test_recompilation(tmp_path: Path) -> None:
    def loop(*limits: int) -> None:
        for limit in limits:
            layer = make_layer(make_tables(1, max_ids_per_partition=limit))
            train(layer, batches(layer, 2))

    seen = Seen(tmp_path, "recompilation")
    found = seen.check(lambda: loop(257, 263), lambda: loop(263, 263))
    assert "max_ids_per_partition changed" in found.shown
