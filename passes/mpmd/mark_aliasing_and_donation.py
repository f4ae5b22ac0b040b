"""`-mpmd-mark-aliasing-and-donation`."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import FunctionPass, fail
from sdykit.core.mpmd.program import (
    ALIASING_OUTPUT,
    ARG_ATTRS,
    BUFFER_DONOR,
    FRAGMENT,
    LAYOUT_MODE,
    RES_ATTRS,
    TOPOLOGY,
    TRANSFER,
    Attributes,
    attributes_of,
    body_of,
    is_marked_pinned_host,
    is_true,
    set_attributes,
)
from sdykit.mlir import FuncOp, ir
from sdykit.passes.mpmd._shared.uses import last_uses


@dataclass(frozen=True)
class MarkAliasingAndDonationPass(FunctionPass):
    """Mark which inputs of a fragment share a buffer with an output, or can be overwritten.

    In functions with a topology, the `arg_attrs` of a fragment get for each input

    - `tf.aliasing_output = N : i32` if its buffer can become that of output N;
    - otherwise `jax.buffer_donor = true` if its buffer can be used for anything;
    - otherwise nothing. A fragment without any mark gets no `arg_attrs`.

    Only the last use of a value is marked; if one fragment uses it twice, the last operand.
    Values that a transfer reads are skipped, and so are operands that are marked
    `mhlo.memory_kind = "pinned_host"`. Operands are visited in order.

    - An argument of the function follows its own marks. With `jax.buffer_donor = true` it is
      only donated. With `tf.aliasing_output = K`, the first choice is the output that becomes
      result K of the function, possibly through transfers and other ops with one operand
      (there is none if the function has no result K). The second choice is the first
      compatible output, the third is donation. Without either mark it gets nothing.
    - Any other value takes the first compatible output, and is donated if there is none.

    An input and an output are compatible if their types are equal, including the sharding,
    their `mhlo.layout_mode` is equal (absent differs from `"default"`), the output is not in
    `pinned_host` memory, and no other input has taken it.

    Fails if an input has one of the two marks already, or if `tf.aliasing_output` of an
    argument of the function is not a number.

    Before:

    ```mlir
    func.func public @main(%arg0: !m1_8xf32 {jax.buffer_donor = true}, %arg1: !m1_8xf32) ... {
      %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0, %arg1) (...) {...}
      %1 = mpmd.fragment<mesh="m1", origin=["g"]> (%0) (...) {...}
    ```

    After:

    ```mlir
    func.func public @main(%arg0: !m1_8xf32 {jax.buffer_donor = true}, %arg1: !m1_8xf32) ... {
      %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0, %arg1)
          {arg_attrs = [{jax.buffer_donor = true}, {}]} (...) {...}
      %1 = mpmd.fragment<mesh="m1", origin=["g"]> (%0)
          {arg_attrs = [{tf.aliasing_output = 0 : i32}]} (...) {...}
    ```
    """

    name = "mpmd-mark-aliasing-and-donation"

    def run(self, func: FuncOp) -> None:
        if TOPOLOGY not in func.attributes or not func.regions[0].blocks:
            return  # Not a program, or only declared.
        ops = [op.operation for op in body_of(func.operation)]
        uses = last_uses(ops)
        transferred = {op.operands[0] for op in ops if op.name == TRANSFER}
        arguments = _donations(func.operation, ops)
        for position, op in enumerate(ops):
            if op.name != FRAGMENT:
                continue
            candidates = [
                number
                for number, value in enumerate(op.operands)
                if uses[value] == (position, number) and value not in transferred
            ]
            _mark(op, candidates, arguments)


@dataclass(frozen=True)
class _Donation:
    """How the buffer of an argument of the function may be used."""

    allowed: bool = False
    """Whether it may be overwritten."""
    aliases: bool = False
    """Whether it may become the buffer of one output."""
    preferred: ir.Value | None = None
    """The value that should take the buffer, if possible."""


_FREE = _Donation(allowed=True, aliases=True)
"""Values other than arguments of the function can be overwritten after their last use."""


def _donations(func: ir.Operation, ops: Sequence[ir.Operation]) -> dict[ir.Value, _Donation]:
    """Return how the buffer of each argument of the function may be used."""
    arguments = body_of(func).arguments
    marks = attributes_of(func, ARG_ATTRS, len(arguments))
    found: dict[ir.Value, _Donation] = {}
    sources: dict[ir.Value, ir.Value] = {}
    for number, (argument, attributes) in enumerate(zip(arguments, marks, strict=True)):
        if is_true(attributes.get(BUFFER_DONOR)):
            found[argument] = _Donation(allowed=True)
        elif ALIASING_OUTPUT in attributes:
            returned = _aliased_result(func, number, attributes, ops[-1])
            if returned is None:
                found[argument] = _FREE
                continue
            if returned not in sources:
                sources[returned] = _source_of(returned)
            found[argument] = _Donation(True, True, sources[returned])
        else:
            found[argument] = _Donation()
    return found


def _aliased_result(
    func: ir.Operation, number: int, attributes: Attributes, terminator: ir.Operation
) -> ir.Value | None:
    """Return the value that is returned as the result that an argument is aliased with, or None."""
    attribute = attributes[ALIASING_OUTPUT]
    if not isinstance(attribute, ir.IntegerAttr):
        fail(
            func,
            f"argument #{number} has {ALIASING_OUTPUT} = {attribute}; expected the number of"
            " a result of the function",
        )
    returned = terminator.operands
    return returned[attribute.value] if 0 <= attribute.value < len(returned) else None


def _source_of(value: ir.Value) -> ir.Value:
    """Trace a value back to the fragment result or function argument that it comes from."""
    while isinstance(value, ir.OpResult):
        op = value.owner.operation
        if op.name == FRAGMENT or len(op.operands) != 1:
            break
        value = op.operands[0]
    return value


def _mark(
    fragment: ir.Operation, candidates: Sequence[int], arguments: dict[ir.Value, _Donation]
) -> None:
    operands = list(fragment.operands)
    attributes = attributes_of(fragment, ARG_ATTRS, len(operands))
    _check_unmarked(fragment, attributes)
    outputs = _Outputs(fragment)
    marked = False
    for number in candidates:
        value, own = operands[number], attributes[number]
        donation = arguments.get(value, _FREE)
        if not donation.allowed or is_marked_pinned_host(own):
            continue
        output = outputs.take(value, own, donation.preferred) if donation.aliases else None
        if output is None:
            own[BUFFER_DONOR] = ir.BoolAttr.get(True)
        else:
            own[ALIASING_OUTPUT] = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), output)
        marked = True
    if marked:
        set_attributes(fragment, ARG_ATTRS, attributes)


def _check_unmarked(fragment: ir.Operation, attributes: Sequence[Attributes]) -> None:
    for number, own in enumerate(attributes):
        for name in (BUFFER_DONOR, ALIASING_OUTPUT):
            if name in own:
                fail(
                    fragment,
                    f"argument #{number} has {name} = {own[name]} already; expected a fragment"
                    " without marks of aliasing and donation",
                )


_Kind = tuple[ir.Type, str]
"""The type and the layout: equal for values that can share a buffer."""


def _kind(value: ir.Value, own: Attributes) -> _Kind:
    # As text, since the bindings cannot compare an attribute with None.
    layout = own.get(LAYOUT_MODE)
    return value.type, "" if layout is None else str(layout)


class _Outputs:
    """The outputs of a fragment that no input has taken yet."""

    def __init__(self, fragment: ir.Operation) -> None:
        self._fragment = fragment
        self._attributes = attributes_of(fragment, RES_ATTRS, len(fragment.results))
        self._free: set[int] = set()
        self._by_kind: dict[_Kind, deque[int]] = defaultdict(deque)
        for number, result in enumerate(fragment.results):
            own = self._attributes[number]
            if not is_marked_pinned_host(own):
                self._free.add(number)
                self._by_kind[_kind(result, own)].append(number)

    def take(self, value: ir.Value, own: Attributes, preferred: ir.Value | None) -> int | None:
        """Take an output that can share the buffer of `value`; return its number, or None."""
        kind = _kind(value, own)
        if isinstance(preferred, ir.OpResult) and preferred.owner == self._fragment:
            number = preferred.result_number
            if number in self._free and kind == _kind(preferred, self._attributes[number]):
                self._free.remove(number)
                return number
        queue = self._by_kind[kind]
        while queue:
            number = queue.popleft()
            if number in self._free:
                self._free.remove(number)
                return number
        return None
