"""`-sdy-constant-splitter`.

`scopes` are split one by one: `constants` finds the constants of a scope, by the kinds of ops in
`ops`, and `copies` copies them, in the order of their uses (`order`). `conversion` comes first.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, has_single_blocks
from sdykit.mlir import ModuleOp
from sdykit.passes.sdy.constant_splitter.constants import LISTED, Constants
from sdykit.passes.sdy.constant_splitter.conversion import convert_constants
from sdykit.passes.sdy.constant_splitter.copies import Callees, split
from sdykit.passes.sdy.constant_splitter.ops import Shapes
from sdykit.passes.sdy.constant_splitter.scopes import Computation, scopes_of


@dataclass(frozen=True)
class ConstantSplitterPass(ModulePass):
    """Copy each constant, with all that it is computed from, for each of its uses.

    So no sharding is propagated between uses that are otherwise unrelated.

    First every `stablehlo.constant` becomes a `sdy.constant` with the same attributes, and
    ops are folded as by any dialect conversion. Then each constant that is not a scalar,
    and each broadcast of a scalar, is copied for every use by an op that is not a constant
    itself. A constant is

    - a `sdy.constant` or `stablehlo.iota`;
    - a pure element-wise op, `broadcast_in_dim`, `reshape` or `slice` of constants;
    - a `func.call` or `sdy.named_computation` on constants whose body holds nothing but
      the above, and `sdy.sharding_group`s; of `named_computation`s that share a name, the
      bodies of all must. A function without a body qualifies.

    The constants that it is computed from are copied with it, except scalars, which are never
    copied. Within one copy a value may have several uses. The copies of an op are inserted before
    the original, in the order of the uses: an op comes before those in its regions.
    `sdy.sharding_group`s do not count as uses; those of the result that is used are copied too.
    Originals that nothing uses any more are erased, as are constants that nothing used.

    The copy of a call calls a clone of the function, which calls clones in turn. Clones are
    appended to the module with a number after their names, and have the name of the original
    function as `sdy.original_func_name`. A recursive function cannot be cloned, and is an error.
    Bodies of `named_computation`s are split before the function around them, callees before
    callers. In a nested module no call counts as a constant.

    Before:

    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %cst = stablehlo.constant dense<1.0> : tensor<f32>
      %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %1 = stablehlo.exponential %0 : tensor<8xf32>
      %2 = stablehlo.multiply %arg0, %0 : tensor<8xf32>
      return %1, %2 : tensor<8xf32>, tensor<8xf32>
    }
    ```

    After:

    ```mlir
    func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = sdy.constant dense<1.0> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %3 = stablehlo.exponential %2 : tensor<8xf32>
      %4 = stablehlo.multiply %arg0, %1 : tensor<8xf32>
      return %3, %4 : tensor<8xf32>, tensor<8xf32>
    }
    ```
    """

    name = "sdy-constant-splitter"

    def run(self, module: ModuleOp) -> None:
        convert_constants(module.operation)
        callees = Callees(module)
        varying: set[Computation] = set()
        shapes = Shapes()
        is_in_order = has_single_blocks(module.operation)
        for scope in scopes_of(module, *LISTED):
            split(Constants(scope, varying, shapes, is_in_order), callees)
