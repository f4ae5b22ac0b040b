"""Mark one function with memory kinds, as in `mhlo.memory_kind`."""

from __future__ import annotations

from typing import NamedTuple

from sdykit.core import fail
from sdykit.core.mpmd.program import (
    ARG_ATTRS,
    FRAGMENT,
    MEMORY_KIND,
    PINNED_HOST,
    RES_ATTRS,
    Attributes,
    attributes_of,
    body_of,
    is_pinned_host,
    set_attributes,
    spelled,
    terminator,
)
from sdykit.mlir import ir
from sdykit.passes.mpmd.mark_offloaded_input_output.tracing import HostTracer

Kind = ir.Attribute | None
"""The memory kind of an argument or result; None without the attribute."""


class _Mismatch(NamedTuple):
    """An error: memory kinds that contradict each other."""

    location: ir.Location
    message: str


class _Use(NamedTuple):
    """A use of an argument, with the memory kind that it expects."""

    op: ir.Operation
    kind: Kind


class Marker:
    """Marks one function; with `fills` also its own arguments and results."""

    def __init__(self, func: ir.Operation, *, fills: bool) -> None:
        entry = body_of(func)
        self._func = func
        self._fills = fills
        self._return = terminator(entry)
        self._ops = [op.operation for op in entry]
        self._arguments = list(entry.arguments)
        self._argument_attrs = attributes_of(func, ARG_ATTRS, len(self._arguments))
        self._result_attrs = attributes_of(func, RES_ATTRS, len(self._return.operands))
        self._pinned_host = ir.StringAttr.get(PINNED_HOST)
        self._tracer = HostTracer()
        self._kinds: dict[ir.Value, Kind] = {}
        """The memory kinds of function arguments and fragment results."""
        self._argument_kinds: dict[ir.Operation, list[Kind]] = {}
        """The memory kinds of the arguments of each fragment."""
        self._mismatches: list[_Mismatch] = []

    def mark(self) -> None:
        """Set the memory kinds on the function and its fragments."""
        for argument, attributes in zip(self._arguments, self._argument_attrs, strict=True):
            self._kinds[argument] = attributes.get(MEMORY_KIND)
        for op in self._ops:
            if op.name == FRAGMENT:
                self._mark_fragment(op)
        if self._fills:
            self._fill_results()
        for number, argument in enumerate(self._arguments):
            self._check_argument(number, argument)
        for number, value in enumerate(self._return.operands):
            self._check_result(number, value)
        self._report()
        if self._fills:
            self._write()

    def _mark_fragment(self, fragment: ir.Operation) -> None:
        arguments = attributes_of(fragment, ARG_ATTRS, len(fragment.operands))
        for number, operand in enumerate(fragment.operands):
            if is_pinned_host(self._kinds.get(operand)):
                self._mark_one(fragment, arguments[number], f"arg {number} of a fragment and")
        results = attributes_of(fragment, RES_ATTRS, len(fragment.results))
        for number, value in enumerate(terminator(body_of(fragment)).operands):
            if self._tracer.is_on_host(value):
                self._mark_one(fragment, results[number], f"result {number} of a fragment and")
        set_attributes(fragment, ARG_ATTRS, arguments)
        set_attributes(fragment, RES_ATTRS, results)
        self._argument_kinds[fragment] = [each.get(MEMORY_KIND) for each in arguments]
        for value, attributes in zip(fragment.results, results, strict=True):
            self._kinds[value] = attributes.get(MEMORY_KIND)

    def _mark_one(self, fragment: ir.Operation, attributes: Attributes, what: str) -> None:
        """Mark an argument or result of a fragment, which may be marked already."""
        kind = attributes.setdefault(MEMORY_KIND, self._pinned_host)
        if not is_pinned_host(kind):
            self._mismatch(fragment.location, f"{what} its value", kind, self._pinned_host)

    def _fill_results(self) -> None:
        for value, attributes in zip(self._return.operands, self._result_attrs, strict=True):
            if is_pinned_host(self._kind_of(value)):
                attributes.setdefault(MEMORY_KIND, self._pinned_host)

    def _check_argument(self, number: int, argument: ir.Value) -> None:
        """Compare the kinds that the users of an argument expect, with each other and its own."""
        uses = self._uses_of(argument)
        if not uses:
            return
        first, *others = uses
        different = [use for use in others if not _are_written_alike(first.kind, use.kind)]
        for use in different:
            self._mismatch(
                argument.location,
                f"users of arg {number}",
                first.kind,
                use.kind,
                f"\n{_without_regions(first.op)} vs \n{_without_regions(use.op)}",
            )
        attributes = self._argument_attrs[number]
        if self._fills and not different and is_pinned_host(first.kind):
            self._kinds[argument] = attributes.setdefault(MEMORY_KIND, self._pinned_host)
        own, expected = attributes.get(MEMORY_KIND), first.kind
        if self._contradict(own, expected):
            self._mismatch(argument.location, f"arg {number} and users", own, expected)

    def _check_result(self, number: int, value: ir.Value) -> None:
        own, found = self._result_attrs[number].get(MEMORY_KIND), self._kind_of(value)
        if self._contradict(own, found):
            self._mismatch(self._return.location, f"result {number} and defining op", own, found)

    def _kind_of(self, value: ir.Value) -> Kind:
        """Return the memory kind of a value in the function, as it is marked."""
        if value in self._kinds:
            return self._kinds[value]
        # A function over a single mesh has ops of its own, like the body of a fragment.
        return self._pinned_host if self._fills and self._tracer.is_on_host(value) else None

    def _uses_of(self, argument: ir.Value) -> list[_Use]:
        """List the uses of an argument by `mpmd` ops and the return, newest first."""
        uses = []
        for use in argument.uses:
            op, number = use.owner.operation, use.operand_number
            name = op.name
            if name == FRAGMENT:
                uses.append(_Use(op, self._argument_kinds[op][number]))
            elif name.startswith("mpmd."):
                uses.append(_Use(op, None))
            elif op == self._return:
                uses.append(_Use(op, self._result_attrs[number].get(MEMORY_KIND)))
        return uses

    def _contradict(self, one: Kind, other: Kind) -> bool:
        if _is_device(one) or _is_device(other):
            return _is_device(one) != _is_device(other)
        # jaxlib 0.10.2 does not distinguish memories other than that of the device.
        return self._fills and not _are_written_alike(one, other)

    def _mismatch(
        self, location: ir.Location, between: str, one: Kind, other: Kind, more: str = ""
    ) -> None:
        message = f"Memory kind mismatch between {between}: {spelled(one)} vs {spelled(other)}"
        self._mismatches.append(_Mismatch(location, message + more))

    def _report(self) -> None:
        """Emit an error for each mismatch, and fail with the last one."""
        for location, message in self._mismatches[:-1]:
            location.emit_error(message)
        for location, message in self._mismatches[-1:]:
            fail(location, message)

    def _write(self) -> None:
        for name, attributes in (
            (ARG_ATTRS, self._argument_attrs),
            (RES_ATTRS, self._result_attrs),
        ):
            if any(attributes):
                set_attributes(self._func, name, attributes)


def _without_regions(op: ir.Operation) -> str:
    return str(op.get_asm(skip_regions=True)).strip()


def _is_device(kind: Kind) -> bool:
    """Return whether a kind is the memory of the device, written or absent."""
    return not isinstance(kind, ir.StringAttr) or kind.value == "device"


def _are_written_alike(one: Kind, other: Kind) -> bool:
    """Return whether two kinds have the same text; `"device"` differs from an absent kind."""
    if one is None or other is None:
        return one is other
    return one == other
