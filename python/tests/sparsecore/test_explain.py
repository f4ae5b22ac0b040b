"""The texts about errors and settings: each pattern is found in what the code raises."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sdykit.errors import SdykitError
from sdykit.sparsecore.chip import chip
from sdykit.sparsecore.config import SETTINGS, SparsecoreConfig, resolve
from sdykit.sparsecore.explain import (
    ERRORS,
    error_named,
    errors_in,
    errors_of,
    explained,
    setting_named,
)
from sdykit.sparsecore.limits import Limits, StackFigures, TableFigures
from sdykit.sparsecore.memory import Entry, Ledger
from sdykit.sparsecore.preprocess import preprocess
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack
from sdykit.sparsecore.tile.compile import compile_tile
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec
from support.tile.checked_programs import program, run_checked
from support.tile.faults import Fault, compile_faulty, store_before, store_in
from support.tile.tile_cases import (
    COMPILE,
    arrays_for,
    make_buffers,
    message,
    message_of,
    run_once,
)

SYSTEM = System(1, 2)
IDS = np.array([[1, 1, 3, 5], [1, 3, 2, 2], [0, 0, 0, 0], [7, 8, 9, 7]], np.int32)
LOOKUP = LookupSpec(dim=16, samples_per_core=640, max_ids_per_partition=64)
SMALL = LookupSpec(dim=12, samples_per_core=5, layout="jax_tpu_embedding")
OF_JAX = {"batch-of-another-layer", "minibatch-limit", "raw-id-out-of-vocabulary"}
"""The errors that the tests of `sdykit.bridge` raise."""


def raised(call: Callable[[], object]) -> str:
    with pytest.raises(SdykitError) as found:
        call()
    return str(found.value)


def compiled(**fields: Any) -> str:
    return raised(lambda: compile_tile(dataclasses.replace(LOOKUP, **fields), cache=None))


def preprocessed(config: SparsecoreConfig | None = None, **fields: Any) -> str:
    ids = fields.pop("ids", IDS)
    stacks = stack([FeatureSpec("f", TableSpec("t", 64, 8, **fields), 4)], SYSTEM)
    config = config or SparsecoreConfig()
    return raised(lambda: preprocess({"f": ids}, stacks, SYSTEM, config=config))


def reported(spec: TileSpec = SMALL, name: str = "", value: float = 0) -> str:
    """Return what a lookup reports of arrays, of which one may be wrong all over."""
    rng = np.random.default_rng(2)
    arrays = arrays_for(rng, make_buffers(rng, "v5p", layout="jax_tpu_embedding"), 12)
    if name:
        arrays[name] = np.full_like(arrays[name], value)
    found, _ = run_once(COMPILE(spec), arrays)
    return message(spec, found["status"])


def out_of_hbm() -> str:
    entry = Entry(kind="table", owner="users", name="table", bytes=2**50)
    return raised(lambda: Ledger(chip("v6e"), (entry,)).check("lookup"))


def out_of_bounds() -> str:
    arguments = ("table: memref<?x2xf32>", "out: memref<?x2xf32>")
    view = "memref<?x2xf32, #rows>"
    body = (
        f"%part = memref.subview %table[%c5, 0] [%c2, 2] [1, 1] : memref<?x2xf32> to {view}\n"
        f"memref.copy %part, %out : {view} to memref<?x2xf32>"
    )
    arrays = [np.zeros((6, 2), np.float32), np.zeros((2, 2), np.float32)]
    return run_checked(program(arguments, body), arrays, "sparsecore-check-bounds")


def sanitized(fault: Fault) -> str:
    """Return what a lookup with a planted fault reports."""
    spec = dataclasses.replace(SMALL, reading="chip", sanitize=("TC", "SC_SCS", "SC_TILE"))
    rng = np.random.default_rng(2)
    arrays = arrays_for(rng, make_buffers(rng, "v5p", layout="jax_tpu_embedding"), 12)
    tile = compile_faulty(spec, fault)
    found, _ = run_once(tile, arrays)
    return message_of(tile.code.interface.messages, found["status"])


def other_launch() -> str:
    """Return what a lookup reports whose device executes launch 1, and another one launch 2."""
    spec = dataclasses.replace(SMALL, reading="chip", verify_launch=True)
    rng = np.random.default_rng(2)
    arrays = arrays_for(rng, make_buffers(rng, "v5p", layout="jax_tpu_embedding"), 12)
    launches = {"launches": np.array([1, 0, 2, 0], np.int32), "launch": np.array([1], np.int64)}
    found, _ = run_once(COMPILE(spec), {**arrays, **launches})
    return message(spec, found["status"])


def of_other_limits(**changes: Any) -> str:
    table = TableFigures(changes.get("name", "t"), changes.get("rows", 64), 0)
    figures = StackFigures("t", changes.get("batch", 4), (9, 9), (9, 9), 64, (table,))
    system = changes.get("system", SYSTEM)
    stacks = stack([FeatureSpec("f", TableSpec("t", 64, 8), 4)], SYSTEM)
    return raised(lambda: Limits(system, (figures,)).applied(stacks, SYSTEM))


def given(argument: str) -> str:
    return raised(lambda: resolve(arguments=[argument], environment={}))


RAISED: list[tuple[str, Callable[[], str]]] = [
    ("spmem-allocations", lambda: compiled(tile_memory_bytes=1344, max_ids_per_partition=1024)),
    ("gather-operand", lambda: compiled(tile_memory_bytes=1344, staging="spmem")),
    ("hbm-out-of-memory", out_of_hbm),
    ("partition-limit", lambda: preprocessed(max_ids_per_partition=4)),
    ("partition-limit", lambda: preprocessed(max_unique_ids_per_partition=2)),
    ("program-limit", lambda: reported(dataclasses.replace(SMALL, max_ids_per_partition=1))),
    (
        "program-limit",
        lambda: reported(dataclasses.replace(SMALL, max_unique_ids_per_partition=1)),
    ),
    ("table-limit", lambda: preprocessed(SparsecoreConfig(max_ids_per_table={"t": 4}))),
    ("table-limit", lambda: preprocessed(SparsecoreConfig(max_unique_ids_per_table={"t": 3}))),
    ("sample-limit", lambda: preprocessed(SparsecoreConfig(max_ids_per_chip_per_sample=3))),
    ("buffer-room", lambda: preprocessed(buffer_size_per_device=16)),
    ("id-out-of-vocabulary", lambda: preprocessed(ids=IDS + 60)),
    ("row-of-partition", lambda: reported(name="embedding_ids", value=10**6)),
    ("row-pointers", lambda: reported(name="row_pointers", value=-1)),
    ("sample-of-batch", lambda: reported(name="sample_ids", value=10**6)),
    ("nan", lambda: reported(dataclasses.replace(SMALL, check_nan=True), "table", np.nan)),
    ("out-of-bounds", out_of_bounds),
    ("other-launch", other_launch),
    ("changed-buffer", lambda: sanitized(store_in("gather", "entry_gains"))),
    ("changed-buffer", lambda: sanitized(store_before("gather", "entry_gains"))),
    ("changed-buffer", lambda: sanitized(store_in("gather", "gains"))),
    ("limits-of-another-program", lambda: of_other_limits(batch=8)),
    ("limits-of-another-program", lambda: of_other_limits(rows=65)),
    ("limits-of-another-program", lambda: of_other_limits(name="u")),
    ("limits-of-another-program", lambda: of_other_limits(system=System(2, 2))),
    ("unknown-setting", lambda: given("--xla_sc_detect_nann")),
    ("unknown-setting", lambda: raised(lambda: SparsecoreConfig(allow=True))),  # type: ignore[call-arg]
    ("wrong-value", lambda: given("--xla_sc_detect_nan=maybe")),
    ("wrong-value", lambda: given("--vmodule")),
    ("wrong-value", lambda: raised(lambda: SparsecoreConfig(allow_id_dropping=3))),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("name", "text"), RAISED)
def test_a_text_is_of_one_error(name: str, text: Callable[[], str]) -> None:
    found = text()
    assert [each.name for each in errors_in(found)] == [name], found


def test_every_error_is_raised_by_a_test() -> None:
    names = [each.name for each in ERRORS]
    assert len({*names}) == len(names)
    assert {*names} == {name for name, _ in RAISED} | OF_JAX


@pytest.mark.parametrize("error", ERRORS, ids=lambda each: each.name)
def test_an_error_is_described(error: Any) -> None:
    assert errors_in(error.example) == [error]
    assert errors_in(f"Traceback:\n  {error.example.replace(' ', chr(10))}\n") == [error]
    assert error_named(error.name) is error
    assert {*error.settings} <= {*SETTINGS}
    for text in (error.meaning, error.remedy):
        assert re.fullmatch(r"[A-Z].*[.]", text)
        assert "  " not in text
    named = {*re.findall(r"`(xla_\w+|max_\w+|allow_\w+)`", error.remedy)}
    assert named & {*SETTINGS} <= {*error.settings}


def test_other_texts_are_of_no_error() -> None:
    for text in ("", "ok", "ValueError: shapes (2,) and (3,) are not aligned"):
        assert errors_in(text) == []
    assert error_named("no-such") is None


def test_several_errors_are_found_in_one_text() -> None:
    text = f"{ERRORS[0].example}\nmore\n{ERRORS[2].example}"
    assert errors_in(text) == [ERRORS[0], ERRORS[2]]


def test_settings_are_explained() -> None:
    for name, kind in SETTINGS.items():
        found = explained(name)
        assert (found.name, found.values) == (name, kind.expected())
        assert found.default == repr(getattr(SparsecoreConfig(), name))
        assert found.effect.endswith(".")
    assert "XLA_FLAGS" in explained("xla_sc_detect_nan").set_in
    assert "XLA_FLAGS" not in explained("allow_id_dropping").set_in


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("allow_id_dropping", "allow_id_dropping"),
        ("--xla_sc_detect_nan=true", "xla_sc_detect_nan"),
        ("-xla_sc_detect_nan", "xla_sc_detect_nan"),
        ("--noxla_sc_detect_nan", "xla_sc_detect_nan"),
        ("noallow_id_dropping", None),
        ("xla_sc_detect_nann", None),
    ],
)
def test_a_setting_is_found_as_it_is_written(word: str, name: str | None) -> None:
    assert setting_named(word) == name


def test_errors_of_a_setting() -> None:
    assert [each.name for each in errors_of("xla_sc_detect_nan")] == ["nan"]
    assert errors_of("vmodule") == []
