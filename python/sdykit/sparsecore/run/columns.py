"""The long parts of a run, as columns: numpy arrays with one element, or row, for each event."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError

Integers = npt.NDArray[np.int64]
Seconds = npt.NDArray[np.floating[Any]]
Names = npt.NDArray[np.str_]
IntegerRows = npt.NDArray[np.int64]
"""Several integers in each row."""

_KINDS = {"Integers": ("iu", 1), "Seconds": ("f", 1), "Names": ("U", 1), "IntegerRows": ("iu", 2)}
"""The kind of dtype, as numpy names it, and the rank of a column, by its type."""


class Columns:
    """Columns of equal length; a subclass is a dataclass of arrays.

    Raises:
        SparseCoreError: a column has another length, rank or type.
    """

    @classmethod
    def kinds(cls) -> dict[str, tuple[str, int]]:
        """Return the kind of dtype of each column, as numpy names it, and its rank."""
        fields: Any = cls
        return {field.name: _KINDS[str(field.type)] for field in dataclasses.fields(fields)}

    def __post_init__(self) -> None:
        length = None
        for name, (kind, rank) in self.kinds().items():
            found = np.asarray(getattr(self, name))
            length = len(found) if length is None and found.ndim else length
            if found.ndim != rank or len(found) != length or found.dtype.kind not in kind:
                raise SparseCoreError(
                    f"run: {type(self).__name__}.{name} is {found.dtype}{list(found.shape)}; expected "
                    f"rank {rank}, {length} rows, and a dtype of kind {kind}"
                )
            object.__setattr__(self, name, found)

    def __len__(self) -> int:
        return len(getattr(self, next(iter(self.kinds()))))

    def where(self, chosen: npt.NDArray[Any]) -> Any:
        """Return the rows that a mask or an index array selects, as an object of the same class."""
        return type(self)(**{name: getattr(self, name)[chosen] for name in self.kinds()})


@dataclasses.dataclass(frozen=True, eq=False)
class Calls(Columns):
    """Executions of programs, in the order of their starts. Times are seconds since the recording began.

    Attributes:
        program: the number of the program in `Run.programs`.
        device: the number of the device in its process.
        step: the step of the loop; -1 before the first one that is known.
        start: when it started.
        end: when it ended.
        execution: the number of the execution of the compiled JAX function that it is part of.
    """

    program: Integers
    device: Integers
    step: Integers
    start: Seconds
    end: Seconds
    execution: Integers


@dataclasses.dataclass(frozen=True, eq=False)
class HostSpans(Columns):
    """What the host did besides, in the order of the starts.

    Attributes:
        name: what it was, such as `preprocess`, `wait for input` or `compile`.
        step: the step that the devices were in when it started; -1: none yet.
        start: when it started, in seconds since the recording began.
        end: when it ended.
        thread: the number of the thread: 0 is the one that began the recording.
    """

    name: Names
    step: Integers
    start: Seconds
    end: Seconds
    thread: Integers


@dataclasses.dataclass(frozen=True, eq=False)
class Batches(Columns):
    """What preprocessing counted, for each batch and stack; a batch's stacks follow one another.

    Attributes:
        batch: the number of the batch, counted from 0 in the order in which they were preprocessed.
        stack: the name of the stack.
        time: when its preprocessing ended, in seconds since the recording began.
        max_ids: the maximum number of ids that one SparseCore sends to each partition, before dropping
            and minibatching, `[rows, partitions]`.
        max_unique_ids: the same for distinct ids.
        dropped: the number of dropped ids.
        minibatches: the number of minibatches.
    """

    batch: Integers
    stack: Names
    time: Seconds
    max_ids: IntegerRows
    max_unique_ids: IntegerRows
    dropped: Integers
    minibatches: Integers


@dataclasses.dataclass(frozen=True, eq=False)
class ScopeSpans(Columns):
    """What subcores did in some calls of kernels: the scopes that the kernels name, call by call.

    Of a scope that a loop repeats, the first executions are rows. The last of them says what is left out.

    Attributes:
        call: the number of the call in `Run.calls`.
        core: the number of the SparseCore on the device.
        tile: the number of the vector subcore in it; -1: the scalar subcore.
        name: the name of the scope, `outer/inner`.
        start: when it began, in seconds since the recording did.
        end: when it ended.
        left_out: how many more executions there were after this one.
        left_out_seconds: how long they took.
    """

    call: Integers
    core: Integers
    tile: Integers
    name: Names
    start: Seconds
    end: Seconds
    left_out: Integers
    left_out_seconds: Seconds

    @classmethod
    def none(cls) -> ScopeSpans:
        """Return no spans."""
        numbers, times = np.zeros(0, np.int64), np.zeros(0)
        names = np.zeros(0, np.str_)
        return cls(numbers, numbers, numbers, names, times, times, numbers, times)
