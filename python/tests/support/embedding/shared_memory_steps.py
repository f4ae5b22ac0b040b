"""Training steps on several devices of a process, with their arguments, right and wrong.

Two tables are looked up and updated in each step, so that devices come to their programs in any order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

ROWS, DIM, BATCH, VALENCY, CORES = 512, 12, 128, 5, 4
KINDS = ("ids", "buffers", "minibatches", "library")
"""Raw ids; buffers without and with minibatches; the primitives of jax-tpu-embedding."""


@dataclass(frozen=True)
class Step:
    """A step, and what it is called with.

    Attributes:
        run: the step of a device, a function of the state, which is donated, and of the batch.
        draws: states and batches of all devices.
        specs: the partition specs of both.
        spoil: returns a batch with a wrong id somewhere, which a number chooses, and the error.
    """

    run: Any
    draws: list[tuple[Any, Any]]
    specs: tuple[Any, Any]
    spoil: Callable[[Any, int], tuple[Any, str]]

    def wrong(self, number: int) -> tuple[Any, Any, str]:
        """Return arguments with an id that no table has, on one of the devices, and the error."""
        state, batch = self.draws[number % len(self.draws)]
        return state, *self.spoil(batch, number)


def make(kind: str, devices: int) -> Step:
    """Return a step of a kind."""
    if kind == "ids":
        return _of_ids()
    if kind == "library":
        return _of_library(devices)
    return _of_buffers(devices, minibatching=kind == "minibatches")


def _steps(state: Any, sources: Any, weights: Any = None) -> Any:
    """Look up and update two tables."""
    import sdykit.sparsecore as sc
    from sdykit.sparsecore.optimizers import SGD, Adagrad

    tables, slots = state
    found = []
    for number, optimizer in enumerate((SGD(0.1), Adagrad(0.1))):
        more: dict[str, Any] = {} if weights is None else {"combiner": ("sum", "mean")[number]}
        rows = sc.lookup(tables[number], sources[number], weights, **more)
        table, slot = sc.grad_update(
            tables[number],
            slots[number],
            sources[number],
            weights,
            rows * 0.5,
            optimizer=optimizer,
            **more,
        )
        found.append((rows, table, slot))
    return found


def _of_ids() -> Step:
    from jax.sharding import PartitionSpec as P

    def run(state: Any, batch: Any) -> Any:
        *ids, weights = batch
        return _steps(state, ids, weights)

    draws = []
    for number in range(3):
        random = np.random.default_rng(number)
        ids = [random.integers(-1, ROWS, (BATCH, VALENCY)).astype(np.int32) for _ in range(2)]
        ids[1] = np.minimum(random.zipf(1.3, (BATCH, VALENCY)), ROWS - 1).astype(np.int32)
        weights = random.uniform(0.5, 1, (BATCH, VALENCY)).astype(np.float32)
        draws.append((_state(random, (ROWS, DIM)), (*ids, weights)))
    return Step(run, draws, (P("x"), P("x")), _spoil_ids)


def _spoil_ids(batch: Any, number: int) -> tuple[Any, str]:
    ids, *others = batch
    sample = (number * 7) % BATCH
    ids = ids.copy()
    ids[sample, 2] = 999_999
    text = f"ids: sample {sample}, position 2: id 999999 is not in the vocabulary of {ROWS} rows"
    return (ids, *others), text


def _of_buffers(devices: int, *, minibatching: bool) -> Step:
    from jax.sharding import PartitionSpec as P

    from support.embedding import embedding_cases as cases

    def run(state: Any, batch: Any) -> Any:
        return _steps(state, batch)

    draws = []
    for number in range(3):
        some: dict[str, Any] = {"dim": DIM, "samples_per_core": 2, "vocabulary": 900}
        if minibatching:
            some |= {"minibatching": "vocabulary", "limit": 2}
        layouts = ("sdykit", "jax_tpu_embedding")
        both = [
            cases.buffers_case(2 * number + which, devices, layout=layout, **some)
            for which, layout in enumerate(layouts)
        ]
        random = np.random.default_rng(number)
        draws.append((_state(random, both[0].flat.shape), tuple(each.ids for each in both)))

    def spoil(batch: Any, number: int) -> tuple[Any, str]:
        buffers, other = batch
        count = 1 if buffers.num_minibatches is None else int(buffers.num_minibatches[0])
        arrays = buffers.row_pointers, buffers.embedding_ids
        ids, text = _spoiled(arrays, devices, count, number, minibatching=minibatching)
        return (dataclasses.replace(buffers, embedding_ids=ids), other), text

    return Step(run, draws, (P("x"), P("x")), spoil)


def _spoiled(
    buffers: tuple[np.ndarray, np.ndarray],
    devices: int,
    minibatches: int,
    number: int,
    *,
    minibatching: bool = False,
) -> tuple[np.ndarray, str]:
    """Return embedding ids of which the first one on a device is wrong, and the error."""
    pointers, ids = buffers
    device, per_core = number % devices, max(devices * CORES, 8) * minibatches
    # The first segment with an entry begins where its buffer does, or its SparseCore's part of it.
    segment = int(np.argmax(np.asarray(pointers).reshape(devices, -1)[device] > 0))
    core, size = segment // per_core, ids.size // devices
    position = 0 if minibatching else core * (size // CORES)
    wrong = np.array(ids)
    wrong[device * size + position] = 10**6
    place = f"device {device}, SparseCore {core}, position {position}"
    partition = segment % max(devices * CORES, 8)
    return wrong, f"embedding_ids: {place}: row 1000000 of partition {partition}"


def _state(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Return two tables, and the slots of each."""
    tables = [random.normal(size=shape).astype(np.float32) for _ in range(2)]
    return tables, [{}, {"accumulator": np.full(shape, 0.1, np.float32)}]


def _of_library(devices: int) -> Step:
    from jax.sharding import PartitionSpec as P

    import sdykit.sparsecore as sc
    from sdykit.sparsecore.specs import System
    from support.jax_tpu_embedding import gradient_cases, lookup_cases

    system = System(devices, sc.configure().sparse_cores)
    cases = [gradient_cases.make_case(number, system, dim=DIM) for number in (3, 6, 9)]
    csr = lookup_cases.lowered("csr").tpu_sparse_dense_matmul_csr_primitive
    case, optimizer = cases[0], gradient_cases.OPTIMIZERS[1]

    def run(state: Any, batch: Any) -> Any:
        found = []
        for tables in state:
            rows = csr.bind(*batch, tables[0], **lookup_cases.options(case))
            after = gradient_cases.update(optimizer, case, batch, tables, rows * 0.5)
            found.append((rows, *after))
        return found

    draws = []
    for each in cases:
        tables = [each.table, *each.slots(optimizer).values()]
        flat = [table.reshape(-1, DIM) for table in tables]
        draws.append(([flat, [table + 1 for table in flat]], each.buffers))

    def spoil(batch: Any, number: int) -> tuple[Any, str]:
        pointers, ids, *others = batch
        wrong, text = _spoiled((pointers, ids), devices, 1, number)
        return (pointers, wrong, *others), text

    return Step(run, draws, (P("x"), (*[P("x")] * 4, P())), spoil)
