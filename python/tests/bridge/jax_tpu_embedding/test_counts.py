"""How many SparseCores the library finds on a CPU device, and the layout of tables."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest
from jax.experimental.layout import Format
from jax.sharding import AbstractDevice

import sdykit.sparsecore as sc
from sdykit.bridge.jax_tpu_embedding import counts

UTILS: Any = pytest.importorskip(
    "jax_tpu_embedding.sparsecore.utils.utils", reason="jax-tpu-embedding is not installed"
)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    counts.register(UTILS)
    yield
    sc.configure()


def count(kind: str) -> int:
    device: Any = SimpleNamespace(device_kind=kind)
    return UTILS.num_sparsecores_per_device(device)


def test_a_cpu_device_has_the_sparse_cores_of_its_chip() -> None:
    assert UTILS.num_sparsecores_per_device(jax.devices("cpu")[0]) == 4
    for chip, cores in {"v4": 4, "v5p": 4, "v6e": 2, "7x": 2}.items():
        sc.configure(chip)
        assert count("cpu") == cores
        # The library asks whether a number is one of any device.
        assert cores in UTILS.NUM_SC_PER_DEVICE_MAP.values()


def test_a_chip_from_a_file_sets_the_number_of_sparse_cores(tmp_path: Any) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('base = "v5p"\nsparse_cores_per_device = 1\n')
    sc.configure(path)
    assert count("cpu") == 1
    assert 1 in UTILS.NUM_SC_PER_DEVICE_MAP.values()


def test_other_devices_keep_their_numbers() -> None:
    assert (count("TPU v5"), count("TPU v6 lite"), count("TPU7x")) == (4, 2, 2)
    with pytest.raises(ValueError, match="gpu"):
        count("gpu")


def test_tables_on_cpus_have_the_layout_of_other_arrays() -> None:
    mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    place = UTILS.embedding_table_format(mesh, jax.P("x"))
    table = jax.device_put(np.ones((64, 8), np.float32), place)
    same = {"donate_argnums": 0, "out_shardings": place}
    step = jax.jit(lambda table: table.at[3].add(1), **same).lower(table).compile()
    found: Any = step.memory_analysis()
    assert (found.alias_size_in_bytes, found.temp_size_in_bytes) == (table.nbytes, 0)
    # The results of a step have the layout that the next one was compiled for.
    assert np.asarray(step(step(table)))[:5, 0].tolist() == [1, 1, 1, 3, 1]
    known_by_kind = UTILS.embedding_table_format(mesh.abstract_mesh, jax.P("x"))
    assert not isinstance(known_by_kind, Format) or known_by_kind.layout == place.layout


def test_tables_on_other_devices_keep_their_layout() -> None:
    kind = AbstractDevice(device_kind="TPU v5", num_cores=1, platform="tpu")
    mesh = jax.sharding.AbstractMesh((1,), ("x",), abstract_device=kind)
    assert UTILS.embedding_table_format(mesh, jax.P("x")).layout.tiling == ((8,),)


def test_a_number_that_a_program_sets_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(UTILS.NUM_SC_PER_DEVICE_MAP, "cpu", 2)
    assert count("cpu") == 2
    monkeypatch.undo()
    assert count("cpu") == 4
    del UTILS.NUM_SC_PER_DEVICE_MAP["cpu"]
    with pytest.raises(ValueError, match=r"^Unknown sparsecore count for device kind: cpu"):
        count("cpu")
