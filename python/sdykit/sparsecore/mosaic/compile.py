"""From the spec of a kernel to what runs it: the one place where an engine is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from sdykit.sparsecore.mosaic.kernel import Kernel, read_kernel
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.mosaic.types import dtype_of, memref_of

if TYPE_CHECKING:
    from sdykit.sparsecore.codegen import ObjectCache, Program

Arrays = list[npt.NDArray[Any]]


def compile_mosaic(
    spec: MosaicSpec, cache: ObjectCache | None
) -> Program | Callable[[Arrays], None]:
    """Return the compiled program of a kernel, or a function that runs it op by op.

    Args:
        spec: the kernel.
        cache: compiled programs that processes share; None: there is no place for them.

    Returns:
        A program, or a function. The arguments of both are the operands, then the results that alias
        none of them, each with all its elements in one dimension: int4 in a byte each. The function raises what the reference machine does.

    Raises:
        SparseCoreError: the module is no kernel.
    """
    del cache
    return _by_reference(spec, read_kernel(spec.module, spec.name))


def _by_reference(spec: MosaicSpec, kernel: Kernel) -> Callable[[Arrays], None]:
    # Kernels that have been compiled need none of this.
    from sdykit.sparsecore.mosaic.reference.run import prepare

    run = prepare(kernel, spec)

    def run_kernel(arrays: Arrays) -> None:
        own, device = _without_device(spec, arrays)
        run(_arrays_of_functions(spec, kernel, own), device)

    return run_kernel


def _without_device(spec: MosaicSpec, arrays: Arrays) -> tuple[Arrays, int]:
    """Return the arrays of the kernel, and the number of the device: 0 if the kernel does not ask."""
    if not spec.passes_device:
        return arrays, 0
    own = [array for number, array in enumerate(arrays) if number != spec.operands]
    return own, int(arrays[spec.operands][0])


def _arrays_of_functions(spec: MosaicSpec, kernel: Kernel, arrays: Sequence[Any]) -> Arrays:
    """Return an array for each operand and result, with the shape and dtype of its memref.

    A result is the same array as the operand that it aliases.
    """
    memrefs = kernel.functions[0].arrays
    given = iter(arrays)
    found = [_as_elements(next(given), memref) for memref in memrefs[: spec.operands]]
    aliased = {result: operand for operand, result in spec.input_output_aliases}
    for number, memref in enumerate(memrefs[spec.operands :]):
        is_own = number not in aliased
        found.append(_as_elements(next(given), memref) if is_own else found[aliased[number]])
    return found


def _as_elements(array: npt.NDArray[Any], memref: Any) -> npt.NDArray[Any]:
    described = memref_of(memref.type)
    # All arrays are in HBM or semaphores, whose memrefs have no dynamic sizes.
    array = array.reshape([size or 0 for size in described.shape])
    if described.is_semaphore:
        # The counts of an operand are the caller's; the kernel changes its own.
        return array if array.flags.writeable else array.copy()
    return array.view(dtype_of(described.element))
