"""Every setting and every field of a spec has an effect, or a warning says that it has none.

An entry has what differs between two values of a field, or names the tests that show its effect. A
field without an entry fails.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.settings import configure
from sdykit.sparsecore.config import SETTINGS, SparsecoreConfig
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import Adagrad, RowWiseAdagrad
from sdykit.sparsecore.preprocess import preprocess
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack
from sdykit.sparsecore.tile.build import build_tile
from sdykit.sparsecore.tile.compile import finish, lay_out, parse_tile
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, LookupSpec, TileSpec, UpdateSpec
from tools.generate_flags_doc import SHOWN, source_of

TESTS = Path(__file__).parents[1]
Entry = tuple[Mapping[str, Any], Any]
"""The other fields with which a field counts, and a value unlike its default."""

STABLEHLO = """
func.func public @main(%g: tensor<1x16xf32>, %w: tensor<1x16xf32>, %s: tensor<1x16xf32>,
                       %r: tensor<f32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  %0 = stablehlo.add %g, %w : tensor<1x16xf32>
  return %0, %s : tensor<1x16xf32>, tensor<1x16xf32>
}"""
BUFFERS: dict[str, Any] = {"dim": 16, "samples_per_core": 40, "layout": "jax_tpu_embedding"}
CUSTOM: dict[str, Any] = {**BUFFERS, "stablehlo": STABLEHLO, "slots": ("s",)}
CHIP: dict[str, Any] = {"reading": "chip"}

COMMON: dict[str, Entry] = {
    "dim": ({}, 24),
    "samples_per_core": ({}, 41),
    "minibatches": ({}, True),
    "chip": ({}, "v6e"),
    "num_devices": ({}, 2),
    "layout": ({}, "ids"),
    "reading": ({}, "chip"),
    "tile_memory_bytes": (CHIP, 60_000),
    "gains": ({"layout": "ids"}, False),
    "check_bounds": ({}, True),
    "check_nan": ({}, True),
    "sanitize": (CHIP, ("SC_TILE",)),
    "verify_launch": (CHIP, True),
    "counters": (CHIP, True),
    "transport": ({"layout": "ids", "num_devices": 2}, "memory"),
    "max_ids_per_partition": ({}, 100),
    "max_unique_ids_per_partition": ({}, 50),
    "max_ids_of_partitions": ({"max_ids_per_partition": 9}, (9, 3, 9, 1)),
    "max_unique_ids_of_partitions": ({"max_unique_ids_per_partition": 9}, (9, 3, 9, 1)),
    "staging": (CHIP, "hbm"),
}
UPDATE: dict[str, Entry] = {
    **COMMON,
    "flat": ({"dim": 1}, True),
    "optimizer": ({}, Adagrad(0.1)),
    "width": ({"optimizer": RowWiseAdagrad(0.1)}, 13),
}
ONE = STABLEHLO.replace("1x16", "1x1")
PROGRAMS: Mapping[type[TileSpec], tuple[dict[str, Any], dict[str, Entry]]] = {
    LookupSpec: (
        BUFFERS,
        {**COMMON, "dtype": ({}, "bfloat16"), "quantization": ({}, Quantization(-1, 1, 16))},
    ),
    UpdateSpec: (BUFFERS, UPDATE),
    CustomUpdateSpec: (
        CUSTOM,
        {
            **COMMON,
            "flat": ({"dim": 1, "stablehlo": ONE}, True),
            "width": ({"stablehlo": "REDUCED"}, 13),
            "stablehlo": ({}, STABLEHLO.replace("add", "multiply")),
            "slots": ({}, ("other",)),
            "scalars": ({}, ("rate",)),
            "row_slots": ({"stablehlo": "ROW_SLOT"}, ("s",)),
        },
    ),
}
"""By spec: the fields that it needs, and its entries."""


def traced(row_slot: bool) -> str:
    """Return the StableHLO of a user's function, which sums over the row."""

    def update(gradient: Any, table: Any, slot: Any, rate: Any) -> Any:
        total = jnp.sum(gradient, axis=1, keepdims=True)
        return table - rate * total, slot

    row = jax.ShapeDtypeStruct((1, 16), jnp.float32)
    slot = jax.ShapeDtypeStruct((1, 1), jnp.float32) if row_slot else row
    rate = jax.ShapeDtypeStruct((), jnp.float32)
    return str(jax.jit(update).lower(row, row, slot, rate).as_text())


def program_of(kind: type[TileSpec], fields: Mapping[str, Any]) -> str:
    """Return the program that machine code is made of, and its arguments; or the error."""
    spec = kind(**fields)
    try:
        source = build_tile(spec)
        module = parse_tile(source.text)
        lay_out(module, spec.reading)
        finish(module, spec)
    except SparseCoreError as error:
        return f"error: {error}"
    names = [argument.name for argument in source.arguments]
    return f"{names}\n{module}"


@pytest.mark.parametrize("kind", PROGRAMS, ids=lambda kind: kind.kind)
def test_every_field_of_a_program_changes_it(kind: type[TileSpec]) -> None:
    needed, entries = PROGRAMS[kind]
    names = {each.name for each in dataclasses.fields(kind)}
    assert names - {"label"} == set(entries), "a field without an entry, or the reverse"
    texts = {"REDUCED": traced(False), "ROW_SLOT": traced(True)}
    for name, (others, value) in entries.items():
        given = {**needed, **others}
        given = {key: texts.get(str(found), found) for key, found in given.items()}
        if name == "row_slots":
            changed = program_of(kind, {**given, name: value})
            given["stablehlo"] = texts["REDUCED"]
            before = program_of(kind, given)
            assert not changed.startswith("error: "), changed
        else:
            before, changed = program_of(kind, given), program_of(kind, {**given, name: value})
        assert not before.startswith("error: "), f"{name}: {before}"
        assert before != changed, f"{kind.kind}: {name} has no effect"


def test_labels_are_the_names_of_counters() -> None:
    spec = LookupSpec(**BUFFERS, counters=True)
    assert "label" in {each.name for each in dataclasses.fields(LookupSpec)}
    assert spec.to_json() != dataclasses.replace(spec, label="items").to_json()
    source = (TESTS / "bridge/embedding/test_counters.py").read_text()
    assert "c.spec.label" in source


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_shown_by_tests(name: str) -> None:
    """`tools/generate_flags_doc.py` has the tests; here, that they exist and name the setting."""
    for node in (SHOWN[name].on, SHOWN[name].off):
        source = source_of(TESTS, node)
        assert source is not None
        assert name in source


def test_a_check_of_ids_that_cannot_be_switched_off_is_warned_of() -> None:
    config = SparsecoreConfig(xla_sparse_core_enable_id_bound_check=False)
    system = System(1, 4)
    stacks = stack([FeatureSpec("seen", TableSpec("items", 40, 8), 8)], system)
    batch = {"seen": np.zeros((8, 1), np.int64)}
    with pytest.warns(UserWarning, match="has no effect: ids are always checked") as caught:
        preprocess(batch, stacks, system, config=config)
    assert caught[0].filename == __file__
    preprocess(batch, stacks, system, config=config, layout="jax_tpu_embedding")


PARAMETERS: Mapping[str, Any] = {"chip": "v6e", "counters": True, "execute": "chip"}
"""Those of `configure`, with a value unlike the default."""

OF_KERNELS = "pallas"
"""The argument that lookups do not have; `bridge/pallas/test_hook.py` shows what it changes."""


@pytest.fixture
def as_before() -> Iterator[None]:
    yield
    configure()


def lowered() -> str:
    """Return what JAX compiles for a lookup of buffers with the settings of the process."""
    table = TableSpec("items", 40, 8)
    return lowered_layer(sc.Embedding([FeatureSpec("seen", table, 16)]))


@pytest.mark.usefixtures("as_before")
def test_every_argument_of_configure_changes_programs() -> None:
    names = [name for name in inspect.signature(configure).parameters if name != "settings"]
    assert names == [*PARAMETERS, OF_KERNELS]
    before = lowered()
    for name, value in PARAMETERS.items():
        configure(**{name: value})
        assert lowered() != before, f"configure: {name} has no effect"


def lowered_layer(layer: sc.Embedding) -> str:
    """Return what JAX compiles for a layer's lookup and update, and a batch."""
    batch = layer.preprocess(
        {each.name: np.tile([[1, 3]], (each.batch_size, 1)) for each in layer.features}
    )
    dtypes = {each.table.dtype for each in layer.features}
    shown = [str(leaf.shape) + str(np.asarray(leaf)) for leaf in jax.tree.leaves(batch)]
    if dtypes != {"float32"}:
        return "\n".join([*sorted(dtypes), *shown])
    variables = layer.init(jax.random.key(0), jax.nn.initializers.ones)
    gradients = {
        each.name: jnp.ones((each.batch_size, each.table.embedding_dim)) for each in layer.features
    }
    shown.append(jax.jit(layer.lookup).lower(variables, batch).as_text())
    shown.append(jax.jit(layer.update).lower(variables, batch, gradients).as_text())
    return "\n".join(shown)


TABLE: dict[str, Any] = {"name": "items", "vocabulary_size": 40, "embedding_dim": 8}
TABLES: dict[str, Entry] = {
    "name": ({}, "things"),
    "vocabulary_size": ({}, 400),
    "embedding_dim": ({}, 16),
    "optimizer": ({}, Adagrad(0.1)),
    "combiner": ({}, "mean"),
    "max_ids_per_partition": ({}, 64),
    "max_unique_ids_per_partition": ({}, 64),
    "dtype": ({}, "bfloat16"),
    "quantization": ({}, Quantization(-1, 1, 16)),
    "buffer_size_per_device": ({}, 2048),
}
FEATURES: dict[str, Any] = {
    "name": "other",
    "table": TableSpec("others", 40, 8),
    "batch_size": 32,
}


def test_every_field_of_a_table_changes_programs_or_buffers() -> None:
    assert {each.name for each in dataclasses.fields(TableSpec)} == set(TABLES)
    before = lowered_layer(sc.Embedding([FeatureSpec("seen", TableSpec(**TABLE), 16)]))
    for name, (_, value) in TABLES.items():
        changed = TableSpec(**{**TABLE, name: value})
        found = lowered_layer(sc.Embedding([FeatureSpec("seen", changed, 16)]))
        assert found != before, f"TableSpec: {name} has no effect"


def test_every_field_of_a_feature_changes_programs_or_buffers() -> None:
    feature = FeatureSpec("seen", TableSpec(**TABLE), 16)
    assert {each.name for each in dataclasses.fields(FeatureSpec)} == set(FEATURES)
    before = lowered_layer(sc.Embedding([feature]))
    for name, value in FEATURES.items():
        changed = dataclasses.replace(feature, **{name: value})
        assert lowered_layer(sc.Embedding([changed])) != before, f"FeatureSpec: {name}"


def test_every_field_of_a_system_changes_buffers() -> None:
    def buffers(system: System) -> str:
        stacks = stack([FeatureSpec("seen", TableSpec(**TABLE), 32)], system)
        found = preprocess({"seen": np.zeros((32, 1), np.int64)}, stacks, system).buffers["items"]
        return str([found.row_pointers.tolist(), found.embedding_ids.shape])

    assert {each.name for each in dataclasses.fields(System)} == {
        "num_devices",
        "sparse_cores_per_device",
    }
    assert len({buffers(System(1, 4)), buffers(System(2, 4)), buffers(System(1, 2))}) == 3


LAYER = {
    "features": "bridge/embedding/test_layer.py::test_lookup_returns_all_features",
    "mesh": "bridge/embedding/test_layer_devices.py::test_a_layer_works_on_four_devices",
    "axis_name": "bridge/embedding/test_layer_devices.py::test_a_layer_works_on_four_devices",
    "limits": "bridge/embedding/test_layer_limits.py::test_limits_that_are_given_win",
    "minibatching": "bridge/embedding/test_layer.py"
    "::test_a_batch_beyond_the_limits_is_split_into_minibatches",
}
"""Fields of a layer, with the tests that show their effect."""


def test_every_field_of_a_layer_has_an_effect() -> None:
    names = [each.name for each in dataclasses.fields(sc.Embedding) if each.init]
    assert set(names) == {*LAYER, "chip", "config"}
    for node in LAYER.values():
        assert source_of(TESTS, node) is not None, node
    features = [FeatureSpec("seen", TableSpec(**TABLE), 16)]
    before = lowered_layer(sc.Embedding(features))
    assert lowered_layer(sc.Embedding(features, chip="v6e")) != before
    config = SparsecoreConfig(xla_sc_detect_nan=True)
    assert lowered_layer(sc.Embedding(features, config=config)) != before
