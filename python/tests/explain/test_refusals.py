"""Every refusal is true: taken away in the program, what stood in the way is gone, and the axis arrives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from sdykit.explain import explain_text
from sdykit.explain.model import Refusal, Step
from sdykit.explain.questions import Index, why
from sdykit.explain.questions.axes import overlaps
from sdykit.explain.sentences import refusal_text
from support.amounts import examples
from support.explain.one_op import Dim, Given, OneOp, random_op

LONGER = 48
"""A multiple of the product of all axes: dimensions that are so much longer divide evenly."""


class Explained:
    """A program, and what is told of its op.

    Attributes:
        program: the program.
        index: its explanation.
        tensors: the tensors of the op's operands and result.
    """

    def __init__(self, program: OneOp, *, conservative: bool = False) -> None:
        self.program = program
        self.conservative = conservative
        self.index = Index(explain_text(program.text(), conservative=conservative))
        (self._op,) = (
            op for op in self.index.explanation.ops if op.results and not _is_second(op.name)
        )
        self.tensors = (*self._op.operands, *self._op.results)

    def refusals(self) -> list[Refusal]:
        """Return the last refusals of the op, of axes that did not come otherwise."""
        return [
            refusal
            for tensor in dict.fromkeys(self.tensors)
            for op, refusal in self.index.refusals_of(tensor)
            if op == self._op.number and not self.has(refusal)
        ]

    def steps(self, op_priority: int) -> list[Step]:
        """Return the visits of the op at an op priority."""
        of = self._op.number, op_priority
        return [each for each in self.index.explanation.steps if (each.op, each.op_priority) == of]

    def has(self, refusal: Refusal) -> bool:
        """Return whether a dimension is divided at the end along the axis that it was refused."""
        final = self.index.explanation.tensors[refusal.tensor].final
        dims = () if final is None else final.dims
        wanted = dims if refusal.dimension is None else dims[refusal.dimension :][:1]
        return any(overlaps(each, refusal.axis) for dim in wanted for each in dim.axes)

    def cause(self, refusal: Refusal) -> tuple[object, ...]:
        """Return what stands in the way, in terms that other programs share."""
        by = None if refusal.by is None else self._giver(refusal)
        cause = refusal.reason, by, refusal.by_dimension, refusal.by_axis
        return (*cause, *self._factors(refusal)) if refusal.kind == "before" else cause

    def without(self, refusal: Refusal) -> Explained:
        """Return the program without what stood in the way of an axis."""
        return Explained(
            self._mended(refusal),
            conservative=self.conservative and refusal.reason != "conservative",
        )

    def _mended(self, refusal: Refusal) -> OneOp:
        program = self.program
        match refusal.reason:
            case "does not divide" | "overflow":
                return self._with_other_sizes(refusal)
            case "blocked":
                return replace(program, blocked="")
            case "direction":
                is_operand = refusal.source in self._op.operands
                return replace(program, direction="FORWARD" if is_operand else "BACKWARD")
            case "no rule":
                return replace(program, has_rule=True)
            case "conservative":
                return program
        given = program.given[self._giver(refusal)]
        assert given is not None
        return program.with_given(self._giver(refusal), without(given, refusal))

    def _factors(self, refusal: Refusal) -> str:
        """Return the factors of the dimension that is in the way."""
        assert refusal.by is not None
        assert refusal.by_dimension is not None
        return self.program.tensors[self.tensors.index(refusal.by)][refusal.by_dimension]

    def _with_other_sizes(self, refusal: Refusal) -> OneOp:
        """Return the program with longer factors, or without one that has to be divided wholly first."""
        program, factors = self.program, self._factors(refusal)
        if refusal.kind != "before":
            longer = {each: program.sizes[each] * LONGER for each in factors}
            return replace(program, sizes={**program.sizes, **longer})
        assert refusal.by is not None
        assert refusal.by_dimension is not None
        at, tensors = self.tensors.index(refusal.by), list(program.tensors)
        before = next(each for each in factors if program.sizes[each] == refusal.size)
        dims = list(tensors[at])
        dims[refusal.by_dimension] = factors.replace(before, "")
        tensors[at] = tuple(dims)
        return replace(program, tensors=tuple(tensors))

    def moved(self, refusal: Refusal) -> bool:
        """Return whether an axis may be that of another factor of its tensor, now that this is longer."""
        dims = self.program.tensors[self.tensors.index(refusal.source)]
        return any(len(factors) > 1 for factors in dims)

    def _giver(self, refusal: Refusal) -> int:
        """Return the operand or result that was given what stands in the way."""
        assert refusal.by is not None
        if refusal.by_axis is None or refusal.reason not in ("used", "conflict"):
            return self.tensors.index(refusal.by)
        return self.tensors.index(why(self.index, refusal.by, refusal.by_axis)[-1].tensor)


def _is_second(name: str) -> bool:
    return name == "stablehlo.abs"


def without(given: Given, refusal: Refusal) -> Given | None:
    """Return a sharding without what a refusal says of it."""

    def left(axes: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(each for each in axes if not overlaps(each, refusal.by_axis or refusal.axis))

    match refusal.reason:
        case "maximal" | "no common mesh":
            return None
        case "closed":
            dims = list(given.dims)
            assert refusal.by_dimension is not None
            dims[refusal.by_dimension] = replace(dims[refusal.by_dimension], is_closed=False)
            return replace(given, dims=tuple(dims))
        case "replicated":
            return replace(given, replicated=left(given.replicated))
        case "unreduced":
            return replace(given, unreduced=left(given.unreduced))
    assert refusal.reason in ("used", "conflict"), refusal
    return replace(given, dims=tuple(Dim(left(dim.axes), dim.is_closed) for dim in given.dims))


def reasons_until_it_arrives(explained: Explained, refusal: Refusal) -> list[str]:
    """Take away what refuses an axis, one thing after the other; return the reasons, in order."""
    reasons: list[str] = []
    seen: set[object] = set()
    while not explained.has(refusal):
        cause = explained.cause(refusal)
        assert cause not in seen, f"{cause} again\n{explained.program.text()}"
        seen.add(cause)
        reasons.append(refusal.reason)
        explained = explained.without(refusal)
        # The numbers of the tensors are those of arguments and op: the same in all.
        left = [
            each
            for each in explained.refusals()
            if (each.tensor, each.dimension) == (refusal.tensor, refusal.dimension)
            and overlaps(each.axis, refusal.axis)
        ]
        if not left and not explained.has(refusal):
            assert {"does not divide", "overflow"} & set(reasons), explained.program.text()
            assert explained.moved(refusal), explained.program.text()
            break
        refusal = left[0] if left else refusal
    return reasons


def test_what_is_taken_away_was_in_the_way() -> None:
    counts: Counter[str] = Counter()
    for seed in range(examples(600)):
        explained = Explained(random_op(seed), conservative=seed % 4 == 0)
        for refusal in explained.refusals():
            if refusal.reason != "no rule":
                counts[reasons_until_it_arrives(explained, refusal)[0]] += 1
    print(counts)
    wanted = {
        "closed",
        "conflict",
        "used",
        "replicated",
        "unreduced",
        "does not divide",
        "overflow",
    }
    assert counts.keys() >= wanted | {
        "blocked",
        "direction",
        "maximal",
        "no common mesh",
        "conservative",
    }


def test_ops_without_a_rule_get_one() -> None:
    """With a rule, the axis arrives where the tensor has its factor, or is refused for another reason."""
    arrived = 0
    for program in random_ops("call", examples(120)):
        explained = Explained(replace(program, has_rule=False))
        for refusal in explained.refusals():
            assert refusal.reason == "no rule"
            after = explained.without(refusal)
            left = [
                each
                for each in after.refusals()
                if each.tensor == refusal.tensor and overlaps(each.axis, refusal.axis)
            ]
            assert not [each for each in left if each.reason == "no rule"]
            arrived += after.has(refusal)
            assert left or after.has(refusal) or not has_factor(explained, refusal)
    assert arrived > 10


def random_ops(op: str, count: int) -> Iterator[OneOp]:
    """Yield some random programs of a kind of op."""
    return islice((program for program in map(random_op, range(10**6)) if program.op == op), count)


def has_factor(explained: Explained, refusal: Refusal) -> bool:
    """Return whether the one factor that is divided along a refused axis is in the other tensor."""
    program = explained.program
    source, target = map(explained.tensors.index, (refusal.source, refusal.tensor))
    given = program.given[source]
    assert given is not None
    at = next(number for number, dim in enumerate(given.dims) if refusal.axis in dim.axes)
    factors = program.tensors[source][at]
    return len(factors) == 1 and any(factors in dim for dim in program.tensors[target])


def test_several_uses_hold_axes_back_at_the_first_op_priority() -> None:
    """With a single use, the axis comes at priority 0; with several at the priority that is told."""
    count = 0
    for program in random_ops("add", examples(60)):
        explained = Explained(replace(program, is_used_twice=True))
        single = Explained(replace(program, is_used_twice=False))
        for refusal in _refused(explained, 0, "several uses"):
            assert refusal.by == explained.tensors[0]
            assert refusal.op_priority == 1
            assert _is_decided(single, 0, refusal)
            assert _is_decided(explained, 1, refusal)
            count += 1
    assert count > 10


def test_directions_are_those_of_the_op_priority_that_is_told() -> None:
    count = 0
    for program in random_ops("call", examples(120)):
        explained = Explained(program)
        for priority in range(4):
            for refusal in _refused(explained, priority, "direction"):
                assert refusal.op_priority is not None
                assert refusal.op_priority > priority
                assert _is_decided(explained, refusal.op_priority, refusal)
                count += 1
    assert count > 10


def _refused(explained: Explained, op_priority: int, reason: str) -> list[Refusal]:
    """Return the refusals of an op at an op priority for a reason."""
    return [
        refusal
        for step in explained.steps(op_priority)
        for refusal in step.refusals
        if refusal.reason == reason
    ]


def _is_decided(explained: Explained, op_priority: int, refusal: Refusal) -> bool:
    """Return whether an axis came up to an op priority, or is refused there for something else."""
    place = refusal.tensor, refusal.dimension
    came = [
        change
        for at in range(op_priority + 1)
        for step in explained.steps(at)
        for change in step.changes
        if (change.tensor, change.dimension) == place
        and any(overlaps(axis, refusal.axis) for axis in change.after)
    ]
    return bool(came) or any(
        (each.tensor, each.dimension) == place
        and overlaps(each.axis, refusal.axis)
        and each.reason not in ("direction", "several uses")
        for step in explained.steps(op_priority)
        for each in step.refusals
    )


@pytest.mark.parametrize(("arguments", "reason"), [("%x: tensor<8xf32>", None), ("", "no slot")])
def test_values_without_a_slot(arguments: str, reason: str | None) -> None:
    """The argument of a later block has the place of the function's argument of its number, if there is one."""
    text = f"""
      sdy.mesh @mesh = <["a"=2]>
      func.func @main({arguments}) -> tensor<8xf32> {{
        %c = stablehlo.constant dense<1.0> : tensor<8xf32>
        cf.br ^bb1(%c : tensor<8xf32>)
      ^bb1(%0: tensor<8xf32>):
        %1 = stablehlo.abs %0 {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"a"}}]>]>}} : tensor<8xf32>
        return %1 : tensor<8xf32>
      }}"""
    index = Index(explain_text(text))
    op = next(op for op in index.explanation.ops if op.name == "stablehlo.abs")
    (tensor,) = op.operands
    refusals = [each for each in index.refusals_of(tensor) if each[0] == op.number]
    if reason is None:
        assert not refusals
        final = index.explanation.tensors[tensor].final
        assert final is not None
        assert final.dims[0].axes == ("a",)
        return
    ((number, refusal),) = refusals
    assert (refusal.axis, refusal.reason) == ("a", reason)
    assert refusal_text(index, number, refusal).endswith(": no sharding can be written there")
    assert not index.explanation.tensors[tensor].has_slot
