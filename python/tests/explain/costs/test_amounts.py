"""The bytes of collectives, by running each among devices that count what they receive."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdykit.explain.costs.amounts import local_bytes, moved_bytes
from sdykit.explain.costs.model import Kind
from sdykit.explain.tables import bits_of


class Network:
    """Devices in a ring that send arrays to each other, and count the bytes that each receives."""

    def __init__(self, parts: list[np.ndarray]) -> None:
        self.parts = parts
        self.received = [0] * len(parts)

    def send(self, array: np.ndarray, to: int) -> np.ndarray:
        self.received[to] += array.nbytes
        return array.copy()


def all_gather(network: Network) -> list[np.ndarray]:
    count = len(network.parts)
    held = [{device: part} for device, part in enumerate(network.parts)]
    for turn in range(count - 1):
        for device in range(count):
            # The part that arrived in the last turn goes on.
            of = (device - turn) % count
            held[(device + 1) % count][of] = network.send(held[device][of], (device + 1) % count)
    return [np.concatenate([each[of] for of in range(count)]) for each in held]


def reduce_scatter(network: Network) -> list[np.ndarray]:
    count = len(network.parts)
    pieces = [np.split(part, count) for part in network.parts]
    for turn in range(count - 1):
        moving = [(device, (device - turn - 1) % count) for device in range(count)]
        sums = [pieces[device][piece].copy() for device, piece in moving]
        for (device, piece), array in zip(moving, sums, strict=True):
            to = (device + 1) % count
            pieces[to][piece] = pieces[to][piece] + network.send(array, to)
    return [pieces[device][device] for device in range(count)]


def all_reduce(network: Network) -> list[np.ndarray]:
    network.parts = reduce_scatter(network)
    return all_gather(network)


def all_to_all(network: Network) -> list[np.ndarray]:
    count = len(network.parts)
    pieces = [np.split(part, count) for part in network.parts]
    return [
        np.concatenate(
            [
                pieces[device][to] if device == to else network.send(pieces[device][to], to)
                for device in range(count)
            ]
        )
        for to in range(count)
    ]


def collective_permute(network: Network) -> list[np.ndarray]:
    count = len(network.parts)
    return [network.send(network.parts[to - 1], to) for to in range(count)]


def whole(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts)


RUNS: dict[Kind, tuple[Callable[[Network], list[np.ndarray]], Callable[..., list[np.ndarray]]]] = {
    "all_gather": (all_gather, lambda parts: [whole(parts)] * len(parts)),
    "reduce_scatter": (reduce_scatter, lambda parts: np.split(np.sum(parts, axis=0), len(parts))),
    "all_reduce": (all_reduce, lambda parts: [np.sum(parts, axis=0)] * len(parts)),
    "all_to_all": (
        all_to_all,
        lambda parts: list(
            map(np.concatenate, zip(*(np.split(part, len(parts)) for part in parts), strict=True))
        ),
    ),
    "collective_permute": (collective_permute, lambda parts: [parts[-1], *parts[:-1]]),
}


@pytest.mark.parametrize("kind", RUNS)
@pytest.mark.parametrize("devices", [2, 3, 4, 8])
def test_a_device_receives_what_the_formula_says(kind: Kind, devices: int) -> None:
    run, expected = RUNS[kind]
    random = np.random.default_rng(devices)
    parts = [random.integers(100, size=5 * devices).astype(np.float32) for _ in range(devices)]
    network = Network(list(parts))
    found = run(network)
    for one, other in zip(found, expected(parts), strict=True):
        np.testing.assert_array_equal(one, other)
    assert set(network.received) == {moved_bytes(kind, parts[0].nbytes, devices)}


def test_slices_move_nothing() -> None:
    assert moved_bytes("all_slice", 1024, 4) == 0


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5)), max_size=3),
    st.sampled_from(["float32", "int8", "bool", "complex64", "float64", "uint16"]),
)
def test_local_bytes_are_those_of_the_largest_part(dims: list[tuple[int, int]], dtype: str) -> None:
    shape = [size for size, _ in dims]
    parts = [count for _, count in dims]
    array = np.zeros(shape, dtype)
    sizes = [-(-size // count) for size, count in dims]
    largest = max(
        array[
            tuple(slice(at * size, (at + 1) * size) for at, size in zip(each, sizes, strict=True))
        ].nbytes
        for each in itertools.product(*map(range, parts))
    )
    names = {"float32": "f32", "int8": "i8", "bool": "i1", "complex64": "complex<f32>"}
    name = names.get(dtype, {"float64": "f64", "uint16": "ui16"}.get(dtype, ""))
    assert local_bytes(shape, name, parts) == largest


@pytest.mark.parametrize(
    ("dtype", "bits"),
    [("bf16", 16), ("f8E4M3FN", 8), ("i4", 4), ("i1", 8), ("complex<f64>", 128), ("!x", 0)],
)
def test_bits(dtype: str, bits: int) -> None:
    assert bits_of(dtype) == bits


def test_parts_of_bytes_are_rounded_up() -> None:
    assert local_bytes([3], "i4", [1]) == 2
