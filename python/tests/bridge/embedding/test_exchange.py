"""Ids of several processes: each travels to the device that owns its row, and the row back."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from support import SUPPORT
from support.bridge.ffi_programs import run_python
from support.embedding.process_runs import KINDS
from support.embedding.processes import run_processes

MANY_DEVICES = SUPPORT / "embedding/many_devices.py"
RUNS = SUPPORT / "embedding/process_runs.py"
WORKER = SUPPORT / "embedding/exchange_worker.py"
IS_SOAK = bool(os.environ.get("SDYKIT_SOAK"))
PROCESSES = (2, 4) if IS_SOAK else (2,)
CAPACITIES = ((4, 8), (8, 16)) if IS_SOAK else ((4, 8),)

START = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import numpy as np
import jax, jax.numpy as jnp
from unittest import mock
from jax.sharding import AxisType, PartitionSpec as P
import sdykit.sparsecore as sc
from sdykit.bridge.embedding.axes import Axes
from sdykit.sparsecore.exchange import Exchange
from sdykit.sparsecore.optimizers import SGD, Adagrad

mesh = jax.make_mesh((2, 4), ("r", "x"), axis_types=(AxisType.Auto,) * 2)
mock.patch.object(Axes, "are_in_one_process", return_value=False).start()
def mapped(function, in_specs, out_specs=P(("r", "x")), **options):
    split = jax.shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs)
    return jax.jit(split, **options)
"""

SENT = """
from sdykit.explain.costs.compiled import collectives_in
from sdykit.hlo import read

sizes = Exchange(4, 512, 8, 12, 1024)
assert not sizes.sends_rows
sizes = Exchange(4, 4096, 1, 12, 1024)
assert sizes.sends_rows
def step(table, ids):
    rows = sc.lookup(table, ids, axis_name="x")
    return sc.grad_update(table, {}, ids, None, rows, optimizer=SGD(0.1), axis_name="x")[0]
table = jax.ShapeDtypeStruct((4096, 12), jnp.float32)
ids = jax.ShapeDtypeStruct((4 * 4096, 1), jnp.int32)
compiled = mapped(step, P("x"), P("x")).lower(table, ids).compile()
found = list(collectives_in(read(compiled.as_text(), "step"), 8))
assert {each.kind for each in found} == {"all_reduce", "all_to_all"}
sent = [each.bytes for each in found if each.kind == "all_to_all"]
assert len(sent) == 3  # Ids, their rows, and ids with sums of gradients.
sent = sum(sent)
assert sent == sizes.lookup_bytes + sizes.update_bytes, (sent, sizes)
# What is agreed on: only if there is another round, where it begins; only if there is an error, its status.
agreed = sum(each.operand_bytes for each in found if each.kind == "all_reduce")
assert agreed == 2 * (4 * 4 + 64), agreed
"""

IN_PLACE = """
mock.patch.object(Exchange, "sends_rows", True).start()
mock.patch.object(Exchange, "capacity", 8).start()
def step(table, slots, ids):
    rows = sc.lookup(table, ids, axis_name="x")
    return sc.grad_update(table, slots, ids, None, rows, optimizer=Adagrad(0.1), axis_name="x")
run = mapped(step, P("x"), P("x"), donate_argnums=(0, 1))
def put(array):
    # A copy, as JAX does not own the memory of arrays of numpy.
    return jax.jit(jnp.copy)(jax.device_put(array, jax.NamedSharding(mesh, P("x"))))
table = put(np.ones((4096, 8), np.float32))
slots = {"accumulator": put(np.full((4096, 8), 0.1, np.float32))}
ids = put(np.arange(256, dtype=np.int32).reshape(128, 2))
def addresses(tree):
    return [shard.data.unsafe_buffer_pointer()
            for each in jax.tree.leaves(tree) for shard in each.addressable_shards]
before = addresses((table, slots))
after = run(table, slots, ids)
assert addresses(after) == before
changed = np.nonzero((np.asarray(after[0]) != 1).any(axis=1))[0]
assert np.array_equal(changed, np.arange(256))
"""

ERRORS = """
mock.patch.object(Exchange, "sends_rows", True).start()
table, good = np.ones((64, 8), np.float32), np.zeros((64, 2), np.int32)
def ends_with(function, expected, *arrays):
    specs = (P("x"), *[P(("r", "x"))] * (len(arrays) - 1))
    try:
        jax.block_until_ready(mapped(function, specs)(*arrays))
    except (jax.errors.JaxRuntimeError, ValueError) as error:
        assert expected in str(error), error
        return
    raise AssertionError(expected)

def bad(sample, position, id):
    ids = good.copy()
    ids[sample, position] = id
    return ids
look = lambda table, ids: sc.lookup(table, ids, axis_name="x")
# The second group of devices has its own samples.
for sample, of_group in ((37, 5), (3, 3)):
    text = f"lookup: ids: sample {of_group}, position 1: id 64 is not in the vocabulary of 64 rows"
    ends_with(look, text, table, bad(sample, 1, 64))
def update(table, ids):
    gradients = jnp.ones((ids.shape[0], 8))
    new = sc.grad_update(table, {}, ids, None, gradients, optimizer=SGD(0.1), axis_name="x")[0]
    return new[: ids.shape[0]] + 0 * gradients
ends_with(update, "grad_update: ids: sample 31, position 0: id 2147483647 is not",
          table, bad(31, 0, 2**31 - 1))
weights = np.ones((64, 2), np.float32)
weights[20] = 1, -1
ends_with(lambda *each: sc.lookup(*each, combiner="mean", axis_name="x"),
          "lookup: weights: those of sample 20", table, good, weights)
# In a branch that the other group does not take.
def branch(table, ids):
    none = lambda: jax.lax.pcast(jnp.zeros((ids.shape[0], 8)), ("r", "x"), to="varying")
    return jax.lax.cond(jax.lax.axis_index("r") == 0, lambda: look(table, ids), none)
ends_with(branch, "lookup: ids: sample 3, position 0: id 70 is not", table, bad(3, 0, 70))
found = mapped(branch, (P("x"), P(("r", "x"))))(table, bad(50, 0, 70))
assert np.array_equal(np.asarray(found).sum(axis=1), np.repeat([16, 0], 32))
"""

BUFFERS = """
import dataclasses
from support.embedding import embedding_cases as cases

case = cases.buffers_case(0, 4, layout="jax_tpu_embedding", dim=12)
look = lambda table, ids: sc.lookup(table, ids, axis_name="x")
def update(table, ids):
    gradients = jnp.ones((12, 12))
    return sc.grad_update(table, {}, ids, None, gradients, optimizer=SGD(0.1), axis_name="x")[0]
def text_of(function, ids, sends_rows):
    with mock.patch.object(Exchange, "sends_rows", sends_rows):
        try:
            jax.block_until_ready(mapped(lambda *each: function(*each), P("x"), P("x"))(case.flat, ids))
        except (jax.errors.JaxRuntimeError, ValueError) as error:
            return str(error)
def changed(name, at, value):
    array = np.array(getattr(case.ids, name))
    array[at] = value
    return dataclasses.replace(case.ids, **{name: array})
size, pointers = len(case.ids.embedding_ids) // 4, len(case.ids.row_pointers) // 4
limited = {"max_ids_per_partition": 3, "max_unique_ids_per_partition": 3}
wrong = {
    "embedding_ids: device 2, SparseCore 0, position 0: row 99": changed("embedding_ids", 2 * size, 99),
    "sample_ids: device 3, SparseCore 0, position 0: sample -1": changed("sample_ids", 3 * size, -1),
    "row_pointers: device 1, SparseCore 0": changed("row_pointers", pointers, 2**30),
    "max_ids_per_partition": dataclasses.replace(case.ids, **limited),
}
for expected, ids in wrong.items():
    for function in (look, update):
        texts = [text_of(function, ids, sends_rows) for sends_rows in (True, False)]
        assert texts[0] == texts[1] and expected in texts[0], (expected, texts)
assert text_of(look, case.ids, True) is None
"""

DTYPES = """
mock.patch.object(Exchange, "sends_rows", True).start()
rng = np.random.default_rng(0)
ids = rng.integers(-1, 64, (64, 2)).astype(np.int32)
for dtype in (jnp.bfloat16, jnp.int8, jnp.int32, jnp.float32):
    table = jnp.asarray(rng.normal(size=(64, 12)) * 50, dtype)
    for quantization in (None, sc.Quantization(-20, 20, 256))[: 1 + (dtype != jnp.int32)]:
        more = {"quantization": quantization, "axis_name": "x"}
        look = lambda table, ids: sc.lookup(table, ids, **more)
        found = mapped(look, (P("x"), P(("r", "x"))))(table, ids)
        # Two terms have one order, and two are all that a sample has.
        expected = sc.lookup(table, ids, quantization=quantization)
        assert np.array_equal(found, expected), (dtype, quantization)
"""


@pytest.mark.parametrize(("devices", "capacity"), CAPACITIES)
def test_results_are_bit_for_bit_those_of_the_reference(devices: int, capacity: int) -> None:
    given = [f"--devices={devices}", f"--capacity={capacity}", "--runs=5"]
    done = subprocess.run(
        [sys.executable, str(MANY_DEVICES), *given],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"5 runs on {devices} devices\n"


@pytest.mark.parametrize(
    "program",
    [SENT, IN_PLACE, ERRORS, BUFFERS, DTYPES],
    ids=["bytes that are sent", "in place", "errors", "errors of buffers", "element types"],
)
def test_on_eight_devices(program: str) -> None:
    """The programs assert what they find, and print nothing."""
    assert run_python(START + program) == ""


@pytest.mark.parametrize("count", PROCESSES)
def test_processes_send_what_the_model_says(count: int) -> None:
    for out in run_processes(str(WORKER), count, timeout=300):
        (line,) = (line for line in out.splitlines() if " of " in line and line[0].isdigit())
        found, expected = map(int, line.split(" of "))
        # What is agreed on, and what gloo and the service of jax.distributed say besides.
        assert expected < found < 1.05 * expected, line


@pytest.mark.parametrize("kind", KINDS if IS_SOAK else ("ids", "minibatches"))
def test_processes_go_on_after_errors(kind: str) -> None:
    for out in run_processes(str(RUNS), 2, kind, "8", timeout=300):
        # Gloo prints which processes it has found.
        assert out.splitlines()[-1] == "8 runs, 2 of them with errors"
