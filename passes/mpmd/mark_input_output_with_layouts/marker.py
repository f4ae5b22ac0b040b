"""Mark one function with layout modes, as in `mhlo.layout_mode`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sdykit.core import fail, warn
from sdykit.core.mpmd.program import (
    ARG_ATTRS,
    FRAGMENT,
    RES_ATTRS,
    TRANSFER,
    Attributes,
    attributes_of,
    body_of,
    is_cpu_mesh,
    set_attributes,
    spelled,
    terminator,
)
from sdykit.dialects import mpmd
from sdykit.mlir import ir
from sdykit.passes.mpmd.mark_input_output_with_layouts.modes import (
    DEFAULT,
    Mode,
    are_compatible,
    auto,
    is_auto,
    is_default,
    is_layout,
    mode_of,
    set_mode,
)


class Marker:
    """Marks one function. Attributes are collected in lists, and set once at the end."""

    def __init__(self, func: ir.Operation, transfer_layouts: str) -> None:
        entry = body_of(func)
        self._func = func
        self._keep = transfer_layouts == "keep-unless-cpu"
        self._clear = transfer_layouts == "default"
        self._return = terminator(entry)
        self._ops = [op.operation for op in entry]
        self._arguments = list(entry.arguments)
        self._argument_attrs = attributes_of(func, ARG_ATTRS, len(self._arguments))
        self._result_attrs = attributes_of(func, RES_ATTRS, len(self._return.operands))
        self._fragment_attrs: dict[ir.Operation, list[Attributes]] = {}

    def mark(self) -> None:
        """Set the modes on the function and its fragments."""
        for number, argument in enumerate(self._arguments):
            self._mark_argument(number, argument)
        for op in self._ops:
            if op.name == FRAGMENT:
                self._mark_results(op)
            elif op.name == TRANSFER and self._clear:
                self._overwrite_after(op, DEFAULT)
        for fragment, attributes in self._fragment_attrs.items():
            set_attributes(fragment, ARG_ATTRS, attributes)
        _write(self._func, ARG_ATTRS, self._argument_attrs)
        _write(self._func, RES_ATTRS, self._result_attrs)

    def _mark_argument(self, number: int, argument: ir.Value) -> None:
        users = _users_of(argument, self._return)
        if not users.all_uses:
            return
        mode = mode_of(self._argument_attrs[number])
        returned, result = self._mode_of_results(users.results)
        if not are_compatible(mode, returned):
            fail(
                self._func.location,
                f"Arg #{number} is returned as result #{result}, but with incompatible layouts:"
                f" {spelled(mode)} vs. {spelled(returned)}",
            )
        if is_auto(mode):
            mode = returned
        if self._is_forced(users):
            mode = _forced(mode, argument.location, f"Arg #{number}")
        elif is_auto(mode) and users.program_uses > 1:
            mode = DEFAULT
        set_mode(self._argument_attrs[number], mode)
        self._set_on_users(users, mode)

    def _mark_results(self, fragment: ir.Operation) -> None:
        values = list(fragment.results)
        attributes = attributes_of(fragment, RES_ATTRS, len(values))
        for number, value in enumerate(values):
            users = _users_of(value, self._return)
            mode, _ = self._mode_of_results(users.results)
            if self._is_forced(users):
                mode = _forced(mode, fragment.location, f"Result #{number}")
            elif is_auto(mode) and users.program_uses:
                mode = DEFAULT
            set_mode(attributes[number], mode)
            self._set_on_users(users, mode)
        set_attributes(fragment, RES_ATTRS, attributes)

    def _mode_of_results(self, results: Iterable[int]) -> tuple[Mode, int]:
        """Return the mode of the results that a value is returned as, and one such result.

        The mode is that of the last result that is not `"auto"`; the result is -1 if all are.
        """
        found, found_at = auto(), -1
        for number in results:
            mode = mode_of(self._result_attrs[number])
            if not are_compatible(found, mode):
                fail(
                    self._return.location,
                    f"Result #{found_at} is also returned as result #{number}, but with"
                    f" incompatible layouts: {spelled(found)} vs. {spelled(mode)}",
                )
            if not is_auto(mode):
                found, found_at = mode, number
        return found, found_at

    def _is_forced(self, users: _Users) -> bool:
        """Return whether a transfer requires the default layout of a value."""
        return users.has_transfer_to_cpu if self._keep else bool(users.transfers)

    def _set_on_users(self, users: _Users, mode: Mode) -> None:
        """Set the mode of a value on the fragment arguments and function results that use it."""
        for fragment, number in users.fragments:
            set_mode(self._attributes_of(fragment)[number], mode)
        for number in users.results:
            set_mode(self._result_attrs[number], mode)
        if self._keep:
            for transfer in users.transfers:
                self._overwrite_after(transfer, mode)

    def _overwrite_after(self, transfer: ir.Operation, mode: Mode) -> None:
        """Set a mode where the result of a transfer is used; no array is added for the default."""
        pending = [transfer]
        while pending:
            users = _users_of(pending.pop().results[0], self._return)
            for number in users.results:
                _overwrite(self._result_attrs[number], mode)
            for fragment, number in users.fragments:
                if not is_default(mode) or ARG_ATTRS in fragment.attributes:
                    _overwrite(self._attributes_of(fragment)[number], mode)
            if self._keep:
                pending += users.transfers

    def _attributes_of(self, fragment: ir.Operation) -> list[Attributes]:
        found = self._fragment_attrs.get(fragment)
        if found is None:
            found = attributes_of(fragment, ARG_ATTRS, len(fragment.operands))
            self._fragment_attrs[fragment] = found
        return found


def _forced(mode: Mode, location: ir.Location, what: str) -> Mode:
    """Return the mode of the operand of a transfer, and warn if a layout is lost."""
    if is_layout(mode):
        warn(
            location,
            f"{what} is used in a transfer op, but with a non-default layout: {spelled(mode)}."
            " Forcing the layout to default.",
        )
    return DEFAULT


def _overwrite(attributes: Attributes, mode: Mode) -> None:
    if not is_default(mode) or not is_default(mode_of(attributes)):
        set_mode(attributes, mode)


def _write(func: ir.Operation, name: str, attributes: list[Attributes]) -> None:
    """Set `arg_attrs` or `res_attrs` of a function; remove the array if all are empty."""
    if any(attributes):
        set_attributes(func, name, attributes)
    elif name in func.attributes:
        del func.attributes[name]


@dataclass(slots=True)
class _Users:
    """The uses of a value by kind, newest first."""

    results: list[int] = field(default_factory=list)
    """The numbers of the function results that the value is returned as."""
    fragments: list[tuple[ir.Operation, int]] = field(default_factory=list)
    """The fragments that use the value, each with the number of the operand."""
    transfers: list[ir.Operation] = field(default_factory=list)
    """The transfers of the value."""
    program_uses: int = 0
    """The number of uses by fragments, transfers and other ops of the dialect, such as calls."""
    all_uses: int = 0
    """The number of uses by any op."""

    @property
    def has_transfer_to_cpu(self) -> bool:
        """Whether one of the transfers goes to a mesh of CPUs."""
        return any(
            is_cpu_mesh(mpmd.MeshTensorType.of(op.results[0].type).mesh_name)
            for op in self.transfers
        )


def _users_of(value: ir.Value, return_op: ir.Operation) -> _Users:
    """List the uses of a value in the function that ends with `return_op`.

    Uses by ops of other dialects are only counted: they are in functions over a single mesh,
    which XLA compiles as a whole.
    """
    users = _Users()
    for use in value.uses:
        users.all_uses += 1
        op = use.owner.operation
        name = op.name
        if name.startswith("mpmd."):
            users.program_uses += 1
        if name == FRAGMENT:
            users.fragments.append((op, use.operand_number))
        elif name == TRANSFER:
            users.transfers.append(op)
        elif op == return_op:
            users.results.append(use.operand_number)
    return users
