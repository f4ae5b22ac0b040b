"""The chip that CPU devices simulate, and the effect of flags of its compiler."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.sparsecore import SparseCoreError
from sdykit.sparsecore.optimizers import Adagrad
from support.bridge.ffi_programs import run_python
from support.embedding import embedding_cases as cases

TABLE = np.arange(32, dtype=np.float32).reshape(8, 4)
IDS = np.array([[1, 2], [7, -1]])
EXPECTED = np.stack([TABLE[1] + TABLE[2], TABLE[7]])
RUN_ERRORS = (jax.errors.JaxRuntimeError, ValueError)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    sc.configure()


@pytest.mark.parametrize(("chip", "cores"), [("v4", 4), ("v5p", 4), ("v6e", 2), ("7x", 2)])
def test_lookups_use_the_configured_chip(chip: str, cores: int) -> None:
    assert sc.configure(chip).sparse_cores == cores
    np.testing.assert_array_equal(sc.lookup(TABLE, IDS), EXPECTED)
    features = [sc.FeatureSpec("f", sc.TableSpec("t", 8, 4), 8)]
    assert sc.Embedding(features).system == sc.System(1, cores)


def test_a_chip_may_be_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.toml").write_text('base = "v5p"\nsparse_cores_per_device = 1\n')
    monkeypatch.chdir(tmp_path)
    found = sc.configure("mine.toml")
    assert (found.chip, found.sparse_cores) == (str(tmp_path / "mine.toml"), 1)
    monkeypatch.chdir("/")
    np.testing.assert_array_equal(sc.lookup(TABLE, IDS), EXPECTED)


def test_a_program_that_does_not_fit_the_chip_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "tiny.toml"
    path.write_text('base = "v5p"\ntile_memory_bytes = 1024\n')
    sc.configure(path)
    case = cases.buffers_case(0, samples_per_core=128)
    with pytest.raises(RUN_ERRORS, match=r"Fixed size allocations .* do not fit in TileSpmem"):
        jax.jit(sc.lookup)(case.flat, case.ids)


def test_wrong_settings_are_errors_and_change_nothing() -> None:
    with pytest.raises(SparseCoreError, match=r"^there is no chip 'v5', "):
        sc.configure("v5")
    with pytest.raises(SparseCoreError, match=r"^found 3; expected a chip's name or a file$"):
        sc.configure(3)  # type: ignore[arg-type]
    with pytest.raises(SparseCoreError, match=r"^config: unknown setting 'allow_dropping'"):
        sc.configure(allow_dropping=True)
    # The wrong calls changed nothing.
    np.testing.assert_array_equal(sc.lookup(TABLE, IDS), EXPECTED)


def test_a_chip_is_found_beside_a_file_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "v6e").write_text("notes")
    monkeypatch.chdir(tmp_path)
    assert sc.configure("v6e").chip == "v6e"


SHOWS = """
import sdykit.sparsecore as sc
from sdykit.sparsecore import SparseCoreError
features = [sc.FeatureSpec("f", sc.TableSpec("t", 8, 4), 8)]
try:
    found = sc.Embedding(features).settings
    print(found.chip, found.config.xla_sc_detect_nan, sc.configure("v4").chip)
except SparseCoreError as error:
    print(str(error).partition(",")[0])
"""


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "v5p False v4"),
        ({"SDYKIT_CHIP": "v6e"}, "v6e False v4"),
        ({"SDYKIT_CHIP": "v6"}, "there is no chip 'v6'"),
        ({"SDYKIT_FLAGS": "--xla_sc_detect_nan=true"}, "v5p True v4"),
    ],
)
def test_settings_follow_the_environment(environment: dict[str, str], expected: str) -> None:
    assert run_python(SHOWS, **{"SDYKIT_CHIP": "", **environment}) == f"{expected}\n"


def traced_now() -> Any:
    """Return a new lookup each time: settings hold for functions that are traced afterwards."""
    return jax.jit(functools.partial(sc.lookup, combiner="sum"))


def nan_in_use() -> jax.Array:
    """Look up a row with a NaN in it."""
    table = TABLE.copy()
    table[2, 1] = np.nan
    return traced_now()(table, IDS)


def test_xla_sc_detect_nan_stops_at_a_nan() -> None:
    sc.configure(xla_sc_detect_nan=True)
    with pytest.raises(RUN_ERRORS, match="NaN"):
        nan_in_use().block_until_ready()


def test_without_xla_sc_detect_nan_a_nan_goes_through() -> None:
    assert np.isnan(nan_in_use()[0, 1])


def wild_row() -> jax.Array:
    """Look up buffers that name a row that the table does not have."""
    case = cases.buffers_case(0)
    wild = {
        name: np.where(array == array[0], 10**6, array).astype(np.int32)
        for name, array in {
            "embedding_ids": np.asarray(case.ids.embedding_ids),
            "sample_rows": np.asarray(case.ids.sample_rows),
        }.items()
    }
    buffers = dataclasses.replace(case.ids, **wild)
    return traced_now()(case.flat, buffers)


def test_xla_sc_assert_level_stops_at_a_wild_row() -> None:
    sc.configure(xla_sc_assert_level="bounds")
    with pytest.raises(RUN_ERRORS, match="1000000"):
        wild_row().block_until_ready()


def test_without_xla_sc_assert_level_a_program_has_no_checks() -> None:
    def status(level: str) -> bool:
        sc.configure(xla_sc_assert_level=level)
        case = cases.buffers_case(0)
        lowered = traced_now().lower(case.flat, case.ids)
        return "check_bounds\\22:true" in lowered.as_text()

    assert (status("bounds"), status("none")) == (True, False)


def test_checked_programs_have_the_same_results() -> None:
    sc.configure(xla_sc_assert_level="bounds", xla_sc_detect_nan=True)
    for case in (cases.raw_case(0), cases.buffers_case(0, minibatching="sample", limit=6)):
        found = jax.jit(
            lambda table, case=case: sc.lookup(
                table, case.ids, case.weights, combiner=case.combiner
            )
        )(case.flat)
        assert cases.same(found, case.lookup())
        slots = {"accumulator": np.full_like(case.flat, 0.1)}
        optimizer = Adagrad(0.1)
        gradients = case.lookup()
        table, _ = sc.grad_update(
            jnp.asarray(case.flat),
            slots,
            case.ids,
            case.weights,
            gradients,
            optimizer=optimizer,
        )
        assert cases.same(table, case.update(slots, gradients, optimizer, 0)["table"])
