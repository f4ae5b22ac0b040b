"""Training in a pipeline is training in loops that are written by hand, bit for bit."""

from __future__ import annotations

import pytest

import sdykit.sparsecore as sc
from sdykit.sparsecore.optimizers import SGD, Adagrad, Adam, Custom, Optimizer
from support.bridge.ffi_programs import run_python
from support.embedding.pipelines import compare


def _momentum(gradient, table, velocity, learning_rate):
    velocity = 0.9 * velocity + gradient
    return table - learning_rate * velocity, velocity


MOMENTUM = Custom(0.05, update=_momentum, slot_values=(("velocity", 0.0),))


@pytest.mark.parametrize("optimizer", [Adagrad(0.1), Adam(0.01), MOMENTUM], ids=lambda x: x.name)
def test_on_one_device(optimizer: Optimizer) -> None:
    compare(optimizer)


@pytest.mark.parametrize("steps", [1, 2])
def test_few_steps(steps: int) -> None:
    compare(SGD(0.1), steps=steps)


def test_with_quantization_and_a_rate_for_each_step() -> None:
    quantization = sc.Quantization(-0.5, 0.5, 256)
    compare(Adagrad(0.1), quantization=quantization, learning_rate=lambda step: 0.2 / (1.0 + step))


ON_DEVICES = """
import sdykit.sparsecore as sc
sc.lookup  # Sets NPROC.
from sdykit.sparsecore.optimizers import Adam
from support.embedding.pipelines import compare
compare(Adam(0.01), devices=4, quantization=sc.Quantization(-0.5, 0.5, 256))
"""


def test_on_four_devices() -> None:
    flags = "--xla_force_host_platform_device_count=4"
    assert run_python(ON_DEVICES, XLA_FLAGS=flags) == ""
