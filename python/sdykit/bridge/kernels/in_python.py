"""Kernels that Python runs, functions of numpy arrays; and those whose errors it describes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from sdykit.bridge import _native
from sdykit.bridge.kernels.specs import Call

if TYPE_CHECKING:
    from sdykit.sparsecore.codegen import Program

Arrays = list[npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class PythonProgram:
    """A program that is a function of Python.

    Attributes:
        name: its name, for messages.
        run: the function. It is called with the operands, then the results that alias none of them; an
            operand that no result aliases is read-only, and so are no others. The text of an exception is
            that of the call's error. It returns the counters of the run and the times of its scopes, if it
            counts. It runs on a thread of XLA, and must not call JAX.
    """

    name: str
    run: Callable[[Arrays], tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None]


@dataclass(frozen=True, eq=False)
class DescribedProgram:
    """A compiled program whose errors a function of Python describes.

    Attributes:
        program: the program.
        describe: the function: the words of the status of a failed run -> the text of the error.
    """

    program: Program
    describe: Callable[[Sequence[int]], str]


_programs: dict[int, PythonProgram] = {}
_describers: dict[int, Callable[[Sequence[int]], str]] = {}


def build_in_python(program: PythonProgram, call: Call) -> _native.Kernel:
    """Return the kernel of a call."""
    kernel = _native.python_kernel(program.name, aliases=call.aliases)
    _programs[kernel.number] = program
    return kernel


def run_in_python(
    number: int, arrays: list[tuple[memoryview, str, tuple[int, ...]]]
) -> tuple[list[int], list[int]] | None:
    """Run a kernel; return its counters, and times of scopes, in one row: what the native module calls."""
    counted = _programs[number].run([_array(*each) for each in arrays])
    if counted is None:
        return None
    counters, times = counted
    return counters.reshape(-1).tolist(), times.reshape(-1).tolist()


def register_describer(kernel: _native.Kernel, describe: Callable[[Sequence[int]], str]) -> None:
    """Set what describes the errors of a kernel, which is `described`."""
    _describers[kernel.number] = describe


def describe_in_python(number: int, status: list[int]) -> str:
    """Return the text of an error of a kernel: what the native module calls."""
    return _describers[number](status)


def _array(memory: memoryview, dtype: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    # Numpy itself does not know the names of the narrow types.
    return np.frombuffer(memory, getattr(ml_dtypes, dtype, dtype)).reshape(shape)
