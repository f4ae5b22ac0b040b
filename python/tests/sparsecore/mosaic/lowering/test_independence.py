"""Loops whose iterations certainly do not depend on each other, against all pairs of iterations."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

import pytest

from sdykit.mlir import ir, make_context
from sdykit.sparsecore.mosaic.lowering.independence import Touch, is_independent
from sdykit.sparsecore.mosaic.reports import Action

READ, WRITE, ADD = Action.READ, Action.WRITE, Action.ADD


@dataclass(frozen=True)
class Access:
    """`count` elements of buffer `b` or `c`, from `i * by + j * inner + u * outer + number` on."""

    action: Action
    count: int
    by: int
    number: int = 0
    inner: int = 0
    outer: int = 0
    buffer: str = "b"

    def lines(self, k: int, counter: str) -> str:
        """Return the ops that compute the position, `%p<k>`, by `counter`: i32 or index."""
        cast = f"arith.index_cast %s{k} : i32 to index"
        return f"""
        %f{k} = arith.constant {self.by} : {counter}
        %n{k} = arith.constant {self.number} : {counter}
        %m{k} = arith.muli %i, %f{k} : {counter}
        %s{k} = arith.addi %m{k}, %n{k} : {counter}
        %t{k} = {cast if counter == "i32" else f"arith.addi %s{k}, %c0 : index"}
        %g{k} = arith.constant {self.inner} : index
        %h{k} = arith.constant {self.outer} : index
        %v{k} = arith.muli %j, %g{k} : index
        %w{k} = arith.muli %u, %h{k} : index
        %x{k} = arith.addi %t{k}, %v{k} : index
        %p{k} = arith.addi %x{k}, %w{k} : index
        %l{k} = memref.load %{self.buffer}[%p{k}] : memref<?xf32>
        """

    def elements(self, i: int, j: int, u: int) -> range:
        first = i * self.by + j * self.inner + u * self.outer + self.number
        return range(first, first + self.count)


@dataclass(frozen=True)
class Loop:
    """`i` from 0 to `end` by `step`; in it `j` from 0 to `inner_end`. Bounds are not known if `unknown`."""

    accesses: tuple[Access, ...]
    end: int = 64
    step: int = 16
    inner_end: int = 1
    counter: str = "i32"
    unknown: bool = False

    def is_independent(self) -> bool:
        """Return what the compiler says."""
        body = "".join(access.lines(k, self.counter) for k, access in enumerate(self.accesses))
        end = "%end" if self.unknown else "%known"
        text = f"""
        func.func @f(%b: memref<?xf32>, %c: memref<?xf32>, %u: index, %end: {self.counter}) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %first = arith.constant 0 : {self.counter}
          %known = arith.constant {self.end} : {self.counter}
          %step = arith.constant {self.step} : {self.counter}
          %inner = arith.constant {self.inner_end} : index
          scf.for %i = %first to {end} step %step {": i32" if self.counter == "i32" else ""} {{
            scf.for %j = %c0 to %inner step %c1 {{
              {body}
            }}
          }}
          return
        }}"""
        module = ir.Module.parse(text, make_context())
        ops = [op.operation for op in module.body.operations[0].regions[0].blocks[0].operations]
        (loop,) = (op for op in ops if op.name == "scf.for")
        inner = loop.regions[0].blocks[0].operations[0].operation
        loads = [
            op.operation for op in inner.regions[0].blocks[0] if op.operation.name == "memref.load"
        ]
        return is_independent(
            loop,
            [
                Touch(load.operands[0], load.operands[1], access.count, access.action)
                for load, access in zip(loads, self.accesses, strict=True)
            ],
        )

    def meets(self) -> bool:
        """Return whether two iterations touch the same element, and not both read or both add."""
        for u in (0, 5):
            touched = [
                (i, access.action, access.buffer, element)
                for i in range(0, self.end, self.step)
                for j in range(self.inner_end)
                for access in self.accesses
                for element in access.elements(i, j, u)
            ]
            for left, right in itertools.combinations(set(touched), 2):
                same = left[1] == right[1] and left[1] in (READ, ADD)
                if left[0] != right[0] and left[2:] == right[2:] and not same:
                    return True
        return False


@pytest.mark.parametrize("counter", ["i32", "index"])
@pytest.mark.parametrize(
    "loop",
    [
        Loop((Access(READ, 16, 1), Access(WRITE, 16, 1))),
        Loop((Access(READ, 16, 1, buffer="c"), Access(WRITE, 16, 1))),
        Loop((Access(READ, 16, 0, buffer="c"), Access(WRITE, 16, 1))),
        Loop((Access(WRITE, 16, 1, outer=128), Access(READ, 16, 1, outer=128))),
        Loop((Access(WRITE, 16, 1), Access(READ, 8, 1, 8))),
        # Rows of an inner loop, and two halves of a buffer.
        Loop((Access(WRITE, 16, 64, inner=16),), end=4, step=1, inner_end=4),
        Loop((Access(WRITE, 16, 1), Access(READ, 16, 1, 64))),
        Loop((Access(ADD, 16, 0),)),
        Loop((Access(READ, 16, 0),)),
        # The bounds need not be known.
        Loop((Access(WRITE, 16, 1),), unknown=True),
    ],
)
def test_loops_that_need_no_comparison(loop: Loop, counter: str) -> None:
    loop = Loop(**{**loop.__dict__, "counter": counter})
    assert loop.is_independent()
    assert not loop.meets()


@pytest.mark.parametrize(
    "loop",
    [
        Loop((Access(WRITE, 16, 0),)),
        # The last element only.
        Loop((Access(WRITE, 17, 1),)),
        Loop((Access(WRITE, 16, 1), Access(READ, 1, 1, 16))),
        Loop((Access(WRITE, 16, 1), Access(READ, 1, 1, -1))),
        Loop((Access(WRITE, 16, 1), Access(READ, 16, 0))),
        Loop((Access(WRITE, 16, 64, inner=16),), end=4, step=1, inner_end=5),
        Loop((Access(WRITE, 16, 1), Access(READ, 16, 1, 63))),
        Loop((Access(ADD, 16, 0), Access(READ, 1, 0, 3))),
    ],
)
def test_loops_whose_iterations_meet(loop: Loop) -> None:
    assert loop.meets()
    assert not loop.is_independent()


@pytest.mark.parametrize(
    "loop",
    [
        # Half of the buffer further on, how often nobody knows.
        Loop((Access(WRITE, 16, 1), Access(READ, 16, 1, 64)), unknown=True),
        # What is the same in all iterations is another number of each access.
        Loop((Access(WRITE, 16, 1, outer=128), Access(READ, 16, 1, outer=64))),
        # 32 bits may wrap around to the same element.
        Loop((Access(WRITE, 1, 1 << 28),), end=32, step=1),
        Loop((Access(WRITE, 1, 1 << 20),), step=1, unknown=True),
    ],
)
def test_loops_that_are_compared_when_they_run(loop: Loop) -> None:
    assert not loop.is_independent()


@pytest.mark.parametrize("seed", range(3))
def test_no_loop_of_which_it_is_said_meets(seed: int) -> None:
    rng = random.Random(seed)
    said = 0
    for _ in range(150):
        step = rng.choice([1, 2, 4])
        accesses = tuple(
            Access(
                rng.choice([READ, WRITE, ADD]),
                rng.choice([1, 2, 3, 4]),
                rng.choice([0, 1, 1, 1, 2, -1]),
                rng.choice([0, 0, 1, 2, 8, -2]),
                rng.choice([0, 0, 1, 4]),
                rng.choice([0, 0, 0, 3]),
                rng.choice("bc"),
            )
            for _ in range(rng.choice([1, 2, 3]))
        )
        loop = Loop(
            accesses,
            end=step * rng.choice([1, 2, 4]),
            step=step,
            inner_end=rng.choice([1, 1, 2]),
            counter=rng.choice(["i32", "index"]),
            unknown=rng.random() < 0.2,
        )
        if loop.is_independent():
            said += 1
            assert not loop.meets(), loop
    assert said > 20
