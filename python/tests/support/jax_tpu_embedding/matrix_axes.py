"""The axes of the matrix of jax-tpu-embedding's public API, and which of its cases are run."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Iterator

AXES: dict[str, tuple[str, ...]] = {
    "system": ("1x4", "4x4", "8x2"),
    "optimizer": (
        "sgd",
        "adagrad",
        "adagrad_momentum",
        "adagrad_momentum, nesterov",
        "adam",
        "ftrl",
        "ftrl, multiplied",
        "laprop",
        "f2a",
        "custom",
    ),
    "minibatches": ("off", "one", "many"),
    "stacking": ("none", "auto", "by hand"),
    "combiner": ("sum", "mean", "sqrtn"),
    "inputs": ("dense", "dense, weighted", "ragged", "ragged, weighted", "sparse tensor"),
    "call": ("jit", "eager", "donated", "scan", "pmap", "grid", "explicit", "ahead of time"),
    "unstacking": ("sliced", "primitive", "left to us"),
    "features": ("one a table", "shared table"),
    "start": ("initialized", "given"),
    "buffers": ("roomy", "fitted"),
    "quantization": ("off", "on"),
    "bounds": ("none", "lower", "both"),
    "rate": ("constant", "schedule"),
}
"""What can be chosen, by name. A system is devices x SparseCores of a device."""

KINDS = ("sgd", "adagrad", "adam", "custom")
"""Optimizers that stand for all with as many slots, where little depends on the rule."""

MAIN = ("system", "optimizer", "minibatches", "stacking", "combiner")
"""The axes whose every combination belongs to the whole matrix; the others take turns in it."""


@dataclasses.dataclass(frozen=True)
class Case:
    """A choice on each axis."""

    system: str
    optimizer: str
    minibatches: str
    stacking: str
    combiner: str
    inputs: str
    call: str
    unstacking: str
    features: str
    start: str
    buffers: str
    quantization: str
    bounds: str
    rate: str

    @property
    def devices(self) -> int:
        return int(self.system.split("x")[0])

    @property
    def cores(self) -> int:
        """SparseCores of a device."""
        return int(self.system.split("x")[1])

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """Bounds of the tables."""
        return {"none": (None, None), "lower": (-0.3, None), "both": (-0.4, 0.35)}[self.bounds]

    @property
    def is_possible(self) -> bool:
        """Whether the library offers it.

        Its initializers want a mesh with automatic axes, and custom updates have no bounds.
        """
        explicit = self.call == "explicit" and self.start == "initialized"
        return not explicit and not (self.optimizer == "custom" and self.bounds != "none")

    @property
    def is_quick(self) -> bool:
        """Whether it compiles little: without `jit`, each operation is compiled for all devices."""
        return self.call != "eager" or self.devices == 1

    def __str__(self) -> str:
        return "; ".join(f"{name}: {value}" for name, value in dataclasses.asdict(self).items())


Pair = tuple[tuple[str, str], tuple[str, str]]


def pairwise() -> list[Case]:
    """Return cases in which every two values of different axes meet, if the library allows it.

    Ways of calling and kinds of inputs need not meet optimizers other than `KINDS`, and what takes
    long is left out.
    """
    chance = random.Random(7)
    missing = set(_pairs_that_can_meet())
    cases = []
    while missing:
        first = dict(min(missing))
        found = [_greedy_case(chance, first, missing) for _ in range(4)]
        best = max(found, key=lambda case: len(_pairs(case) & missing))
        missing -= _pairs(best)
        cases.append(best)
    return cases


def whole() -> list[Case]:
    """Return every combination of the main axes; the other axes' values take turns."""
    chance = random.Random(11)
    products = itertools.product(*(AXES[name] for name in MAIN))
    return [_random_case(chance, dict(zip(MAIN, values, strict=True))) for values in products]


def _greedy_case(chance: random.Random, first: dict[str, str], missing: set[Pair]) -> Case:
    """Choose one value after another, each with the maximum number of missing pairs."""
    while True:
        chosen = dict(first)
        for name in chance.sample(sorted(AXES), len(AXES)):
            if name not in chosen:
                chosen[name] = max(
                    chance.sample(AXES[name], len(AXES[name])),
                    key=lambda value, name=name: len(_met(chosen | {name: value}, name) & missing),
                )
        case = Case(**chosen)
        if case.is_possible and case.is_quick:
            return case


def _met(chosen: dict[str, str], name: str) -> set[Pair]:
    """Return the pairs of one axis with what is chosen."""
    one = (name, chosen[name])
    places = list(AXES)
    return {
        (one, other) if places.index(name) < places.index(other[0]) else (other, one)
        for other in chosen.items()
        if other != one
    }


def _random_case(chance: random.Random, given: dict[str, str]) -> Case:
    """Choose what is not given."""
    while True:
        chosen = {name: given.get(name) or chance.choice(AXES[name]) for name in AXES}
        case = Case(**chosen)
        if case.is_possible:
            return case


def _pairs(case: Case) -> set[Pair]:
    return set(itertools.combinations(dataclasses.asdict(case).items(), 2))


def _pairs_that_can_meet() -> Iterator[Pair]:
    plain = {name: values[0] for name, values in AXES.items()} | {"start": "given"}
    for one, other in itertools.combinations(AXES, 2):
        for pair in itertools.product(AXES[one], AXES[other]):
            met = dict(zip((one, other), pair, strict=True))
            is_far = "call" in met or "inputs" in met
            by_kind = met.get("optimizer", KINDS[0]) in KINDS
            case = Case(**plain | met)
            if (by_kind or not is_far) and case.is_possible and case.is_quick:
                yield ((one, pair[0]), (other, pair[1]))
