"""When the parts of training steps run, from how long they take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class StepTimes:
    """The seconds of the parts of a step.

    Attributes:
        host: those in which the host prepares its batch.
        lookup: the SparseCores' forward pass.
        tensor_core: the TensorCore's part.
        update: the SparseCores' backward pass.
    """

    host: float
    lookup: float
    tensor_core: float
    update: float


@dataclass(frozen=True)
class StepStarts:
    """When the parts of a step begin, seconds since the first of all; see `StepTimes`."""

    host: float
    lookup: float
    tensor_core: float
    update: float


def schedule(steps: Sequence[StepTimes], *, pipelined: bool) -> list[StepStarts]:
    """Return when the parts of steps begin.

    A part begins when what it needs is there, and its unit is free. The host prepares the batch of the
    next step while the devices work. Without pipelining, a lookup waits for the update of the step
    before; with it, the lookup of the next step runs before the update, beside the TensorCore, so that
    it sees the updates of all steps but the last.

    Args:
        steps: the times of each step.
        pipelined: whether SparseCores look up the next step while the TensorCore works.
    """
    host_starts, host_ends = _hosts(steps)
    found: dict[tuple[str, int], float] = {}
    sparse_cores = tensor_core = 0.0
    for part, number in _order(len(steps), pipelined=pipelined):
        times = steps[number]
        if part == "lookup":
            found[part, number] = max(sparse_cores, host_ends[number])
            sparse_cores = found[part, number] + times.lookup
            ready = sparse_cores
            found["tensor_core", number] = max(ready, tensor_core)
            tensor_core = found["tensor_core", number] + times.tensor_core
            continue
        done = found["tensor_core", number] + times.tensor_core
        found[part, number] = max(sparse_cores, done)
        sparse_cores = found[part, number] + times.update
    return [
        StepStarts(
            host_starts[number],
            found["lookup", number],
            found["tensor_core", number],
            found["update", number],
        )
        for number in range(len(steps))
    ]


def _hosts(steps: Sequence[StepTimes]) -> tuple[list[float], list[float]]:
    """Return when the host begins to prepare each batch, and when it is done: one after another."""
    starts, now = [], 0.0
    for each in steps:
        starts.append(now)
        now += each.host
    return starts, [start + each.host for start, each in zip(starts, steps, strict=True)]


def _order(steps: int, *, pipelined: bool) -> Iterator[tuple[str, int]]:
    """Yield the parts that SparseCores do, in their order: the part, and the number of the step."""
    ahead = int(pipelined)
    for number in range(min(ahead, steps)):
        yield "lookup", number
    for number in range(steps):
        if number + ahead < steps:
            yield "lookup", number + ahead
        yield "update", number
