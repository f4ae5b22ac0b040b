"""Stacks: their tables and offsets, and arrays in their layout and back."""

from __future__ import annotations

import dataclasses

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import SGD, Adagrad
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import Stack, stack
from sdykit.sparsecore.stacking.arrays import (
    stack_activations,
    stack_tables,
    unstack_activations,
    unstack_tables,
)
from support.amounts import examples

SYSTEM = System(2, 4)
SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(80))


def table(name: str, vocabulary: int = 100, dim: int = 8, **fields) -> TableSpec:
    return TableSpec(name, vocabulary, dim, **fields)


def stacks_of(*tables: TableSpec, **options) -> list[list[str]]:
    features = [FeatureSpec(f"f{number}", each, 16) for number, each in enumerate(tables)]
    return [[each.spec.name for each in one.tables] for one in stack(features, SYSTEM, **options)]


def test_offsets_and_shifts_are_those_computed_by_hand():
    a, b = table("a", 100), table("b", 65, 5)
    features = [FeatureSpec("x", b, 16), FeatureSpec("y", a, 8), FeatureSpec("z", b, 24)]
    (one,) = stack(features, SYSTEM)
    assert one.name == "b_a"
    assert (one.vocabulary_size, one.embedding_dim, one.batch_size) == (256, 8, 48)
    assert [(t.spec.name, t.col_offset, t.col_shift) for t in one.tables] == [
        ("b", 0, 0),
        ("a", 128, 4),
    ]
    assert [(f.spec.name, f.row_offset, f.col_offset, f.col_shift) for f in one.features] == [
        ("x", 0, 0, 0),
        ("y", 16, 128, 4),
        ("z", 24, 0, 0),
    ]


def test_a_row_alignment_of_one_does_not_pad():
    a, b, c = table("a", dim=1), table("b", dim=3), table("c", dim=3)
    features = [FeatureSpec(each.name, each, 16) for each in (a, b, c)]
    narrow = stack(features, SYSTEM, row_alignment=1)
    assert [(one.name, one.embedding_dim) for one in narrow] == [("a", 1), ("b_c", 3)]
    (padded,) = stack(features, SYSTEM)
    assert padded.embedding_dim == 8
    with pytest.raises(SparseCoreError, match=r"^stack: row_alignment is 0; expected an integer"):
        stack(features, SYSTEM, row_alignment=0)


def test_tables_that_differ_in_one_field_have_stacks_of_their_own():
    assert stacks_of(table("a"), table("b", 5, 3)) == [["a", "b"]]
    assert stacks_of(table("a"), table("b", dim=9)) == [["a"], ["b"]]
    assert stacks_of(table("a"), table("b", optimizer=SGD(0.2))) == [["a"], ["b"]]
    assert stacks_of(table("a"), table("b", optimizer=Adagrad(0.01))) == [["a"], ["b"]]
    assert stacks_of(table("a"), table("b", combiner="mean")) == [["a"], ["b"]]
    assert stacks_of(table("a"), table("b", dtype="bfloat16")) == [["a"], ["b"]]
    assert stacks_of(table("a"), table("b", quantization=Quantization(-1, 1))) == [["a"], ["b"]]
    assert stacks_of(table("a"), table("b"), table("a")) == [["a", "b"]]


def test_stacking_can_be_disabled():
    assert stacks_of(table("a"), table("b"), table("a"), disable_table_stacking=True) == [
        ["a"],
        ["b"],
    ]


def test_a_stack_of_one_table_has_its_limits():
    limits = {"max_ids_per_partition": 7, "max_unique_ids_per_partition": 5}
    features = [FeatureSpec(name, table(name, **limits), 8) for name in ("a", "b")]
    (both,) = stack(features, SYSTEM)
    assert (both.max_ids_per_partition, both.max_unique_ids_per_partition) == (256, 256)
    alone, _ = stack(features, SYSTEM, disable_table_stacking=True)
    assert (alone.max_ids_per_partition, alone.max_unique_ids_per_partition) == (7, 5)


@pytest.mark.parametrize(("rotation", "shifts"), [(None, [0, 4, 0]), (3, [0, 3, 6]), (0, [0] * 3)])
def test_tables_are_rotated_by_the_sparse_cores_of_a_device_or_as_given(
    rotation: int | None, shifts: list[int]
):
    features = [FeatureSpec(name, table(name), 8) for name in "abc"]
    (one,) = stack(features, SYSTEM, rotation=rotation)
    assert [each.col_shift for each in one.tables] == shifts


@pytest.mark.parametrize(
    ("tables", "advice"),
    [
        (1, "stack 't0' has 1 table; 5 to 100 are advised"),
        (4, "stack 't0_t1_t2_t3' has 4 tables; 5 to 100 are advised"),
        (5, None),
        (100, None),
    ],
)
def test_a_stack_of_too_few_tables_has_advice(tables: int, advice: str | None):
    features = [FeatureSpec(f"f{n}", table(f"t{n}"), 8) for n in range(tables)]
    (one,) = stack(features, SYSTEM)
    assert one.advice == advice


def test_long_names_are_cut_and_differ():
    names = [[f"table_{n}_{letter}" for n in range(9)] for letter in "ab"]
    cut = []
    for each in names:
        features = [FeatureSpec(name, table(name), 8) for name in each]
        cut.append(stack(features, SYSTEM)[0].name)
    assert cut[0] != cut[1]
    assert cut[0].startswith("table_0_a_table_1_a_table_2_a_table_3_a_table_4_a_...")
    assert len(cut[0]) == 65


def big(name: str) -> FeatureSpec:
    return FeatureSpec(name, table(name, 2**30 + 1), 8)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([], "stack: there are no features; expected at least one"),
        (
            [FeatureSpec("f", table("a"), 8), FeatureSpec("f", table("b"), 8)],
            "feature 'f' is there twice; names are unique",
        ),
        (
            [FeatureSpec("f", table("a"), 12)],
            "feature 'f': batch_size is 12; expected a multiple of the 8 SparseCores",
        ),
        (
            [big("a"), big("b")],
            "stack 'a_b' has 2147483776 rows; expected at most 2147483647",
        ),
        (
            [FeatureSpec(n, table(n, dim=8 if "_" in n else 16), 8) for n in ("a", "b", "a_b")],
            "stack 'a_b' is there twice, of the tables a, b and of a_b; names are unique: "
            "rename a table",
        ),
    ],
)
def test_features_that_cannot_be_stacked_are_an_error(features: list[FeatureSpec], message: str):
    with pytest.raises(SparseCoreError) as caught:
        stack(features, SYSTEM)
    assert str(caught.value) == message


def test_two_tables_of_one_name_are_an_error():
    features = [FeatureSpec("f", table("a"), 8), FeatureSpec("g", table("a", 200), 8)]
    with pytest.raises(SparseCoreError, match="feature 'g': table 'a' differs from the one"):
        stack(features, SYSTEM)


@st.composite
def stacks(draw: st.DrawFn) -> tuple[Stack, System]:
    system = System(draw(st.sampled_from([1, 2, 4])), draw(st.sampled_from([1, 2, 4])))
    tables = [
        table(f"t{n}", draw(st.integers(1, 200)), draw(st.integers(9, 16)))
        for n in range(draw(st.integers(1, 4)))
    ]
    features = [
        FeatureSpec(f"f{n}", each, system.num_sparse_cores * draw(st.integers(1, 4)))
        for n, each in enumerate(tables + draw(st.lists(st.sampled_from(tables), max_size=3)))
    ]
    (one,) = stack(features, system, rotation=draw(st.integers(0, 5)))
    return one, system


@SAME_EVERY_TIME
@given(stacks(), st.sampled_from([np.float32, np.int8]))
def test_unstacking_tables_undoes_stacking(made: tuple[Stack, System], dtype: type):
    one, system = made
    random = np.random.default_rng(0)
    tables = {
        each.spec.name: random.integers(
            -100, 100, (each.spec.vocabulary_size, each.spec.embedding_dim)
        ).astype(dtype)
        for each in one.tables
    }
    stacked = stack_tables(one, system, tables, pad_value=7)
    cores = system.num_sparse_cores
    assert stacked.shape == (cores, one.vocabulary_size // cores, one.embedding_dim)
    # An id is in the row to which preprocessing sends it.
    for each in one.tables:
        for number in range(0, each.spec.vocabulary_size, 17):
            row = stacked[(number + each.col_shift) % cores, (number + each.col_offset) // cores]
            width = each.spec.embedding_dim
            assert row[:width].tolist() == tables[each.spec.name][number].tolist()
            assert (row[width:] == 7).all()
    back = unstack_tables(one, system, stacked)
    assert back.keys() == tables.keys()
    for name, array in tables.items():
        assert back[name].dtype == array.dtype
        assert back[name].tobytes() == array.tobytes()


@SAME_EVERY_TIME
@given(stacks())
def test_unstacking_activations_undoes_stacking(made: tuple[Stack, System]):
    one, system = made
    random = np.random.default_rng(0)
    features = {
        each.spec.name: random.normal(
            size=(each.spec.batch_size, each.spec.table.embedding_dim)
        ).astype(np.float32)
        for each in one.features
    }
    stacked = stack_activations(one, system, features)
    assert stacked.shape == (one.batch_size, one.embedding_dim)
    cores = system.num_sparse_cores
    for each in one.features:
        rows = each.spec.batch_size // cores
        for sample in range(each.spec.batch_size):
            core, row = divmod(sample, rows)
            place = core * (one.batch_size // cores) + each.row_offset // cores + row
            width = each.spec.table.embedding_dim
            np.testing.assert_array_equal(stacked[place, :width], features[each.spec.name][sample])
    back = unstack_activations(one, system, stacked)
    assert back.keys() == features.keys()
    for name, array in features.items():
        assert back[name].tobytes() == array.tobytes()
    again = stack_activations(one, system, back)
    assert again.tobytes() == stacked.tobytes()


def test_arrays_of_another_shape_or_dtype_are_an_error():
    (one,) = stack([FeatureSpec("f", table("a"), 8), FeatureSpec("g", table("b"), 8)], SYSTEM)
    rows = np.zeros((100, 8), np.float32)
    cases = [
        ({"a": rows}, "stack 'a_b': tables are a; expected a, b"),
        (
            {"a": rows, "b": rows[:, :4]},
            "table 'b': array is float32[100, 4]; expected float32[100, 8]",
        ),
        (
            {"a": rows, "b": rows.astype(np.int32)},
            "table 'b': array is int32[100, 8]; expected float32[100, 8]",
        ),
    ]
    for tables, message in cases:
        with pytest.raises(SparseCoreError) as caught:
            stack_tables(one, SYSTEM, tables)
        assert str(caught.value) == message
    with pytest.raises(SparseCoreError) as caught:
        unstack_activations(one, SYSTEM, rows)
    assert str(caught.value) == ("stack 'a_b': array is float32[100, 8]; expected float32[16, 8]")


def test_stacks_have_the_offsets_of_the_library():
    library = pytest.importorskip("jax_tpu_embedding.sparsecore.lib.nn.embedding")
    specs = pytest.importorskip("jax_tpu_embedding.sparsecore.lib.nn.embedding_spec")
    sizes = {"a": (100, 8), "b": (65, 5), "c": (9, 16), "d": (3000, 7)}
    ours = [
        FeatureSpec(f"f{n}", table(name, *sizes[name]), 8 * (n + 1))
        for n, name in enumerate(["b", "a", "c", "d", "a"])
    ]
    optimizer = specs.SGDOptimizerSpec(learning_rate=0.01)
    tables = {
        name: specs.TableSpec(
            name=name,
            vocabulary_size=size,
            embedding_dim=dim,
            initializer=jax.nn.initializers.zeros,
            optimizer=optimizer,
            combiner="sum",
        )
        for name, (size, dim) in sizes.items()
    }
    theirs = [
        specs.FeatureSpec(
            name=each.name,
            table_spec=tables[each.table.name],
            input_shape=(each.batch_size, 1),
            output_shape=(each.batch_size, each.table.embedding_dim),
        )
        for each in ours
    ]
    library.auto_stack_tables(theirs, SYSTEM.num_devices, SYSTEM.sparse_cores_per_device)
    places = {
        feature.spec.name: (
            one.name,
            one.vocabulary_size,
            one.embedding_dim,
            one.batch_size,
            one.max_ids_per_partition,
            *dataclasses.astuple(feature)[1:],
        )
        for one in stack(ours, SYSTEM)
        for feature in one.features
    }
    for each in theirs:
        whole, place = each.table_spec.stacked_table_spec, each.id_transformation
        assert places[each.name] == (
            whole.stack_name,
            whole.stack_vocab_size,
            whole.stack_embedding_dim,
            whole.total_sample_count,
            whole.max_ids_per_partition,
            place.row_offset,
            place.col_offset,
            place.col_shift,
        )
