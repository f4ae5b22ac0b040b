"""`-sdy-constant-splitter`."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass

from sdykit.core import ModulePass
from sdykit.mlir import ModuleOp, ir, rewrite
from sdykit.passes.sdy.constant_splitter.callees import Callees
from sdykit.passes.sdy.constant_splitter.computations import Computations
from sdykit.passes.sdy.constant_splitter.copies import split
from sdykit.passes.sdy.constant_splitter.graph import ConstantGraph
from sdykit.passes.sdy.constant_splitter.ops import BROADCAST, CONSTANT, IOTA, Shape
from sdykit.passes.sdy.constant_splitter.order import ops_anywhere

_STABLEHLO_CONSTANT = "stablehlo.constant"


@dataclass(frozen=True)
class ConstantSplitterPass(ModulePass):
    """Give each use of a constant its own copy of what makes the constant.

    So no sharding is propagated from one use to another that has nothing to do with it.

    First every `stablehlo.constant` becomes a `sdy.constant` with the same attributes, and
    ops are folded as by any dialect conversion. Then each constant that is not a scalar,
    and each broadcast of a scalar, is copied for every use by an op that is itself no
    constant. A constant is

    - a `sdy.constant` or `stablehlo.iota`;
    - a pure element-wise op, `broadcast_in_dim`, `reshape` or `slice` of constants;
    - a `func.call` or `sdy.named_computation` on constants whose body holds nothing but
      the above, and `sdy.sharding_group`s; of `named_computation`s that share a name, all
      must be so. A function without body is.

    Copied with it is what it is made of, down to scalars, which are never copied. Within
    one copy a value may have several uses. The copies of an op stand before the original
    one by one, in the order of the uses: an op comes before those in its regions.
    `sdy.sharding_group`s are no uses; they go with the copies of the result that is used.
    Originals that nothing uses any more are erased, as are constants that nothing used.

    The copy of a call calls a clone of the function, which calls clones in turn; they are
    appended to the module with a number behind their names, and remember in
    `sdy.original_func_name` where they come from. To clone a recursive function is an
    error. Bodies of `named_computation`s are split before the function around them,
    callees before callers. In a nested module no call counts as a constant.

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
        _convert_constants(module.operation)
        computations = Computations(module)
        leaves = _leaves_by_scope(module.operation, computations)
        callees = Callees(module, computations.functions, straight=computations.straight)
        shapes: dict[ir.Type, Shape] = {}
        for scope in computations.scopes:
            if scope in leaves:
                constants, broadcasts = leaves[scope]
                graph = ConstantGraph(computations, shapes)
                graph.add_constants(constants)
                graph.add_expansions(broadcasts)
                split(graph, callees)


_Leaves = tuple[list[ir.Operation], list[ir.Operation]]
"""Constants that are made of nothing, and all broadcasts, in program order."""


def _leaves_by_scope(
    module: ir.Operation, computations: Computations
) -> dict[ir.Operation | None, _Leaves]:
    leaves: dict[ir.Operation | None, _Leaves] = defaultdict(lambda: ([], []))
    scope = computations.scope_around
    for op in ops_anywhere(module, (CONSTANT, IOTA, BROADCAST), straight=computations.straight):
        leaves[scope.of(op)][op.name == BROADCAST].append(op)
    for op in computations.without_operands():
        leaves[scope.of(op)][0].append(op)
    return leaves


def _convert_constants(module: ir.Operation) -> None:
    """Turn each `stablehlo.constant` into a `sdy.constant`, which no folding merges.

    C++ does so by a dialect conversion, which also folds whatever it meets, and leaves
    alone what cannot be reached.
    """
    patterns = rewrite.RewritePatternSet(module.context)
    patterns.add(_STABLEHLO_CONSTANT, _convert)
    target = rewrite.ConversionTarget(module.context)
    target.add_illegal_op(_STABLEHLO_CONSTANT)
    rewrite.apply_partial_conversion(module, target, patterns.freeze())


def _convert(op: ir.OpView, rewriter: rewrite.PatternRewriter) -> None:
    old = op.operation
    try:
        new = ir.Operation.create(
            CONSTANT,
            results=[old.result.type],
            attributes=dict(old.attributes.items()),
            loc=old.location,
            ip=rewriter.ip,
        )
    except TypeError:  # The bindings have no class for dense complex numbers.
        new = _parsed(old)
        rewriter.ip.insert(new)
    rewriter.replace_op(old, new)


def _parsed(constant: ir.Operation) -> ir.Operation:
    """Make a `sdy.constant` without a look at attributes that the bindings cannot hold."""
    # A clone stands alone: to print an op within a module takes as long as the module. It
    # has no shardings, which name meshes that it cannot see.
    bare = constant.clone(ip=False)
    others: dict[str, ir.Attribute] = {}
    for name in constant.attributes:
        if name != "value":
            with suppress(TypeError):
                others[name] = constant.attributes[name]
                del bare.attributes[name]
    text = bare.get_asm(print_generic_op_form=True, enable_debug_info=True, use_local_scope=True)
    text = str(text).replace(f'"{_STABLEHLO_CONSTANT}"', f'"{CONSTANT}"', 1)
    made = ir.Operation.parse(text).operation
    for name, attribute in others.items():
        made.attributes[name] = attribute
    return made
