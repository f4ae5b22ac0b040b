"""What devices still have to combine of the results of an op, and who does it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.axes import Axes
from sdykit.passes.sdy.insert_explicit_reshards.unreduced import axes_without
from sdykit.spmd.devices.layout import Layout
from sdykit.spmd.local import emit
from sdykit.spmd.local.collectives import unreduced
from sdykit.spmd.local.moving import Part, Pending, reduced
from sdykit.spmd.local.program import LocalProgram


@dataclass(frozen=True)
class Reduced:
    """The axes along which an op reduces.

    Attributes:
        apart: those along which each device has reduced its part.
        done: those along which it has reduced the whole tensor, though the op could have been run on
            parts: an all-reduce in the program is not to be done.
    """

    apart: Axes
    done: Axes

    def result(
        self,
        program: LocalProgram,
        op: ir.Operation,
        part: Part,
        declared: Layout,
        reduction: str | None,
    ) -> Part:
        """Return a result in the layout that its sharding declares.

        Axes that it is not declared unreduced along are pending, if the program has the collectives that
        combine them; else they are combined here, and a collective in the program is not to do it again.
        """
        apart = axes_without(self.apart, declared.unreduced)
        kept = axes_without(self.apart, apart)
        part = replace(part, layout=replace(part.layout, unreduced=(*apart, *kept)))
        how = reduction or emit.ADD
        if not program.is_explicit:
            part = program.converted(reduced(part, apart, how), declared, op)
            done = axes_without((*self.apart, *self.done), declared.unreduced)
            return replace(part, pending=Pending(done, None)) if done else part
        done = axes_without(self.done, declared.unreduced)
        if done:
            part, apart, done = reduced(part, apart, how), (), (*done, *apart)
        part = replace(part, layout=replace(part.layout, unreduced=kept))
        part = _apart_again(part, axes_without(self.done, done), declared)
        if apart:
            part = replace(part, pending=Pending(apart, how))
        elif done:
            part = replace(part, pending=Pending(done, None))
        return program.converted(part, declared, op)


def _apart_again(part: Part, axes: Axes, declared: Layout) -> Part:
    """Make a whole sum unreduced along axes that it is declared unreduced along."""
    if not axes:
        return part
    assert declared.mesh is not None
    layout = replace(part.layout, mesh=declared.mesh, unreduced=(*part.layout.unreduced, *axes))
    return unreduced(part, axes, layout, declared.mesh)
