"""The steps of a program: fragment calls and transfers, and what each of them waits for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jax.sharding import NamedSharding

from sdykit.mpmd.tensors import Expected

Arrays = list[Any]
"""Arrays of JAX."""


@dataclass(frozen=True)
class Argument:
    """An argument of the program."""

    expected: Expected
    """Its name, shape and dtype."""
    sharding: NamedSharding
    """Where the program expects it."""
    is_consumed: bool
    """Whether the program may consume it."""


@dataclass(frozen=True)
class Step:
    """A fragment call or transfer. Values are numbered: first the arguments."""

    number: int
    """Its position in the body of the function."""
    name: str
    """Its name, for messages and pictures."""
    place: str
    """Its file, line and column."""
    meshes: tuple[str, ...]
    """The mesh that it runs on; of a transfer, the meshes of operand and result."""
    worker: str
    """The name of the worker that runs it: steps of one worker run one by one."""
    inputs: tuple[int, ...]
    """The operands."""
    outputs: tuple[int, ...]
    """The results."""
    consumed: tuple[int, ...]
    """The operands whose buffers it consumes."""
    after: tuple[int, ...]
    """The indices of the earlier steps that it waits for."""
    run: Callable[[Arrays], Arrays]
    """Computes the results from the operands."""


@dataclass(frozen=True)
class Plan:
    """A program that can be run."""

    arguments: tuple[Argument, ...]
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    """The values that the program returns."""
    values: int
    """The number of values."""
