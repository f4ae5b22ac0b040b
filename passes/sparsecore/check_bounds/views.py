"""Conditions of views that lie within the buffers that they are views of."""

from __future__ import annotations

from dataclasses import dataclass, field

from sdykit.core import fail
from sdykit.core.sparsecore.views import SUBVIEW, Number, parts_of
from sdykit.mlir import ir
from sdykit.passes.sparsecore._instrument.numbers import compute, product, sizes_of
from sdykit.passes.sparsecore._instrument.ops import create
from sdykit.passes.sparsecore._programs.arguments import description_of, source_of
from sdykit.passes.sparsecore.check_bounds.conditions import (
    ULE,
    Condition,
    all_of,
    condition,
    is_below,
    is_equal,
)

_REINTERPRET = "memref.reinterpret_cast"
VIEWS = (SUBVIEW, "memref.cast", "memref.memory_space_cast", _REINTERPRET)
"""The ops that are followed."""
_ORIGINS = ("memref.alloc", "memref.alloca")


@dataclass(frozen=True)
class CheckedViews:
    """The conditions of views, computed after the op of each view.

    Attributes:
        entry: the entry function.
        known: the conditions found so far, by view.
    """

    entry: ir.Operation
    known: dict[ir.Value, tuple[Condition, ...]] = field(default_factory=dict)

    def conditions(self, user: ir.Operation, buffer: ir.Value) -> tuple[Condition, ...]:
        """Return the conditions for a buffer to lie within the buffers that it is a view of.

        Raises:
            PassFailure: the buffer is the result of an op that is not followed.
        """
        if buffer in self.known:
            return self.known[buffer]
        owner = buffer.owner
        if isinstance(owner, ir.Block):
            if owner == self.entry.regions[0].blocks[0]:
                return ()
            fail(
                user,
                "accesses a buffer that is a block argument, and its bounds cannot be checked; "
                "expected an argument of the entry function, an allocation, or a view of one",
            )
        view = owner.operation
        if view.name in _ORIGINS:
            return ()
        if view.name not in VIEWS or not isinstance(view.operands[0].type, ir.MemRefType):
            fail(
                user,
                f"accesses a buffer that is a result of '{view.name}', and its bounds cannot be checked; "
                f"expected one of {', '.join(VIEWS)}",
            )
        outer = self.conditions(user, view.operands[0])
        of = {SUBVIEW: self._of_subview, _REINTERPRET: self._of_reinterpretation}
        with ir.InsertionPoint.after(view), view.location:
            own = of.get(view.name, self._of_cast)(view)
        self.known[buffer] = (*outer, *own)
        return self.known[buffer]

    def _of_subview(self, view: ir.Operation) -> tuple[Condition, ...]:
        source = view.operands[0]
        offsets, counts, steps = parts_of(view)
        sizes = sizes_of(source)
        insides = [_is_inside(*each) for each in zip(offsets, counts, steps, sizes, strict=True)]
        strided = [] if all(step == 1 for step in steps) else [(" with strides {}", steps)]
        found = condition(
            all_of(insides),
            (f"'{SUBVIEW}' of sizes {{}}", counts),
            *strided,
            (" at {}", offsets),
            f" is out of the bounds of {description_of(self.entry, source)}",
            (", whose sizes are {}", sizes),
        )
        return (found,) if sizes else ()

    def _of_reinterpretation(self, view: ir.Operation) -> tuple[Condition, ...]:
        """Compare the last element of the view with the number of elements.

        Raises:
            PassFailure: the source is a view, whose offset the new view does not keep.
        """
        source = view.operands[0]
        if source != source_of(source):
            fail(view, "reinterprets a part of a buffer; expected a whole one")
        (offset,), counts, steps = parts_of(view)
        sizes = sizes_of(source)
        total, last = product(sizes), offset
        for count, step in zip(counts, steps, strict=True):
            rest = compute("arith.muli", compute("arith.subi", count, 1), step)
            last = compute("arith.addi", last, rest)
        numbers = [offset, *counts, *steps]
        inside = all_of([is_below(last, total), *(is_below(each, total, ULE) for each in numbers)])
        is_empty = is_equal(product(counts), 0)
        found = condition(
            create("arith.ori", [is_empty, inside], [inside.type]).result,
            (f"'{view.name}' to sizes {{}}", counts),
            (" with strides {}", steps),
            (" at {}", [offset]),
            f" is out of the bounds of {description_of(self.entry, source)}",
            (", whose sizes are {}", sizes),
        )
        return (found,)

    def _of_cast(self, view: ir.Operation) -> tuple[Condition, ...]:
        source, target = view.operands[0], ir.MemRefType(view.results[0].type)
        sizes = sizes_of(source)
        same = [
            is_equal(size, wanted)
            for number, (size, wanted) in enumerate(zip(sizes, target.shape, strict=True))
            if not target.is_dynamic_dim(number) and not isinstance(size, int)
        ]
        if not same:
            return ()
        name = description_of(self.entry, source)
        text = f"'{view.name}' of {name}, whose sizes are {{}}, to '{target}'"
        return (condition(all_of(same), (text, sizes)),)


def _is_inside(offset: Number, count: Number, step: Number, size: Number) -> ir.Value:
    """Return whether `count` elements `offset`, `offset + step`, ... lie within a size.

    Count and step are compared too, as the computation of the last element may overflow.
    """
    fits = is_below(count, size, ULE)
    if step == 1:
        return all_of([fits, is_below(offset, compute("arith.subi", size, count), ULE)])
    rest = compute("arith.muli", compute("arith.subi", count, 1), step)
    last = compute("arith.addi", offset, rest)
    inside = all_of([is_below(offset, size), is_below(step, size, ULE), is_below(last, size)])
    is_empty = is_equal(count, 0)
    return all_of([fits, create("arith.ori", [is_empty, inside], [inside.type]).result])
