"""Runs of lookups and updates in several processes, compared and counted.

    python python/tests/support/embedding/process_runs.py --processes 2 4 --runs 1000

Each process has one device. Each result is compared, bit by bit, with the reference. Every fourth run
ends with an error of one process's ids, with which all must end. A run that hangs ends the process,
after so many seconds, with the stacks of all threads.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import faulthandler
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from support.embedding.processes import run_processes

KINDS = ("ids", "sums", "buffers", "minibatches")
"""Raw ids of which rows travel, in several rounds at times, and sums of rows; buffers of both kinds."""
_DRAWS = 3
_DIM = 16
_WRONG = 10**6
"""No row of any table here."""
_HANGS_AFTER = 120


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--processes", type=int, nargs="+", default=[2], help="numbers of processes"
    )
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS, help="kinds of steps")
    parser.add_argument("--runs", type=int, default=40, help="how many runs of each")
    arguments = parser.parse_args()
    for processes, kind in itertools.product(arguments.processes, arguments.kinds):
        texts = run_processes(__file__, processes, kind, str(arguments.runs))
        print(f"{processes} processes, {kind}: {texts[0].splitlines()[-1]}", flush=True)


def work(number: int, processes: int, address: str, kind: str, runs: int) -> None:
    """Run one of the processes."""
    import jax

    import sdykit.sparsecore as sc

    sc.lookup  # noqa: B018  # Sets NPROC, and starts no backend.
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(address, processes, number)
    steps = [make_step(kind, processes, seed) for seed in range(_DRAWS)]
    errors = 0
    for run in range(runs):
        faulthandler.dump_traceback_later(_HANGS_AFTER, exit=True)
        step = steps[run % _DRAWS]
        if run % 4 == 3:
            text = step.error(run % processes)
            assert step.wrong_text in text, (run, step.wrong_text, text)
            errors += 1
        else:
            assert step.is_right(), run
    faulthandler.cancel_dump_traceback_later()
    print(f"{runs} runs, {errors} of them with errors", flush=True)


@dataclasses.dataclass(frozen=True)
class Step:
    """A step of a lookup and an update.

    Attributes:
        run: a function of the ids, which returns the activations and the table after the step.
        case: the batch.
        expected: both results.
        wrong_text: what an error of the batch says.
    """

    run: Callable[[Any], Any]
    case: Any
    expected: tuple[np.ndarray, np.ndarray]
    wrong_text: str

    def is_right(self) -> bool:
        """Run the step; return whether the parts of this process are what is expected."""
        from support.embedding.embedding_cases import same

        pairs = zip(self.run(self.case.ids), self.expected, strict=True)
        return all(
            same(part.data, expected[part.index])
            for found, expected in pairs
            for part in found.addressable_shards
        )

    def error(self, device: int) -> str:
        """Return the text of the error that the step ends with, if ids of a device are wrong; "": none."""
        import jax

        try:
            jax.block_until_ready(self.run(self._wrong(device)))
        except (jax.errors.JaxRuntimeError, ValueError) as error:
            return str(error)
        return ""

    def _wrong(self, device: int) -> Any:
        is_raw = isinstance(self.case.ids, np.ndarray)
        array = np.array(self.case.ids if is_raw else self.case.ids.embedding_ids)
        parts = array.reshape(self.case.entries.system.num_devices, -1)
        parts[device, 0] = _WRONG
        return array if is_raw else dataclasses.replace(self.case.ids, embedding_ids=array)


def make_step(kind: str, processes: int, seed: int) -> Step:
    """Return a step of a kind, on a batch of this seed."""
    import jax

    import sdykit.sparsecore as sc
    from sdykit.sparsecore.exchange import Exchange
    from sdykit.sparsecore.optimizers import SGD
    from support.embedding import embedding_cases as cases
    from support.embedding.exchange_worker import mapped

    if kind in ("ids", "sums"):
        samples, valency = (256, 1) if kind == "ids" else (12, 16)
        case = cases.raw_case(
            seed,
            processes,
            samples=samples,
            valency=valency,
            rows=512,
            dim=_DIM,
            weighted=False,
        )
    else:
        minibatching = "sample" if kind == "minibatches" else "off"
        limit = 6 if kind == "minibatches" else 1000
        case = cases.buffers_case(
            seed, processes, samples_per_core=8, dim=_DIM, minibatching=minibatching, limit=limit
        )
    optimizer = SGD(0.5)
    shape = (case.samples, _DIM)
    gradients = np.random.default_rng(seed).normal(size=shape).astype(np.float32)

    def step(table: Any, ids: Any, gradients: Any) -> Any:
        rows = sc.lookup(table, ids)
        return rows, sc.grad_update(table, {}, ids, None, gradients, optimizer=optimizer)[0]

    run, put = mapped(step, processes)
    table, of_batch = put(case.flat), put(gradients)
    forced = mock.patch.object(Exchange, "sends_rows", True)

    def with_ids(ids: Any) -> Any:
        # Rows of few buffers are more bytes than sums are.
        with forced if kind == "buffers" else contextlib.nullcontext():
            return run(table, jax.tree.map(put, ids), of_batch)

    expected = (case.lookup(), case.update({}, gradients, optimizer, 0)["table"])
    text = f"id {_WRONG} is not" if kind in ("ids", "sums") else f"row {_WRONG} of partition"
    return Step(with_ids, case, expected, text)


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1].isdigit():
        own, all_, at, kind, runs = sys.argv[1:]
        work(int(own), int(all_), at, kind, int(runs))
    else:
        main()
