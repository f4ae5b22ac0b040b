"""`-mpmd-mark-input-output-with-layouts`.

`marker` marks one function; `modes` compares layout modes.
"""

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
    the same as no attribute and is written as none. The pass sets an argument's mode on the
    arguments of the fragments that consume it, and a result's mode on the result of the
    fragment that produces it. If an argument is returned, it and the result get one mode.
    Every fragment gets `res_attrs`.

    Two modes are compatible if they are equal or one of them is `"auto"`. A value that is
    returned several times takes the mode that is not `"auto"`; an argument with `"auto"`
    takes the mode of its results. Modes that are not compatible are errors.

    `"auto"` lets one fragment choose. So an `"auto"` argument with more than one use besides
    the return (two operands of a fragment are two uses) gets the default, and so does an
    `"auto"` result with any use besides the return. A fragment's result without users becomes
    `"auto"`. Arguments without users are skipped.

    A transfer moves tensors in the default layout only. The operand and the result of a
    transfer therefore get the default, wherever they are used, and a warning names the layout
    that an argument or a fragment's result loses. The option `transfer-layouts` selects what
    Shardy's implementations do.

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
    """How transfers change layouts. `default`: operands and results of transfers get the
    default layout. `operands`, as in jaxlib 0.10.2: only operands get it, and layouts after
    the transfer stay. `keep-unless-cpu`, as in Shardy newer than jaxlib 0.10.2: only operands
    of transfers to a mesh whose name ends in `/cpu` get it; other modes pass through
    transfers, and replace those of the fragment arguments and function results after them."""

    def run(self, func: FuncOp) -> None:
        op = func.operation
        if not is_public(op) or not (TOPOLOGY in op.attributes or MESH_SHAPE in op.attributes):
            return
        if op.regions[0].blocks:
            Marker(op, self.transfer_layouts).mark()
