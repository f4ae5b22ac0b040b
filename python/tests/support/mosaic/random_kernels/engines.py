"""Running a random kernel in each engine."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.codegen import run as run_program
from sdykit.sparsecore.codegen import take_report
from sdykit.sparsecore.codegen.compiled import LOCKSTEP, SUBCORE
from sdykit.sparsecore.mosaic.buffers import Buffers, names_of
from sdykit.sparsecore.mosaic.kernel import read_kernel
from sdykit.sparsecore.mosaic.lowering.compile import compile_kernel
from sdykit.sparsecore.mosaic.reference.run import run
from sdykit.sparsecore.mosaic.reports import KernelError, decode
from sdykit.sparsecore.mosaic.spec import Mode, MosaicChip, MosaicSpec, Order
from sdykit.sparsecore.mosaic.types import dtype_of
from support.codegen.tile_programs import assert_same, random_values
from support.mosaic.random_kernels.calls import random_calls
from support.mosaic.random_kernels.program import RandomKernel, random_kernel

Array = npt.NDArray[Any]

ORDERS: tuple[Order, ...] = ("lockstep", "subcore", 20261123)
"""Orders in which subcores advance: together, each as far as it goes, drawn."""


def spec_of(kernel: RandomKernel, mode: Mode, order: Order) -> MosaicSpec:
    """Return how an engine runs a kernel."""
    chip = MosaicChip(
        name="7x", cores=2, subcores=16, lanes=kernel.lanes, vmem_bytes=1 << 19, granule=32
    )
    return MosaicSpec(
        name="random",
        module=kernel.text,
        operands=len(kernel.inputs),
        chip=chip,
        mode=mode,
        order=order,
        input_output_aliases=kernel.aliases,
    )


def arrays_of(kernel: RandomKernel, seed: int) -> list[Array]:
    """Return operands, and results that hold anything."""
    inputs = [
        random_values(element, int(np.prod(shape)), seed).reshape(shape)
        for shape, element in kernel.inputs
    ]
    return [*inputs, *(np.zeros(shape, dtype_of(element)) for shape, element in kernel.outputs)]


def in_reference(kernel: RandomKernel, order: Order, seed: int) -> list[Array]:
    """Return the results of the reference machine."""
    return _referenced(kernel, order, arrays_of(kernel, seed))


def _referenced(kernel: RandomKernel, order: Order, arrays: list[Array]) -> list[Array]:
    spec = spec_of(kernel, "reference", order)
    run(read_kernel(kernel.text, "random"), arrays, spec)
    return arrays[len(kernel.inputs) :]


def in_machine_code(kernel: RandomKernel, mode: Mode, order: Order, seed: int) -> list[Array]:
    """Return the results of the compiled kernel."""
    return _compiled(kernel, mode, order, arrays_of(kernel, seed))


def _compiled(kernel: RandomKernel, mode: Mode, order: Order, arrays: list[Array]) -> list[Array]:
    program = compile_kernel(spec_of(kernel, mode, order), cache=None)
    status = np.zeros(8, np.int64)
    settings = [] if program.interface.settings is None else [settings_of(order, mode)]
    # A result that an operand is aliased with is no argument of the program.
    own = {id(array): _in_bytes(array).reshape(-1) for array in arrays}
    run_program(program, [*own.values(), *settings, status])
    report = take_report(program.interface, status)
    if report:
        read = read_kernel(kernel.text, "random")
        raise KernelError(decode(report), names_of(read, Buffers(read)))
    results = [own[id(array)].astype(array.dtype).reshape(array.shape) for array in arrays]
    return results[len(kernel.inputs) :]


def run_calls(
    kernels: Sequence[RandomKernel], mode: Mode, order: Order, seed: int
) -> list[list[Array]]:
    """Return the results of kernels, each of which gets the semaphores of the one before."""
    found: list[list[Array]] = []
    for kernel in kernels:
        shape, element = kernel.inputs[0]
        values = random_values(element, int(np.prod(shape)), seed).reshape(shape)
        inputs = [values, *(each.copy() for each in found[-1][1:])] if found else [values]
        aliased = {result: operand for operand, result in kernel.aliases}
        results = [
            inputs[aliased[number]] if number in aliased else np.zeros(shape, np.int32)
            for number, (shape, _) in enumerate(kernel.outputs)
        ]
        arrays = [*inputs, *results]
        if mode == "reference":
            found.append(_referenced(kernel, order, arrays))
        else:
            found.append(_compiled(kernel, mode, order, arrays))
    return found


def _in_bytes(array: Array) -> Array:
    """Return an array as machine code has it: elements of 4 bits are bytes with the same value."""
    return array.astype(np.int8) if array.dtype == dtype_of("i4") else array


def settings_of(order: Order, mode: Mode) -> Array:
    """Return the settings of the machine: order, races as errors, checks in `check`."""
    named = {"lockstep": LOCKSTEP, "subcore": SUBCORE}
    number = order if isinstance(order, int) else named[order]
    return np.array([number, 2, mode == "check", 0], np.int64)


def assert_engines_agree(seed: int, *, meets: bool, modes: Sequence[Mode]) -> None:
    """Run the kernel of a seed in all orders, in the reference and compiled: the same bits.

    Args:
        seed: the seed of the kernel and of its operands.
        meets: whether its subcores wait for each other.
        modes: how it is compiled.
    """
    kernel = random_kernel(seed, meets=meets)
    expected = in_reference(kernel, ORDERS[0], seed)
    for order in ORDERS[1:]:
        _assert_same(in_reference(kernel, order, seed), expected, f"seed {seed}, order {order}")
    for mode in modes:
        for order in ORDERS if meets else ORDERS[:1]:
            found = in_machine_code(kernel, mode, order, seed)
            _assert_same(found, expected, f"seed {seed}, {mode}, order {order}")


def assert_calls_agree(seed: int, *, modes: Sequence[Mode]) -> None:
    """Run the chain of kernels of a seed in all orders, in the reference and compiled: the same bits.

    Args:
        seed: the seed of the kernels and of their operands.
        modes: how they are compiled.
    """
    kernels = random_calls(seed)
    expected = run_calls(kernels, "reference", ORDERS[0], seed)
    engines: list[Mode] = ["reference", *modes]
    for mode, order in itertools.product(engines, ORDERS):
        found = run_calls(kernels, mode, order, seed)
        for number, (own, other) in enumerate(zip(found, expected, strict=True)):
            _assert_same(own, other, f"seed {seed}, call {number}, {mode}, order {order}")


def _assert_same(found: list[Array], expected: list[Array], what: str) -> None:
    for number, (a, b) in enumerate(zip(found, expected, strict=True)):
        assert_same(_in_bytes(a).ravel(), _in_bytes(b).ravel(), f"{what}, result {number}")
