"""Executables are kept, but not more than a process can have."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit.spmd.devices import client


def program(number: int) -> str:
    return f"""
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %c = stablehlo.constant dense<{number}.0> : tensor<2xf32>
  %0 = stablehlo.add %x, %c : tensor<2xf32>
  return %0 : tensor<2xf32>
}}"""


def run(number: int) -> None:
    x = np.ones(2, np.float32)
    ((found,),) = client.run_replicas(program(number), [[x]], 1)
    np.testing.assert_array_equal(found, x + number)


@pytest.mark.parametrize("is_near", [True, False])
def test_executables_are_forgotten_before_a_process_has_too_many_mappings(
    monkeypatch: pytest.MonkeyPatch, is_near: bool
) -> None:
    """XLA maps memory for each kernel, and crashes where the system refuses it."""
    client._compiled.cache_clear()  # Its executables have mappings, too.
    mappings = client._mappings()
    assert mappings > 0
    monkeypatch.setattr(client, "_limit", lambda: mappings if is_near else 100 * mappings)
    for number in range(client._KEPT_EXECUTABLES + 2):
        run(number)
    kept = client._compiled.cache_info().currsize
    assert kept == (2 if is_near else client._KEPT_EXECUTABLES + 2)
    run(client._KEPT_EXECUTABLES + 1)
    assert client._compiled.cache_info().hits == 1
