"""`-mpmd-mark-input-output-with-layouts`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sdykit.core import FunctionPass, fail, warn
from sdykit.mlir import FuncOp, ir
from sdykit.passes.mpmd._layout_modes import (
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
from sdykit.passes.mpmd._layout_users import Users, users_of
from sdykit.passes.mpmd._program import (
    ARG_ATTRS,
    FRAGMENT,
    MESH_SHAPE,
    RES_ATTRS,
    TOPOLOGY,
    TRANSFER,
    Attributes,
    attributes_of,
    body_of,
    is_public,
    set_attributes,
    spelled,
    terminator,
)


@dataclass(frozen=True)
class MarkInputOutputWithLayoutsPass(FunctionPass):
    """Carry layouts from a program's arguments and results to its fragments.

    `mhlo.layout_mode` on arguments and results of a public function with a `topology` or
    `mesh_shape` is a layout, `"auto"` (the compiler may choose) or `"default"`, which is
    the same as none and is written as none. The pass gives an argument's mode to the
    arguments of the fragments that consume it, and a result's mode to the result of the
    fragment that produces it; arguments and results that are one value get one mode. Every
    fragment gets `res_attrs`.

    Two modes are compatible if they are equal or one of them is `"auto"`. A value that is
    returned several times takes the mode that is not `"auto"`; an argument with `"auto"`
    takes that of its results. Modes that are not compatible are errors.

    `"auto"` leaves the choice to one fragment. So an argument with it that has more than
    one use beside the return (two operands of a fragment are two uses) gets the default,
    and so does a result with it that has any. A fragment's result without users becomes
    `"auto"`. Arguments without users are not looked at.

    A transfer moves tensors in the default layout only. Whatever is connected to one is
    overwritten with the default, and a warning names the layout that an argument or a
    fragment's result loses by it. The option `transfer-layouts` selects what Shardy's
    implementations do.

    Before:

    ```mlir
    func.func @main(%arg0: !m1 {mhlo.layout_mode = "{0,1}"}) -> (!m1 {mhlo.layout_mode = "auto"})
        attributes {topology = #topology} {
      %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%arg1: tensor<4x8xf32>) {...}
      return %0 : !m1
    }
    ```

    After:

    ```mlir
    func.func @main(%arg0: !m1 {mhlo.layout_mode = "{0,1}"}) -> (!m1 {mhlo.layout_mode = "auto"})
        attributes {topology = #topology} {
      %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0)
          {arg_attrs = [{mhlo.layout_mode = "{0,1}"}], res_attrs = [{mhlo.layout_mode = "auto"}]}
          (%arg1: tensor<4x8xf32>) {...}
      return %0 : !m1
    }
    ```
    """

    name = "mpmd-mark-input-output-with-layouts"

    transfer_layouts: Literal["default", "operands", "keep-unless-cpu"] = "default"
    """What transfers do to layouts. `default`: whatever is connected to a transfer gets the
    default layout. `operands`, as in jaxlib 0.10.2: only what a transfer reads gets it, and
    what is behind the transfer stays. `keep-unless-cpu`, as in current Shardy: only operands
    of transfers to a mesh whose name ends in `/cpu` get it; other modes pass through
    transfers, onto the fragment arguments and function results behind them, whatever those
    had."""

    def run(self, func: FuncOp) -> None:
        op = func.operation
        if not is_public(op) or not (TOPOLOGY in op.attributes or MESH_SHAPE in op.attributes):
            return
        if op.regions[0].blocks:
            _Marker(op, self.transfer_layouts).mark()


class _Marker:
    """Marks one function. Attributes are held in lists, and written once at the end."""

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
        for number, argument in enumerate(self._arguments):
            self._mark_argument(number, argument)
        for op in self._ops:
            if op.name == FRAGMENT:
                self._mark_results(op)
            elif op.name == TRANSFER and self._clear:
                self._overwrite_behind(op, DEFAULT)
        for fragment, attributes in self._fragment_attrs.items():
            set_attributes(fragment, ARG_ATTRS, attributes)
        _write(self._func, ARG_ATTRS, self._argument_attrs)
        _write(self._func, RES_ATTRS, self._result_attrs)

    def _mark_argument(self, number: int, argument: ir.Value) -> None:
        users = users_of(argument, self._return)
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
            users = users_of(value, self._return)
            mode, _ = self._mode_of_results(users.results)
            if self._is_forced(users):
                mode = _forced(mode, fragment.location, f"Result #{number}")
            elif is_auto(mode) and users.program_uses:
                mode = DEFAULT
            set_mode(attributes[number], mode)
            self._set_on_users(users, mode)
        set_attributes(fragment, RES_ATTRS, attributes)

    def _mode_of_results(self, results: Iterable[int]) -> tuple[Mode, int]:
        """Give the mode of the results that a value is returned as, and one that has it.

        The last one that is not `"auto"` counts.
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

    def _is_forced(self, users: Users) -> bool:
        """Tell whether a transfer wants the default layout of a value."""
        return users.has_transfer_to_cpu if self._keep else bool(users.transfers)

    def _set_on_users(self, users: Users, mode: Mode) -> None:
        """Set the mode of a value on the fragment arguments and results that it becomes."""
        for fragment, number in users.fragments:
            set_mode(self._attributes_of(fragment)[number], mode)
        for number in users.results:
            set_mode(self._result_attrs[number], mode)
        if self._keep:
            for transfer in users.transfers:
                self._overwrite_behind(transfer, mode)

    def _overwrite_behind(self, transfer: ir.Operation, mode: Mode) -> None:
        """Set a mode where the result of a transfer goes; what is the default already stays."""
        pending = [transfer]
        while pending:
            users = users_of(pending.pop().results[0], self._return)
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
    """Give the mode of what a transfer reads; warn if a layout is lost by it."""
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
    """Set the attributes of a function's arguments or results; without any, the array goes."""
    if any(attributes):
        set_attributes(func, name, attributes)
    elif name in func.attributes:
        del func.attributes[name]
