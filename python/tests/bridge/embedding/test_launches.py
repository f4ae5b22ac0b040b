"""Launch ids: all cores of all devices execute the same launch of a program."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge import ffi
from sdykit.bridge.embedding.programs import shared_errors
from support.bridge.ffi_programs import run_python
from support.embedding.embedding_cases import buffers_case

RUN_ERRORS = (jax.errors.JaxRuntimeError, ValueError)
EXPECTED = "; expected that all cores execute one launch"


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    sc.configure()


def looked_up(jitted: bool = True) -> np.ndarray:
    case = buffers_case(0)
    lookup: Any = partial(sc.lookup)  # A new function: JAX keeps what it has traced before.
    return np.asarray((jax.jit(lookup) if jitted else lookup)(case.flat, case.ids))


@pytest.mark.parametrize("jitted", [True, False])
def test_of_one_launch_nothing_is_reported(jitted: bool) -> None:
    """Without `jax.jit`, too, the exchange and the program are one execution."""
    sc.configure(execute="chip")
    plain = looked_up()
    sc.configure(execute="chip", xla_tpu_verify_launch_id_across_cores=True)
    np.testing.assert_array_equal(looked_up(jitted), plain)


def test_xla_tpu_verify_launch_id_across_cores_finds_another_launch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = shared_errors.launches_of
    monkeypatch.setattr(shared_errors, "launches_of", lambda *given: plain(*given) + 1)
    sc.configure(execute="chip", xla_tpu_verify_launch_id_across_cores=True)
    with pytest.raises(RUN_ERRORS) as raised:
        looked_up()
    found = str(raised.value).splitlines()[0].removeprefix("INVALID_ARGUMENT: ")
    assert found.startswith("lookup: launch: SparseCore 0 executes launch "), found
    assert found.endswith(EXPECTED), found


def test_without_xla_tpu_verify_launch_id_across_cores_nothing_is_exchanged() -> None:
    case = buffers_case(0)

    def lowered() -> str:
        return jax.jit(partial(sc.lookup)).lower(case.flat, case.ids).as_text()

    sc.configure(execute="chip")
    assert "@launch(" not in lowered()
    sc.configure(execute="chip", xla_tpu_verify_launch_id_across_cores=True)
    assert "@launch(" in lowered()


def test_with_programs_for_a_cpu_a_warning_says_that_nothing_is_checked() -> None:
    text = "xla_tpu_verify_launch_id_across_cores is True, and has no effect with execute='cpu'"
    with pytest.warns(UserWarning, match=text) as caught:
        sc.configure(xla_tpu_verify_launch_id_across_cores=True)
    assert [each.filename for each in caught] == [__file__]


DEVICES = """
import jax, numpy as np
from jax.sharding import PartitionSpec as P
import sdykit.sparsecore as sc
from sdykit.bridge.embedding.programs import shared_errors
sc.configure(execute="chip", xla_tpu_verify_launch_id_across_cores=True)
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
table, ids = np.arange(64, dtype=np.float32).reshape(16, 4), np.arange(32).reshape(16, 2) % 16
plain = shared_errors.launches_of
def run():
    mapped = jax.shard_map(lambda *given: sc.lookup(*given), mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    return np.asarray(jax.jit(mapped)(table, ids))
def others(everyone, arrays):
    found = plain(everyone, arrays)
    # Device 2 sends another id: in its low word, or in its high one.
    return found.at[2 * 2 + word].add(1) if sender == "one" else found.at[word].add(everyone.device() == 2)
assert np.array_equal(run(), table[ids].sum(1))
shared_errors.launches_of = others
for sender in ("one", "seen by one"):
    for word in (0, 1):
        try:
            run()
        except (jax.errors.JaxRuntimeError, ValueError) as error:
            print(str(error).splitlines()[0].partition("launch: ")[2])
"""


def test_a_launch_of_one_device_ends_all_devices() -> None:
    """A wrong id that all devices receive, and one that a single device receives: all fail together."""
    flags = "--xla_force_host_platform_device_count=4"
    lines = run_python(DEVICES, XLA_FLAGS=flags).splitlines()
    assert len(lines) == 4
    for line, device in zip(lines, (2, 2, 0, 0), strict=True):
        assert line.startswith("SparseCore 0 executes launch "), line
        assert f", and device {device} launch " in line
        assert line.endswith(EXPECTED)


PROGRAM = """
func.func @all(%out: memref<4xi32>, %launch: memref<{type} {{sparsecore.launch}})
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {{
    %id = memref.load %launch[%c0] : memref<{type}
    %low = arith.trunci %id : i64 to i32
    memref.store %low, %out[%i] : memref<4xi32>
  }}
  return
}}
"""


def test_all_iterations_of_all_calls_of_an_execution_have_one_id() -> None:
    shape = jax.ShapeDtypeStruct((4,), jnp.int32)

    @jax.jit
    def run() -> list[jax.Array]:
        return [ffi.call(PROGRAM.format(type="1xi64>"), [], [shape])[0] for _ in range(2)]

    first, again = np.asarray(run()), np.asarray(run())
    assert len(np.unique(first)) == 1
    assert len(np.unique(again)) == 1
    assert first[0, 0] != again[0, 0]


def test_a_launch_of_another_type_is_an_error() -> None:
    shape = jax.ShapeDtypeStruct((4,), jnp.int32)
    with pytest.raises(RUN_ERRORS, match=r"the launch is int64\[2\]; expected int64\[1\]"):
        jax.block_until_ready(ffi.call(PROGRAM.format(type="2xi64>"), [], [shape]))
