"""Accesses near transfers under way: those that touch a byte of one are reported, no others.

What machine code reads before an access is coarser than bytes: a mark for each line of 64.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from sdykit.sparsecore.codegen import compile_module, run, take_report
from sdykit.sparsecore.mosaic.reports import UnderWay
from support.machine.programs import LOCKSTEP, agents, call

WORDS, WORD_BITS = 1024, 32
MEMREF = "memref<?xi32>"
DECLARATIONS = f"""
func.func private @copy({MEMREF}, {MEMREF}{", i64" * 18}) attributes {{sparsecore.runtime = "sc_dma"}}
func.func private @touch({MEMREF}{", i64" * 4}) attributes {{sparsecore.runtime = "sc_touch"}}
"""
# Two rows of words from `x` to the own memory; y has where they begin and how far they are apart.
COPY = f"""
    func.call @copy(%x, %own, %k1, %k0, %minus, %bytes, %minus, %k0, %minus, %k0, %word, %word,
                    %k0, %first, %k2, %length, %apart, %word, %apart, %word)
        : ({MEMREF}, {MEMREF}{", i64" * 18}) -> ()
"""
WAIT = call("sc_wait", "k0", "bytes", "k1", "k9")


def program(count: int | None, *, waits: bool = False) -> Callable[..., bool]:
    """Return a function: whether an access while, or after, a transfer was under way is reported.

    `count` is the number of words of the access, None if that is known only when it runs.
    """
    size = "%size" if count is None else "%known"
    access = f"func.call @touch(%own, %at, {size}, %k1, %k2) : ({MEMREF}{', i64' * 4}) -> ()"
    loads = "\n".join(
        f"%p{k} = arith.constant {k} : index\n%{name} = memref.load %y[%p{k}] : memref<?xi64>"
        for k, name in enumerate(("first", "length", "apart", "at", "size", "bytes"))
    )
    body = f"""
    {loads}
    %word = arith.constant {WORD_BITS} : i64
    %known = arith.constant {WORD_BITS * (count or 1)} : i64
    %held = memref.alloc() : memref<{WORDS}xi32>
    %own = memref.cast %held : memref<{WORDS}xi32> to {MEMREF}
    {COPY}
    {WAIT if waits else access}
    {access if waits else WAIT}
    """
    text = agents(
        body,
        [0],
        places=[-1],
        declarations=DECLARATIONS,
        arguments=f"%y: memref<?xi64>, %x: {MEMREF}",
    )
    compiled = compile_module(text, cache=None)

    def is_reported(first: int, length: int, apart: int, at: int, size: int) -> bool:
        status, words = np.zeros(8, np.int64), np.arange(WORDS, dtype=np.int32)
        numbers = [first * WORD_BITS, length, apart * WORD_BITS, at * WORD_BITS, size * WORD_BITS]
        y = np.array([*numbers, 2 * length * 4])
        run(compiled, [status, np.array([LOCKSTEP, 2, 1, 0]), y, words])
        report = take_report(compiled.interface, status)
        assert report[:1] in ([], [UnderWay.kind])
        return bool(report)

    return is_reported


def touches(first: int, length: int, apart: int, at: int, size: int) -> bool:
    """Say by brute force whether an access touches one of the two rows."""
    rows = {first + row * apart + k for row in range(2) for k in range(length)}
    return not rows.isdisjoint(range(at, at + size))


@pytest.mark.parametrize("count", [1, 3, 16, 17, 40, 128, 129, 256, 500, 600, None])
def test_accesses_at_the_borders_of_a_transfer(count: int | None) -> None:
    is_reported, rng = program(count), random.Random(count)
    for _ in range(100):
        length, first = rng.choice([1, 5, 16, 64]), rng.randrange(300)
        apart = rng.choice([length, length + 1, 64, 100])
        size = rng.randrange(1, 100) if count is None else count
        # The first and last words of rows, and those beside them.
        row = first + rng.choice([0, apart])
        at = max(0, rng.choice([row, row + length]) + rng.choice([0, -size]) + rng.randrange(-1, 2))
        where = (first, length, apart, at, size)
        assert is_reported(*where) == touches(*where), where


@pytest.mark.parametrize("count", [16, 128, None])
def test_nothing_is_under_way_after_a_wait(count: int | None) -> None:
    is_reported = program(count, waits=True)
    for first in (0, 15, 100):
        assert not is_reported(first, 64, 64, first, count or 20)


@pytest.mark.parametrize("transfers", [2, 300])
def test_marks_count_transfers(transfers: int) -> None:
    """All but one of the transfers of the same memory are waited for."""
    one = (
        f"func.call @copy(%own, %x, %k1, %k0, %minus, %bytes, %minus, %k0, %minus, %k0, %word, %word,"
        f" %k0, %k0, %k8, %word, %word) : ({MEMREF}, {MEMREF}{', i64' * 15}) -> ()"
    )
    store = f"func.call @touch(%own, %k0, %word, %k1, %k2) : ({MEMREF}{', i64' * 4}) -> ()"
    loop = "scf.for %{0} = %c0 to %{1} step %c1 {{\n{2}\n}}"
    results = []
    for waits in (transfers - 1, transfers):
        body = f"""
        %word = arith.constant 32 : i64
        %bytes = arith.constant 32 : i64
        %starts = arith.constant {transfers} : index
        %waits = arith.constant {waits} : index
        %rest = arith.constant {transfers - waits} : index
        %held = memref.alloc() : memref<{WORDS}xi32>
        %own = memref.cast %held : memref<{WORDS}xi32> to {MEMREF}
        {loop.format("s", "starts", one)}
        {loop.format("w", "waits", WAIT)}
        {store}
        {loop.format("r", "rest", WAIT)}
        """
        text = agents(
            body,
            [0],
            places=[-1],
            declarations=DECLARATIONS.replace(", i64" * 18, ", i64" * 15),
            arguments=f"%y: memref<?xi64>, %x: {MEMREF}",
        )
        # Copies to the same words of `x` write the same bytes, so that these are no race.
        status = np.zeros(8, np.int64)
        compiled = compile_module(text, cache=None)
        settings = np.array([LOCKSTEP, 2, 1, 0])
        run(compiled, [status, settings, np.zeros(1, np.int64), np.zeros(WORDS, np.int32)])
        results.append(take_report(compiled.interface, status)[:1])
    assert results == [[UnderWay.kind], []]
