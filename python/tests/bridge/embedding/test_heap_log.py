"""Log lines about the HBM heap."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import pytest

import sdykit.sparsecore as sc
from sdykit.sparsecore.chip import chip
from sdykit.sparsecore.memory import Entry, Ledger
from sdykit.sparsecore.memory.heap_log import heap_text

LOGGER = "sdykit.sparsecore.memory.heap_log"


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    sc.configure()


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    found = [each.getMessage() for each in caplog.records if each.name == LOGGER]
    caplog.clear()
    return found


def test_vmodule_logs_the_heap(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make() -> None:
        layer = sc.Embedding([sc.FeatureSpec("f", sc.TableSpec("t", 1000, 8), 32)])
        jax.block_until_ready(layer.init(jax.random.key(0), jax.nn.initializers.zeros))

    make()
    assert lines(caplog) == []
    monkeypatch.setenv("LIBTPU_INIT_ARGS", "--vmodule=tpu_driver=1,best_fit_allocator=1")
    sc.configure("v6e")
    make()
    (line,) = lines(caplog)
    layer = sc.Embedding([sc.FeatureSpec("f", sc.TableSpec("t", 1000, 8), 32)])
    heap = layer.ledger().heap
    assert line.startswith(
        f"best_fit_allocator: init: peak use of the HBM heap is {sum(e.bytes for e in heap)} bytes, "
        f"and of all HBM {layer.ledger().bytes} of {32 * 2**30} while "
    )
    assert "the largest allocations of the heap: t: table 32256 (float32[1008,8]); t: " in line
    sc.configure(vmodule="best_fit_allocator=0")
    monkeypatch.delenv("LIBTPU_INIT_ARGS")
    sc.configure("v6e", vmodule="best_fit_allocator=0")
    make()
    assert lines(caplog) == []


def test_programs_without_a_layer_are_logged_when_they_are_traced(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sc.configure(vmodule="best_fit_allocator=1")
    run = jax.jit(sc.lookup)
    table, ids = jnp.zeros((10, 8)), jnp.zeros((16, 2), jnp.int32)
    run(table, ids)
    (line,) = lines(caplog)
    assert line.startswith("best_fit_allocator: lookup: peak use of the HBM heap is 4")
    run(table, ids)
    assert lines(caplog) == []


def test_only_the_largest_allocations_are_listed() -> None:
    entries = [
        Entry(kind="table", owner=f"t{at}", name="table", bytes=100 - at) for at in range(10)
    ]
    entries.append(Entry(kind="stack", owner="t0", name="stack", bytes=5, phase="lookup"))
    assert heap_text(Ledger(chip("v6e"), tuple(entries))) == (
        f"peak use of the HBM heap is 955 bytes, and of all HBM 960 of {32 * 2**30} while lookups "
        "run; the largest allocations of the heap: t0: table 100; t1: table 99; t2: table 98; t3: "
        "table 97; t4: table 96; t5: table 95; t6: table 94; t7: table 93; 2 more"
    )
    assert heap_text(Ledger(chip("v6e"), ())) == (
        f"peak use of the HBM heap is 0 bytes, and of all HBM 0 of {32 * 2**30}; the largest "
        "allocations of the heap: none"
    )
