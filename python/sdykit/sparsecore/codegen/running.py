"""Run a compiled program on numpy arrays, for tests and tools."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.codegen.compiled import ALIGNMENT, Argument, Phase, Program
from sdykit.sparsecore.codegen.errors import RunError
from sdykit.sparsecore.threads import Scratch, run_jobs

Array = npt.NDArray[np.generic]
_PHASE = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p
)
_DTYPES = {
    "bf16": ("bfloat16",),
    "f16": ("float16",),
    "f32": ("float32",),
    "f8E4M3B11FNUZ": ("float8_e4m3b11fnuz",),
    "f8E4M3FN": ("float8_e4m3fn",),
    "f8E5M2": ("float8_e5m2",),
    "i2": ("int2", "uint2"),
    "i4": ("int4", "uint4"),
    "f64": ("float64",),
    "i1": ("bool",),
    "i8": ("int8", "uint8"),
    "i16": ("int16", "uint16"),
    "i32": ("int32", "uint32"),
    "i64": ("int64", "uint64"),
    "index": ("int64", "uint64"),
}
"""Names of the numpy types that may hold an MLIR type: integers in MLIR are signless."""


def run(program: Program, arrays: Sequence[Array], threads: int = 1) -> None:
    """Run all phases in order, in place; stop after a phase that reports an error in the status.

    Args:
        program: the program.
        arrays: an array for each argument, row-major and writable.
        threads: the number of threads; each runs a contiguous range of a phase's iterations.

    Raises:
        RunError: an array does not fit its argument, or `threads` is less than 1.
    """
    if threads < 1:
        raise RunError(f"threads is {threads}; expected 1 or more")
    arguments = program.interface.arguments
    if len(arrays) != len(arguments):
        raise RunError(
            f"found {len(arrays)} arrays; expected {len(arguments)}, one for each argument"
        )
    for number, (array, argument) in enumerate(zip(arrays, arguments, strict=True)):
        _check(f"argument {number}", array, argument)
    _check_aliasing(arrays, arguments)
    dims = [
        size
        for array, argument in zip(arrays, arguments, strict=True)
        for size, static in zip(array.shape, argument.shape, strict=True)
        if static is None
    ]
    c_dims = (ctypes.c_int64 * max(len(dims), 1))(*dims)
    # A status for each thread: of several errors, that of the lowest iteration is reported.
    copies = [_with_copied_status(program, arrays) for _ in range(threads)]
    for phase in program.phases:
        count = phase.size(dims)
        edges = [count * k // threads for k in range(threads + 1)]
        jobs = [
            _job(program, phase, (_pointers(own), c_dims), iterations)
            for own, iterations in zip(copies, itertools.pairwise(edges), strict=True)
        ]
        run_jobs(jobs, threads)
        if _has_failed(program, arrays, copies):
            return


def _with_copied_status(program: Program, arrays: Sequence[Array]) -> list[Array]:
    status = program.interface.status
    return [each.copy() if at == status else each for at, each in enumerate(arrays)]


def _pointers(arrays: Sequence[Array]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * max(len(arrays), 1))(*(array.ctypes.data for array in arrays))


def _has_failed(program: Program, arrays: Sequence[Array], copies: Sequence[list[Array]]) -> bool:
    """Copy the first status with an error to the caller's array; return whether there is one."""
    status = program.interface.status
    if status is None:
        return False
    found = next((own[status] for own in copies if own[status].flat[0]), None)
    if found is None:
        return False
    arrays[status][...] = found
    return True


def _job(
    program: Program,
    phase: Phase,
    data: tuple[ctypes.Array[ctypes.c_void_p], ctypes.Array[ctypes.c_int64]],
    iterations: tuple[int, int],
) -> Callable[[Scratch], None]:
    size = program.interface.scratch_bytes + ALIGNMENT

    def job(scratch: Scratch) -> None:
        arena = scratch.array("arena", size, np.uint8).ctypes.data
        start = -(-arena // ALIGNMENT) * ALIGNMENT
        _PHASE(phase.address)(*data, *iterations, start)

    return job


def _check(where: str, array: Array, argument: Argument) -> None:
    expected = _DTYPES[argument.dtype]
    if array.dtype.name not in expected or not array.dtype.isnative:
        raise RunError(f"{where} has dtype {array.dtype}; expected {' or '.join(expected)}")
    shape = tuple("?" if size is None else size for size in argument.shape)
    fits = len(shape) == array.ndim and all(
        wanted in ("?", size) for wanted, size in zip(shape, array.shape, strict=False)
    )
    if not fits:
        wanted = ", ".join(str(size) for size in shape)
        raise RunError(f"{where} has shape {array.shape}; expected ({wanted})")
    if not array.flags.c_contiguous:
        raise RunError(
            f"{where} has strides {array.strides}; expected a row-major, contiguous array, "
            "such as np.ascontiguousarray makes"
        )
    if not array.flags.writeable:
        raise RunError(f"{where} is read-only; expected a writable array, such as a copy")
    if argument.aligned and array.ctypes.data % ALIGNMENT:
        raise RunError(
            f"{where} is misaligned by {array.ctypes.data % ALIGNMENT} of {ALIGNMENT} bytes; "
            "expected an aligned array, since the argument has the attribute sparsecore.aligned"
        )
    if array.ctypes.data % array.dtype.itemsize:
        raise RunError(
            f"{where} is misaligned by {array.ctypes.data % array.dtype.itemsize} of the "
            f"{array.dtype.itemsize} bytes of an element; expected an aligned array"
        )


def _check_aliasing(arrays: Sequence[Array], arguments: Sequence[Argument]) -> None:
    for number, argument in enumerate(arguments):
        others = [k for k in range(len(arrays)) if k != number] if argument.noalias else []
        for other in others:
            if np.may_share_memory(arrays[number], arrays[other]):
                raise RunError(
                    f"argument {number} shares memory with argument {other}; expected an array of "
                    "its own, since the argument has the attribute sparsecore.noalias"
                )
