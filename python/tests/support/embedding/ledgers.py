"""Layers, their ledgers, and what XLA allocates for their programs."""

from __future__ import annotations

import json
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh

import sdykit.sparsecore as sc
from sdykit.sparsecore.memory import Ledger
from sdykit.sparsecore.memory.programs import KEPT
from sdykit.sparsecore.optimizers import Adagrad, RowWiseAdagrad
from sdykit.sparsecore.tile.spec import Reading

SAMPLES = 512
ALIGNMENT = 64
"""XLA aligns each buffer."""
SMALL = 4096
"""The bytes of scalars and small buffers, some of which share memory with others."""
TABLES = (
    sc.TableSpec("users", 2000, 32, Adagrad(0.1)),
    sc.TableSpec("items", 3000, 24, RowWiseAdagrad(0.1)),
)


def layer_of(devices: int, minibatching: Any, tables: int = len(TABLES)) -> sc.Embedding:
    """Return a layer of the first tables, on the first devices."""
    assert len(jax.devices()) >= devices
    mesh = None if devices == 1 else Mesh(np.array(jax.devices()[:devices]), ("x",))
    features = [sc.FeatureSpec(f"of {each.name}", each, SAMPLES) for each in TABLES[:tables]]
    return sc.Embedding(features, mesh=mesh, minibatching=minibatching)


def programs_of(layer: sc.Embedding) -> dict[str, Any]:
    """Return the compiled lookup and update of a layer."""
    variables = layer.init(jax.random.key(0), jax.nn.initializers.zeros)
    ids = np.zeros((SAMPLES, 1), np.int32)
    batch = layer.preprocess({each.name: ids for each in layer.features})
    found = layer.lookup(variables, batch)
    update = jax.jit(layer.update, donate_argnums=0).lower(variables, batch, found)
    return {
        "lookup": jax.jit(layer.lookup).lower(variables, batch).compile(),
        "update": update.compile(),
    }


def temporaries_of(ledger: Ledger, phase: str, *, execute: Reading = "cpu") -> list[int]:
    """Return the bytes of the temporaries that a phase needs for each table.

    For a CPU, programs do not allocate what a chip keeps over minibatches.
    """
    held = dict.fromkeys((each.owner for each in ledger.entries), 0)
    for each in ledger.entries:
        is_kept = each.name in KEPT and execute == "cpu"
        if each.kind in ("simulator", "temporary") and each.phase == phase and not is_kept:
            held[each.owner] += -(-each.bytes // ALIGNMENT) * ALIGNMENT
    return list(held.values())


def check_single(devices: int, minibatching: str, execute: Reading = "cpu") -> None:
    """Check that the temporaries of one table are those that XLA allocates."""
    sc.configure(execute=execute)
    layer = layer_of(devices, minibatching, tables=1)
    for phase, program in programs_of(layer).items():
        (listed,) = temporaries_of(layer.ledger(), phase, execute=execute)
        found = program.memory_analysis().temp_size_in_bytes
        assert abs(found - listed) < SMALL, (phase, found, listed)


def check_several(devices: int) -> None:
    """Check that XLA shares temporaries between tables, whose programs run one after another."""
    layer = layer_of(devices, "vocabulary")
    for phase, program in programs_of(layer).items():
        listed = temporaries_of(layer.ledger(), phase)
        found = program.memory_analysis().temp_size_in_bytes
        assert max(listed) - SMALL < found < sum(listed) + SMALL, (phase, found, listed)


def check_arguments(devices: int) -> None:
    """Check that arguments of an update are table, slots, buffers of one step, and gradients."""
    layer = layer_of(devices, "off")
    entries = layer.ledger().entries
    held = sum(each.bytes for each in entries if each.kind in ("table", "slot"))
    held += sum(each.bytes for each in entries if each.kind == "input") // 2
    held += sum(each.bytes for each in entries if each.name == "gradients")
    found = programs_of(layer)["update"].memory_analysis().argument_size_in_bytes
    index = sum(each.bytes for each in entries if each.kind == "simulator" and not each.phase) // 2
    # The program on one device is also passed the index by sample.
    assert held <= found <= held + index + SMALL, (found, held, index)


def check_weights() -> None:
    """Check that of weights with a sharding, each device has its part."""
    from jax.sharding import NamedSharding, PartitionSpec

    layer = layer_of(4, "off")
    mesh = Mesh(np.array(jax.devices()[:4]), ("x",))
    split = NamedSharding(mesh, PartitionSpec(None, "x"))
    kernel = jax.device_put(np.ones((8, 16), np.float32), split)
    of_shape = jax.ShapeDtypeStruct((8, 16), np.float32, sharding=split)
    entries = layer.ledger(weights={"kernel": kernel, "shape": of_shape}).entries
    sizes = {each.name: each.bytes for each in entries if each.kind == "weights"}
    assert sizes == {"kernel": 128, "shape": 128}, json.dumps(sizes)


def check_programs(devices: int = 4) -> list[str]:
    """Check that the ledgers of a layer and of its programs have the same tables and stacks.

    Returns:
        The phases at the peaks of the programs that are checked.
    """
    layer = layer_of(devices, "off")
    expected = layer.ledger().bytes_by_kind()
    peaks: list[str] = []
    for program in programs_of(layer).values():
        found = sc.program_ledger(program)
        sums = found.bytes_by_kind()
        assert sums["table"] == expected["table"]
        if found.peak == "update":
            assert (sums["slot"], sums["stack"]) == (expected["slot"], expected["stack"])
            assert 2 * sums["input"] == expected["input"]
        peaks.append(found.peak)
    return peaks


def check_raw_ids(devices: int = 4) -> None:
    """Check that in the ledger of a program on raw ids a device has its part of table and ids."""
    from jax.sharding import PartitionSpec

    from support.embedding.transport import through_collectives

    mesh, split = Mesh(np.array(jax.devices()[:devices]), ("x",)), PartitionSpec("x")
    table, ids = np.ones((devices * 64, 8), np.float32), np.zeros((devices * 16, 2), np.int32)

    def held() -> Any:
        function = jax.shard_map(sc.lookup, mesh=mesh, in_specs=split, out_specs=split)
        entries = sc.program_ledger(jax.jit(function).lower(table, ids).compile()).entries
        return [(each.kind, each.bytes) for each in entries if each.kind in ("table", "input")]

    expected = [("table", 64 * 8 * 4), ("input", 16 * 2 * 4)]
    assert held() == expected
    with through_collectives():
        assert held() == expected
