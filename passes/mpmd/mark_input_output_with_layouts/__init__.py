"""`-mpmd-mark-input-output-with-layouts`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sdykit.core import FunctionPass
from sdykit.core.mpmd.program import MESH_SHAPE, TOPOLOGY, is_public
from sdykit.mlir import FuncOp
from sdykit.passes.mpmd.mark_input_output_with_layouts.marker import Marker


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
            Marker(op, self.transfer_layouts).mark()
