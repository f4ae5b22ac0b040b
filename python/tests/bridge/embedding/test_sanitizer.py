"""The sanitizer of buffers, through JAX: its flag, and faults that are planted in programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge import ffi
from sdykit.bridge.kernels import specs
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.tile.spec import LookupSpec, spec_from_fields
from support.tile.faults import Fault, compile_faulty, overrun_in, store_before, store_in

CORES = "cores_to_sanitize: [TC, SC_SCS, SC_TILE], sanitizer_mode: LOCAL_ONLY"
RUN_ERRORS = (jax.errors.JaxRuntimeError, ValueError)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    sc.configure()


def layer(samples: int = 16) -> tuple[sc.Embedding, Any, Any]:
    """Return a layer with its variables and a batch."""
    table = sc.TableSpec("items", 40, 8, optimizer=Adagrad(0.1))
    made = sc.Embedding([sc.FeatureSpec("seen", table, samples)])
    variables = made.init(jax.random.key(0), jax.nn.initializers.normal())
    ids = np.random.default_rng(0).integers(0, 40, (samples, 3))
    return made, variables, made.preprocess({"seen": ids})


def stepped() -> list[np.ndarray]:
    """Return activations and updated variables of a step."""
    made, variables, batch = layer()
    found = jax.jit(made.lookup)(variables, batch)
    gradients = {"seen": jnp.ones((16, 8), jnp.float32)}
    updated = jax.jit(made.update)(variables, batch, gradients)
    return [np.asarray(each) for each in jax.tree.leaves((found, updated))]


def programs() -> str:
    """Return what JAX compiles for the lookup of a layer."""
    made, variables, batch = layer()
    return jax.jit(made.lookup).lower(variables, batch).as_text()


def test_xla_tpu_buffer_contents_sanitizer_config_adds_checks() -> None:
    sc.configure(execute="chip")
    plain = stepped()
    sc.configure(execute="chip", xla_tpu_buffer_contents_sanitizer_config=CORES)
    assert "SC_TILE" in programs()
    for found, expected in zip(stepped(), plain, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_without_xla_tpu_buffer_contents_sanitizer_config_there_are_none() -> None:
    for execute in ("cpu", "chip"):
        sc.configure(execute=execute)
        assert "SC_TILE" not in programs()


def test_with_programs_for_a_cpu_a_warning_says_that_nothing_is_checked() -> None:
    name = "xla_tpu_buffer_contents_sanitizer_config"
    with pytest.warns(UserWarning, match="has no effect with execute='cpu'") as caught:
        sc.configure(xla_tpu_buffer_contents_sanitizer_config="cores_to_sanitize: [TC]")
    assert [(str(each.message), each.filename) for each in caught] == [
        (
            f"{name} is 'cores_to_sanitize: [TC]', and has no effect with execute='cpu', whose programs "
            "are no chip's; configure(execute='chip') checks",
            __file__,
        )
    ]
    assert "SC_TILE" not in programs()


@pytest.mark.parametrize(
    ("samples", "fault", "expected"),
    [
        (32, store_in("gather", "entry_gains"), "step 'gather' changed 'entry_gains'"),
        (48, store_before("store", "sums"), "'sums' changed between steps 'reduce' and 'store'"),
        (64, overrun_in("all_to_all", "received"), "step 'all_to_all' changed"),
    ],
)
def test_a_planted_fault_stops_the_run(
    monkeypatch: pytest.MonkeyPatch, samples: int, fault: Fault, expected: str
) -> None:
    """The program of the flag's spec is compiled with the fault: checks and error are the user's."""

    def compile_lookup(fields: ffi.Spec, _: object) -> Any:
        return compile_faulty(spec_from_fields(fields), fault).code

    monkeypatch.setitem(specs._compilers, LookupSpec.kind, compile_lookup)
    sc.configure(execute="chip", xla_tpu_buffer_contents_sanitizer_config=CORES)
    # A process compiles a spec once: each has another number of samples.
    made, variables, batch = layer(samples)
    with pytest.raises(RUN_ERRORS) as raised:
        jax.block_until_ready(jax.jit(made.lookup)(variables, batch))
    found = str(raised.value).splitlines()[0].removeprefix("INVALID_ARGUMENT: ")
    assert found.startswith(f"lookup: table 'items' (feature 'seen'): sanitizer: {expected}"), found
