"""Errors of programs that run once for several devices of a process: they end all, at once."""

from __future__ import annotations

import pytest

from sdykit.bridge._native import Argument, Kernel, SharedRun
from support.bridge.ffi_programs import run_python
from support.embedding.four_devices import FOUR_DEVICES

FAULTS = """
import dataclasses
from support.embedding.embedding_cases import buffers_case
from support.embedding.transport import through_collectives
def error_of(function, *arrays):
    try:
        jax.block_until_ready(mapped(function)(*arrays))
    except (jax.errors.JaxRuntimeError, ValueError) as error:
        return str(error).splitlines()[0].removeprefix("INVALID_ARGUMENT: ")
    raise AssertionError("there is no error")
def changed(case, field, at, value):
    array = getattr(case.ids, field).copy()
    array[at] = value
    return dataclasses.replace(case.ids, **{field: array})
plain = buffers_case(0, 4)
several = buffers_case(1, 4, minibatching="vocabulary", limit=2)
other = int(several.ids.num_minibatches[0]) + 1
assert other > 2
size = plain.ids.embedding_ids.size // 4
faults = [
    ("row_pointers: device 2, SparseCore 0, minibatch 0: the entries of partition 3 end at -5",
     plain, changed(plain, "row_pointers", 2 * plain.ids.row_pointers.size // 4 + 3, -5)),
    ("sample_ids: device 1, SparseCore 0, position 0: sample 77 of a SparseCore that has 3",
     plain, changed(plain, "sample_ids", size, 77)),
    ("embedding_ids: device 3, SparseCore 0, position 0: row -1 of partition",
     plain, changed(plain, "embedding_ids", 3 * size, -1)),
    ("device 0, SparseCore 0, minibatch 0: ", plain, dataclasses.replace(plain.ids,
        max_ids_per_partition=1, max_unique_ids_per_partition=1)),
    (f"num_minibatches: device 2 has {other}; expected 1 to 64, the same on all devices",
     several, changed(several, "num_minibatches", 2, other)),
    ("num_minibatches: device 3 has 65; expected 1 to 64, the same on all devices",
     several, changed(several, "num_minibatches", 3, 65)),
    ("num_minibatches: device 3 has 0; expected 1 to 64, the same on all devices",
     several, changed(several, "num_minibatches", 3, 0)),
]
gradients = np.ones((48, 8), np.float32)
functions = {
    "lookup": (lambda table, ids, _: sc.lookup(table, ids)),
    "grad_update": lambda table, ids, each: sc.grad_update(
        table, {}, ids, None, each, optimizer=SGD(1.0))[0],
}
for text, case, wrong in faults:
    for name, function in functions.items():
        found = error_of(function, case.flat, wrong, gradients)
        assert found.startswith(f"{name}: {text}"), found
        with through_collectives():
            assert found == error_of(lambda *each: function(*each), case.flat, wrong, gradients)
"""

WAITING = """
import time
from jax._src.dispatch import runtime_tokens
from sdykit.bridge import ffi
FAILS = '''
func.func @fails(%x: memref<?xf32>, %status: memref<8xi64> {sparsecore.status})
    attributes {sparsecore.entry, sparsecore.messages = ["", "device 2 ends here"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    memref.store %one, %status[%c0] : memref<8xi64>
  }
  return
}
'''
def after(seconds, x):
    def wait(x):
        time.sleep(seconds)
        return x
    return jax.pure_callback(wait, x, x, vmap_method="sequential")
def fail(x):
    (x,) = ffi.call(FAILS, [x], [x], input_output_aliases={0: 0})
    return x
def step(of_others, of_bad):
    def run(table, ids):
        is_bad = jax.lax.axis_index("x") == 2
        bad, good = (lambda x: fail(after(of_bad, x))), (lambda x: after(of_others, x))
        flat = jax.lax.cond(is_bad, bad, good, table.reshape(-1))
        return sc.lookup(flat.reshape(table.shape), ids)
    return jax.jit(jax.shard_map(run, mesh=mesh, in_specs=split, out_specs=split, check_vma=False))
table, ids = put(np.ones((32, 8), np.float32)), put(np.zeros((16, 2), np.int32))
# Device 2 comes to an error instead of the lookup: when the others wait there, and before they come.
for of_others, of_bad in ((0, 1), (1, 0)):
    start = time.perf_counter()
    try:
        jax.block_until_ready(step(of_others, of_bad)(table, ids))
        raise AssertionError("there is no error")
    except (jax.errors.JaxRuntimeError, ValueError) as error:
        assert "device 2 ends here" in str(error), error
    # Devices would wait for two minutes for one that does not come.
    assert time.perf_counter() - start < 60
    runtime_tokens.clear()  # Callbacks leave the error to the end of the process.
"""

EXPORTED = """
from jax import export
import sys
table, ids = np.ones((32, 8), np.float32), np.zeros((16, 2), np.int32)
checks = [export.DisabledSafetyCheck.custom_call("sdykit_sparsecore")]
run = mapped(lambda *each: sc.lookup(*each))
placed = (put(table), put(ids))
text = export.export(run, disabled_checks=checks)(*placed).serialize()
# As in one of two processes, which has half of the devices.
devices_of, half = jax.local_devices, jax.local_devices()[:2]
jax.local_devices = lambda *_, **__: half
try:
    jax.block_until_ready(jax.jit(export.deserialize(bytearray(text)).call)(*placed))
    raise AssertionError("there is no error")
except (jax.errors.JaxRuntimeError, ValueError) as error:
    assert (
        "@lookup: the program runs once for 4 devices, in the memory of one process, and this process "
        "has 2; expected a program that is traced, or exported, where jax.process_count() is that of "
        "the processes it runs on"
    ) in str(error), error
jax.local_devices = devices_of
found = export.deserialize(bytearray(text)).call(*placed)
assert np.array_equal(np.asarray(found), np.full((16, 8), 2, np.float32))
"""

MISSING = """
import time
from sdykit.bridge import _native
_native.set_rendezvous_timeout(1000)
table, ids = put(np.ones((32, 8), np.float32)), put(np.zeros((16, 2), np.int32))
def some(table, ids):
    look = lambda: sc.lookup(table, ids)
    none = lambda: jax.lax.pcast(jnp.zeros((4, 8), jnp.float32), "x", to="varying")
    return jax.lax.cond(jax.lax.axis_index("x") % 2 == 0, look, none)
start = time.perf_counter()
try:
    jax.block_until_ready(mapped(some)(table, ids))
    raise AssertionError("there is no error")
except jax.errors.JaxRuntimeError as error:
    assert (
        "@lookup: of 4 devices, these have not come to it within 1 s: 1, 3; expected all to run the "
        "program: see whether an error has ended one of them, or whether it is waiting for the others"
    ) in str(error), error
assert time.perf_counter() - start < 60
# The next execution is not concerned.
found = mapped(lambda *each: sc.lookup(*each))(table, ids)
assert np.array_equal(np.asarray(found), np.full((16, 8), 2, np.float32))
"""


@pytest.mark.parametrize(
    "program",
    [FAULTS, WAITING, EXPORTED, MISSING],
    ids=["wrong buffers", "others wait", "exported", "missing devices"],
)
def test_on_four_devices(program: str) -> None:
    """The programs assert what they are about; the last line shows that they came to their end."""
    assert run_python(f"{FOUR_DEVICES}{program}\nprint('done')") == "done\n"


PLACE, DATA = Argument("place", "i32", [2]), Argument("data", "f32", [-1])
OFFSETS, WORK = Argument("", "i64", [2, 4]), Argument("work", "i64", [2, -1])
SHARED = {"devices": 4, "place": 0, "offsets": 2, "workspaces": [(3, [2, 10], 160)]}


@pytest.mark.parametrize(
    ("changes", "arguments", "expected"),
    [
        ({"place": 9}, {}, "the place is argument 9; expected a number below 4"),
        ({"place": 1}, {}, "the place is float32[?]; expected int32[2]"),
        ({"devices": 3}, {}, "the offsets are int64[2,4]; expected int64[2,3], for each array"),
        (
            {"workspaces": [(3, [4, 10], 320)]},
            {},
            "the workspace is int64[4,10]; expected int64[2,?]",
        ),
        ({"workspaces": [(3, [2], 16)]}, {}, "the workspace is int64[2]; expected int64[2,?]"),
        (
            {},
            {"recorded": 1},
            "runs for several devices, and is recorded, counts or is asynchronous",
        ),
    ],
)
def test_kernels_that_cannot_be_shared(
    changes: dict[str, object], arguments: dict[str, int], expected: str
) -> None:
    shared = SharedRun(**{**SHARED, **changes})  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match=r".") as error:
        Kernel(
            "k",
            [],
            [PLACE, DATA, OFFSETS, WORK],
            aliases=[],
            status=None,
            shared=shared,
            messages=[],
            scratch_bytes=0,
            serial_bytes=0,
            **arguments,  # pyright: ignore[reportArgumentType]
        )
    assert expected in str(error.value)
