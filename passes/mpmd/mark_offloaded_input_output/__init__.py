"""`-mpmd-mark-offloaded-input-output`.

`marker` marks one function; `tracing` finds the values inside a fragment that are in host memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import FunctionPass
from sdykit.core.mpmd.program import MESH_SHAPE, TOPOLOGY, is_public
from sdykit.mlir import FuncOp
from sdykit.passes.mpmd.mark_offloaded_input_output.marker import Marker


@dataclass(frozen=True)
class MarkOffloadedInputOutputPass(FunctionPass):
    """Mark the arguments and results of a program and its fragments that are in host memory.

    In a public function with a `topology` or `mesh_shape`, these get
    `mhlo.memory_kind = "pinned_host"`:

    - arguments of fragments whose operand is a marked argument of the function, or a marked
      result of a fragment; the mark does not pass through transfers,
    - results of fragments that are computed on the host (`_xla_compute_type = "host"`), or
      annotated with the placement `"pinned_host"`. The memory kind passes through
      optimization barriers, results of while bodies, updates of slices, reshapes that only
      add or remove dimensions of size 1, calls, and the custom calls of sharding,
    - arguments and results of the function itself without the attribute, so that a runtime
      can read where they are: results that are marked values, and arguments that all users
      expect on the host.

    Every fragment gets both `arg_attrs` and `res_attrs`. Memory kinds that contradict each
    other are errors. `"device"` is the same as no attribute, but the users of one argument
    must have exactly the same text; a transfer counts as a user without the attribute.
    Arguments without users are skipped.

    Before:

    ```mlir
    func.func @main(%arg0: !m1 {mhlo.memory_kind = "pinned_host"}) -> !m1
        attributes {topology = #topology} {
      %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%arg1: tensor<8xf32>) {
        %1 = stablehlo.custom_call @annotate_device_placement(%arg1)
            {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}}
            : (tensor<8xf32>) -> tensor<8xf32>
        mpmd.return %1 : tensor<8xf32>
      } : (!m1) -> !m1
      return %0 : !m1
    }
    ```

    After:

    ```mlir
    func.func @main(%arg0: !m1 {mhlo.memory_kind = "pinned_host"})
        -> (!m1 {mhlo.memory_kind = "pinned_host"}) attributes {topology = #topology} {
      %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0)
          {arg_attrs = [{mhlo.memory_kind = "pinned_host"}],
           res_attrs = [{mhlo.memory_kind = "pinned_host"}]} (%arg1: tensor<8xf32>) {...}
      return %0 : !m1
    }
    ```
    """

    name = "mpmd-mark-offloaded-input-output"

    mark_entry_point: bool = True
    """Mark the function's own arguments and results. False, as in jaxlib 0.10.2: only
    check them."""

    def run(self, func: FuncOp) -> None:
        op = func.operation
        if not is_public(op) or not (TOPOLOGY in op.attributes or MESH_SHAPE in op.attributes):
            return
        if op.regions[0].blocks:
            Marker(op, fills=self.mark_entry_point).mark()
