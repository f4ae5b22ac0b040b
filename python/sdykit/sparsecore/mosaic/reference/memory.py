"""Memory of the machine: where an allocation is for each subcore, and what is in it at first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.mosaic.reference.semaphores import Semaphore
from sdykit.sparsecore.mosaic.types import MemRef

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Site:
    """What a memref of a kernel is made of: an array of the call, a scratch, an allocation.

    Attributes:
        number: its number among all of the kernel.
        memref: its type.
        place: the number of the line that made it, or `NOBODY`.
    """

    number: int
    memref: MemRef
    place: int


@dataclass(eq=False, slots=True)
class Buffer:
    """The memory of a site for one owner.

    Attributes:
        site: the site.
        owner: the number of the agent that has it; for memory that agents share, what
            `checks` calls the device or the core.
        bytes: its memory; for semaphores, their positions in `semaphores`, as int64.
        semaphores: the semaphores of a site in semaphore memory.
    """

    site: Site
    owner: int
    bytes: npt.NDArray[np.uint8]
    semaphores: list[Semaphore] = field(default_factory=list)

    @property
    def address(self) -> int:
        """The address of the first byte."""
        return self.bytes.__array_interface__["data"][0]

    @property
    def array(self) -> Array:
        """All elements, in the shape of the site."""
        shape = [size or 0 for size in self.site.memref.shape]
        return self.bytes.view(self.site.memref.dtype).reshape(shape)


def bytes_of(array: Array, dtype: npt.DTypeLike) -> npt.NDArray[np.uint8]:
    """Return the memory of a row-major array whose elements are as wide as those of `dtype`."""
    return array.reshape(-1).view(dtype).view(np.uint8)


def fill_uninitialized(array: Array, how: str) -> None:
    """Fill an array with what memory holds that was never written.

    Args:
        array: the array.
        how: "nan": floats are NaN, integers 0x7f in each byte (7 in 4 bits); "zero": zeros.
    """
    array[...] = uninitialized(array.dtype, how)


def uninitialized(dtype: npt.DTypeLike, how: str) -> Any:
    """Return one element that was never written, as `fill_uninitialized` has it."""
    dtype = np.dtype(dtype)
    if how == "zero":
        return np.zeros((), dtype)[()]
    if "float" in dtype.name:
        return np.array(np.nan, dtype)[()]
    if "int4" in dtype.name:
        return np.array(7, dtype)[()]
    return np.full(dtype.itemsize, 0x7F, np.uint8).view(dtype)[0]
