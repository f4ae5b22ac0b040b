"""What tells the user something, and what tells the compiler something."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.reference.memrefs import Do
from sdykit.sparsecore.mosaic.reference.sites import Sites
from sdykit.sparsecore.mosaic.reference.subcore import Subcore, region_of
from sdykit.sparsecore.mosaic.reference.tables import Table
from sdykit.sparsecore.mosaic.reference.views import View
from sdykit.sparsecore.mosaic.reports import Action, FailedCheck, NotAMultiple

OPS: Table[Callable[[ir.OpView, Sites], Do]] = Table("Structure, ids, messages")


@OPS("tpu.core_id")
def core_id(op: Any, sites: Sites) -> Do:
    """The number of the subcore's core."""
    del op, sites
    return lambda me: me.agent.core


@OPS("tpu.subcore_id")
def subcore_id(op: Any, sites: Sites) -> Do:
    """The number of a vector subcore in its core; 0 for a scalar one."""
    del op, sites
    return lambda me: me.agent.subcore or 0


@OPS("tpu.device_id")
def device_id(op: Any, sites: Sites) -> Do:
    """The number of the device in its mesh."""
    del op, sites
    return lambda me: me.machine.device


@OPS("tpu.assume_multiple")
def assume_multiple(op: Any, sites: Sites) -> Do:
    """The operand; an error if it is not a multiple of what the user said."""
    place, multiple = sites.place(op), ir.IntegerAttr(op.multiple).value

    def run(me: Subcore, value: Any) -> Any:
        wrong = [int(each) for each in np.asarray(value).reshape(-1) if each % multiple]
        if wrong:
            report = NotAMultiple(agent=me.number, place=place, value=wrong[0], multiple=multiple)
            me.machine.fail(report)
        return value

    return run


@OPS("tpu.trace_start", "tpu.trace_stop", "tpu.trace_value", "tpu.delay")
def nothing(op: Any, sites: Sites) -> Do:
    """Nothing."""
    del op, sites
    return lambda me, *values: None


@OPS("tpu.log")
def log(op: Any, sites: Sites) -> Do:
    """A line on the process's standard error: subcore, tag, types and values, in the order of runs.

    Floats are written as float32, with the fewest digits that are read as the same number.
    """
    del sites
    tag = ir.StringAttr(op.tag).value
    types = [str(each.type) for each in op.inputs]

    def run(me: Subcore, *values: Any) -> None:
        shown = [f"{type_} {_shown(value)}" for type_, value in zip(types, values, strict=True)]
        sys.stderr.write(f"{': '.join([me.agent.text, tag, *shown])}\n")

    return run


@OPS("tpu.log_buffer")
def log_buffer(op: Any, sites: Sites) -> Do:
    """The same with the elements of a memref."""
    place, tag = sites.place(op), ir.StringAttr(op.tag).value

    def run(me: Subcore, memref: View) -> None:
        if region_of(memref).is_private:
            me.touch(place, memref, Action.READ)
        type_ = "x".join([*map(str, memref.shape), memref.element])
        sys.stderr.write(f"{me.agent.text}: {tag}: {type_} {_shown(memref.read())}\n")

    return run


def _shown(value: Any) -> str:
    """Return the text of a number, or of an array of them."""
    array = np.asarray(value)
    if array.ndim:
        return f"[{', '.join(map(_shown, array))}]"
    if "float" not in array.dtype.name:
        return str(int(array))
    number = np.float32(array.item())
    if not number or 1e-4 <= abs(float(number)) < 1e6:
        return np.format_float_positional(number, trim="0")
    return np.format_float_scientific(number, trim="-", exp_digits=2)


@OPS("cf.assert")
def assert_(op: Any, sites: Sites) -> Do:
    """An error with the user's message if the operand is false (`pl.debug_check`)."""
    place, message = sites.place(op), ir.StringAttr(op.attributes["msg"]).value

    def run(me: Subcore, holds: bool) -> None:
        if not holds:
            me.machine.fail(FailedCheck(agent=me.number, place=place, message=message))

    return run
