"""`-sdy-remove-sub-axes-in-input-output-shardings`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile

from sdykit.core import ModulePass
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import main_function
from sdykit.passes.sdy._shardings import ARG_ATTRS, RES_ATTRS, SHARDING
from sdykit.passes.sdy._value_attrs import ValueAttrs


@dataclass(frozen=True)
class RemoveSubAxesInInputOutputShardingsPass(ModulePass):
    """End open dimensions of arguments and results of `@main` before their first sub-axis.

    Sub-axes there that propagation chose could not be told to the caller as a `NamedSharding`; in
    closed dimensions they are the user's. If there is only one function, it is `@main`.

    Before:

    ```mlir
    func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding =
        #sdy.sharding<@mesh, [{"x", "y":(1)2, ?}, {"y":(2)2}]>}) {...}
    ```

    After:

    ```mlir
    func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding =
        #sdy.sharding<@mesh, [{"x", ?}, {"y":(2)2}]>}) {...}
    ```
    """

    name = "sdy-remove-sub-axes-in-input-output-shardings"

    def run(self, module: ModuleOp) -> None:
        main = main_function(module)
        if main is None:
            return
        without_sub_axes = cache(_without_sub_axes)
        for key in (ARG_ATTRS, RES_ATTRS):
            values = ValueAttrs(main, key)
            for number in range(len(values)):
                old = values.get(number, SHARDING)
                if old is not None and (new := without_sub_axes(old)) != old:
                    values.set(number, SHARDING, new)
            values.flush()


def _without_sub_axes(attribute: ir.Attribute) -> ir.Attribute:
    old = sdy.TensorShardingAttr.of(attribute)
    new = replace(old, dim_shardings=tuple(map(_whole, old.dim_shardings)))
    return attribute if new == old else new.to_attr()


def _whole(dim: sdy.DimensionShardingAttr) -> sdy.DimensionShardingAttr:
    if dim.is_closed:
        return dim
    return replace(dim, axes=tuple(takewhile(lambda axis: axis.sub_axis_info is None, dim.axes)))
