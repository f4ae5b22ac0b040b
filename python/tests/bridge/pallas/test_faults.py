"""Each error of a kernel as its user sees it, and none once the kernel is right."""

from __future__ import annotations

import time
from collections.abc import Iterator

import jax
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import sdykit.sparsecore as sc
from sdykit.sparsecore.mosaic.compile import fallbacks
from support.pallas import faults
from support.pallas.faults import line_of

FIRST = "vector subcore (0, 0)"

ALWAYS = {
    "slice_": "'rows': vector subcore (0, 15): slice out of bounds at {slice}: rows 16 to 17 of 16",
    "load": f"'load': {FIRST}: load out of bounds at {{load}}: elements 17 to 33 of 32",
    "store": f"'store': {FIRST}: store out of bounds at {{store}}: elements 17 to 33 of 32",
    "gather": f"'gather': {FIRST}: gather out of bounds at {{gather}}: "
    "index 16 in lane 3 is not in [0, 16)",
    "scatter": f"'scatter': {FIRST}: scatter out of bounds at {{scatter}}: "
    "index -1 in lane 5 is not in [0, 16)",
    "offset": f"'lookup': {FIRST}: indirect DMA started at {{offset}}: "
    "offset 64 at position 2 is not in [0, 64)",
    "barrier": "'meet': deadlock: no subcore can go on:\n"
    "  vector subcores (0, 0) to (0, 2) wait at the barrier with 3 of 4 subcores, at {barrier}\n"
    "  vector subcore (0, 3) waits for 2 on a semaphore (scratch 0) that has 0, at {wait}",
    "bytes_": "'copy': deadlock: no subcore can go on:\n"
    f"  {FIRST} waits for 64 bytes of DMAs on a semaphore (scratch 1) that has 32, "
    "at {wait for bytes}; expected a DMA started on it, of as many bytes, for each wait",
    "never_waited": f"'copy': {FIRST}: a semaphore (scratch 0) is 64 at the end of the kernel: "
    "a DMA started at {start} was never waited for",
    "never_waited_in_region": f"'copy': {FIRST}: a semaphore made at {{region}} is 64 at the end of "
    "the region that made it: a DMA started at {start in region} was never waited for",
    "agent": f"'count': {FIRST}: no vector subcore (0, 2) at {{agent}}: the kernel's mesh has 1 x 2",
    "check": f"'copy': {FIRST}: check failed at {{check}}: the second one is 0",
    "input_": f"'write': {FIRST}: a DMA started at {{input}} writes array 0, "
    "an input that no result is aliased with",
}
"""Errors in all modes; {label} is the line with this label."""

CHECKED = {
    "multiple": f"'copy': {FIRST}: 4 at {{multiple}} is not a multiple of 8",
    "race": f"'shift': race: {FIRST} reads array 1 at {{read}}, vector subcore (0, 1) writes the "
    "same bytes at {write}, and nothing orders the two; expected a plsc.subcore_barrier() between them",
    "race_in_hbm": f"'exchange': race: {FIRST} reads scratch 1 at {{read scratch}}, vector subcore "
    "(0, 1) writes the same bytes at {write scratch}, and nothing orders the two; expected a "
    "plsc.subcore_barrier() between them",
    "word": f"'count': race: vector subcore (0, 1) adds to scratch 0 at {{add to word}}, {FIRST} writes "
    "the same bytes at {store to word}, and nothing orders the two; expected a "
    "plsc.subcore_barrier() between them",
    "read_early": f"'double': race: {FIRST} reads scratch 0 at {{use}} while a DMA writes it, "
    "started at {copy in}; expected a wait for that DMA before this",
    "read_early_in_region": f"'scopes': race: {FIRST} reads VMEM made at {{second region}} at "
    "{use in second} while a DMA writes it, started at {copy in second}; expected a wait for "
    "that DMA before this",
    "write_early": f"'clear': race: {FIRST} writes scratch 0 at {{clear}} while a DMA reads it, "
    "started at {copy out}; expected a wait for that DMA before this",
    "two_copies": f"'both': race: {FIRST} starts a DMA at {{second copy}} that writes scratch 0 "
    "while a DMA writes it, started at {first copy}; expected a wait for that DMA before this, or "
    "another buffer",
    "iterations": f"'loop': race: {FIRST}: the iterations of the parallel_loop at {{loop}} depend on "
    "each other: iteration 1 reads scratch 0 at {before} where iteration 0 writes it at {sum}; "
    "expected elements of its own for each iteration, or pl.loop, whose iterations run in order",
    "additions": f"'loop': race: {FIRST}: the iterations of the parallel_loop at {{loop of sums}} "
    "depend on each other: iteration 1 reads scratch 1 at {add} where iteration 0 writes it at {add}; "
    "expected elements of its own for each iteration, or pl.loop, whose iterations run in order",
}
"""Errors if kernels are checked."""

TEXTS = ALWAYS | CHECKED


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    with pl.enable_debug_checks(True):
        yield
    sc.configure()


def with_lines(text: str) -> str:
    """Return a text with lines for labels."""
    parts = text.replace("}", "{").split("{")
    return "".join(line_of(part) if k % 2 else part for k, part in enumerate(parts))


def error_of(name: str) -> str:
    """Return what a kernel with a fault says."""
    with pytest.raises(jax.errors.JaxRuntimeError) as raised:
        jax.block_until_ready(jax.jit(getattr(faults, name)(True))())
    return str(raised.value)


@pytest.mark.parametrize("mode", ["reference", "check"])
@pytest.mark.parametrize("name", TEXTS)
def test_fault(name: str, mode: str) -> None:
    sc.configure("7x", pallas=mode)
    assert error_of(name) == f"INVALID_ARGUMENT: kernel {with_lines(TEXTS[name])}"


@pytest.mark.parametrize("name", ALWAYS)
def test_fault_without_checks(name: str) -> None:
    sc.configure("7x", pallas="fast")
    assert error_of(name) == f"INVALID_ARGUMENT: kernel {with_lines(TEXTS[name])}"


@pytest.mark.parametrize("name", TEXTS)
def test_corrected(name: str) -> None:
    """Without its fault a kernel ends well, with the same result in all engines."""
    known = sum(each.count for each in fallbacks())
    found: list[np.ndarray] = []
    for mode in ("reference", "check", "fast"):
        sc.configure("7x", pallas=mode)
        found.append(np.asarray(jax.jit(getattr(faults, name)(False))()))
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])
    assert sum(each.count for each in fallbacks()) == known


@pytest.mark.parametrize("mode", ["reference", "check", "fast"])
def test_deadlocks_are_told_within_a_second(mode: str) -> None:
    sc.configure("7x", pallas=mode)
    compiled = jax.jit(faults.barrier(True)).lower().compile()
    start = time.perf_counter()
    with pytest.raises(jax.errors.JaxRuntimeError, match="deadlock"):
        jax.block_until_ready(compiled())
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("mode", ["reference", "check"])
def test_races_are_warned_of(
    mode: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SDYKIT_PALLAS_RACES", "warn")
    sc.configure("7x", pallas=mode)
    jax.block_until_ready(jax.jit(faults.race(True))())
    jax.block_until_ready(jax.jit(faults.read_early(True))())
    lines = [line for line in capfd.readouterr().err.splitlines() if "race" in line]
    assert lines == [f"kernel {with_lines(TEXTS[name])}" for name in ("race", "read_early")]


RACES = [name for name in CHECKED if name != "multiple"]


def warnings_of(name: str, mode: str, capfd: pytest.CaptureFixture[str]) -> list[str]:
    sc.configure("7x", pallas=mode)
    jax.block_until_ready(jax.jit(getattr(faults, name)(True))())
    return [line for line in capfd.readouterr().err.splitlines() if "race" in line]


@pytest.mark.parametrize("name", RACES)
def test_warnings_are_the_same_in_both_engines(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SDYKIT_PALLAS_RACES", "warn")
    known = sum(each.count for each in fallbacks())
    found = [warnings_of(name, mode, capfd) for mode in ("reference", "check")]
    assert found[0] == found[1]
    assert f"kernel {with_lines(TEXTS[name])}" in found[0]
    assert sum(each.count for each in fallbacks()) == known


@pytest.mark.parametrize("mode", ["reference", "check"])
def test_races_are_not_looked_for(
    mode: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SDYKIT_PALLAS_RACES", "off")
    for name in ("race", "read_early", "write_early", "two_copies", "iterations"):
        assert warnings_of(name, mode, capfd) == []


@pytest.mark.parametrize("mode", ["reference", "check", "fast"])
def test_reads_out_of_bounds_can_be_allowed(mode: str) -> None:
    sc.configure("7x", pallas=mode)
    with pltpu.force_tpu_interpret_mode(pltpu.InterpretParams(out_of_bounds_reads="uninitialized")):
        found = np.asarray(jax.jit(faults.load(True))())
    assert np.isnan(found).tolist() == [False] * 15 + [True]
