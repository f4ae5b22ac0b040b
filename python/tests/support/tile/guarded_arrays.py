"""Programs for all devices of a process, run on arrays between pages that nothing may touch.

    python python/tests/support/tile/guarded_arrays.py

Each array begins where a page begins, or ends where one ends; the pages around it are protected. An access
outside of the arrays of the devices ends the process. Results are compared with the reference.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from sdykit.sparsecore.codegen.running import run
from sdykit.sparsecore.tile.arguments import OFFSETS
from sdykit.sparsecore.tile.compile import compile_tile
from sdykit.sparsecore.tile.spec import LookupSpec, UpdateSpec

DEVICES, DIM = 4, 12
_LIBC = ctypes.CDLL(None, use_errno=True)


def guarded(array: np.ndarray, *, at_end: bool) -> np.ndarray:
    """Return a copy between protected pages: at the end of its pages, or else at their beginning."""
    page = mmap.PAGESIZE
    size = -(-max(array.nbytes, 1) // page) * page
    whole = mmap.mmap(-1, size + 2 * page)
    address = ctypes.addressof(ctypes.c_char.from_buffer(whole))
    for guard in (address, address + page + size):
        if _LIBC.mprotect(ctypes.c_void_p(guard), ctypes.c_size_t(page), 0):
            raise OSError(ctypes.get_errno(), "mprotect")
    first = page + (size - array.nbytes if at_end else 0)
    found = np.frombuffer(whole, array.dtype, array.size, first).reshape(array.shape)
    found[...] = array
    return found


def run_for_all(spec: Any, given: list[dict[str, np.ndarray]], *, at_end: bool) -> list[Any]:
    """Run a program for all devices; return the arrays of each, by name.

    Args:
        spec: the spec of the program.
        given: the inputs of each device, by name.
        at_end: whether arrays stand before a protected page, or else after one.
    """
    compiled = compile_tile(spec, cache=None)
    entries = sum(each.get("embedding_ids", each.get("ids")).size for each in given)  # pyright: ignore[reportOptionalMemberAccess]
    devices: list[dict[str, np.ndarray]] = [{} for _ in given]
    passed: list[np.ndarray] = []
    offsets: list[list[int]] = []
    for argument in compiled.source.arguments:
        # The other sizes that names stand for are those of arrays that are given.
        sizes = [entries if isinstance(size, str) else size for size in argument.shape]
        if argument.role in ("workspace", "status"):
            # Anything may be in a workspace; it is not to be read before it is written.
            fill = 0 if argument.role == "status" else 0x5A
            made = np.full(int(np.prod(sizes)) * np.dtype(argument.dtype).itemsize, fill, np.uint8)
            passed.append(guarded(made.view(argument.dtype).reshape(sizes), at_end=at_end))
            continue
        if argument.name == OFFSETS:
            passed.append(guarded(np.array(offsets, np.int64), at_end=at_end))
            continue
        for number, each in enumerate(devices):
            array = given[number].get(argument.name)
            if argument.role == "place":
                array = np.array([0, number], np.int32)
            if array is None:
                array = np.full(sizes, np.nan, argument.dtype)
            each[argument.name] = guarded(array, at_end=at_end)
        own = [each[argument.name] for each in devices]
        distances = [each.ctypes.data - own[0].ctypes.data for each in own]
        offsets.append([distance // own[0].itemsize for distance in distances])
        passed.append(own[0])
    run(compiled.code, passed, threads=2)
    status = passed[[each.role for each in compiled.source.arguments].index("status")]
    assert not status.any(), status
    return devices


def main() -> None:
    """Compare lookups and updates of all layouts."""
    for at_end in (False, True):
        for seed, minibatching in enumerate(("off", "vocabulary")):
            check_buffers(seed, minibatching, at_end=at_end)
        check_ids(at_end=at_end)
    print("done")


def check_buffers(seed: int, minibatching: Any, *, at_end: bool) -> None:
    """Compare a lookup and an update of buffers."""
    from support.embedding import embedding_cases as cases

    limit = 4 if minibatching == "vocabulary" else 1000
    case = cases.buffers_case(
        seed, DEVICES, minibatching=minibatching, limit=limit, dim=DIM, layout="jax_tpu_embedding"
    )
    names = ["row_pointers", "embedding_ids", "sample_ids", "gains"]
    names += ["num_minibatches"] * (minibatching != "off")
    arrays = {name: np.array(getattr(case.ids, name)) for name in names}
    _compare(
        case, {"layout": "jax_tpu_embedding", "minibatches": minibatching != "off"}, arrays, at_end
    )


def check_ids(*, at_end: bool) -> None:
    """Compare a lookup and an update of raw ids."""
    from support.embedding import embedding_cases as cases

    case = cases.raw_case(3, DEVICES, samples=12, dim=DIM)
    assert case.weights is not None
    _compare(case, {"layout": "ids"}, {"ids": case.ids, "gains": case.weights}, at_end)


def _compare(
    case: Any, layout: dict[str, Any], arrays: dict[str, np.ndarray], at_end: bool
) -> None:
    from sdykit.sparsecore.optimizers import Adagrad
    from support.embedding import embedding_cases as cases

    fields = {"dim": DIM, "samples_per_core": 3, "num_devices": DEVICES, "transport": "memory"}
    fields |= layout
    parts: list[dict[str, np.ndarray]] = [
        dict(zip(arrays, split, strict=True))
        for split in zip(*(np.split(each, DEVICES) for each in arrays.values()), strict=True)
    ]
    for number, part in enumerate(parts):
        part["table"] = case.table[number]
    done = run_for_all(LookupSpec(**fields), parts, at_end=at_end)
    found = np.concatenate([each["activations"] for each in done])
    assert cases.same(found, case.lookup())
    optimizer = Adagrad(0.1)
    gradients = np.random.default_rng(0).normal(size=(case.samples, DIM)).astype(np.float32)
    slots = cases.make_slots(case, optimizer, 0)
    expected = case.update(slots, gradients, optimizer, 0)
    for number, part in enumerate(parts):
        part["gradients"] = np.split(gradients, DEVICES)[number]
        part["learning_rate"] = np.array(0.1, np.float32)
        part["slot_accumulator"] = np.split(slots["accumulator"], DEVICES)[number]
    done = run_for_all(UpdateSpec(optimizer=Adagrad(1.0), **fields), parts, at_end=at_end)
    for name, argument in (("table", "table"), ("accumulator", "slot_accumulator")):
        assert cases.same(np.concatenate([each[argument] for each in done]), expected[name]), name


if __name__ == "__main__":
    main()
