"""`-sdy-update-non-divisible-input-output-shardings`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sdykit.core import ModulePass, functions_of, meshes_of, ops_named
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._call_graph import CALL
from sdykit.passes.sdy._data_flow_edges import has_static_shape
from sdykit.passes.sdy._propagation.axes import Axes, Axis
from sdykit.passes.sdy._propagation.projection import Dim
from sdykit.passes.sdy._propagation.shardings import Shardings, UnknownMesh
from sdykit.passes.sdy._shardings import ARG_ATTRS, IN_SHARDINGS, OUT_SHARDINGS, RES_ATTRS, SHARDING
from sdykit.passes.sdy._value_attrs import ValueAttrs
from sdykit.passes.sdy._value_shardings import (
    MANUAL_COMPUTATION,
    ValueShardings,
    shaped_type,
)


@dataclass(frozen=True)
class UpdateNonDivisibleInputOutputShardingsPass(ModulePass):
    """Shorten shardings of inputs and outputs until they divide their dimensions.

    These are the arguments and results of functions, the results of calls, and the operands and
    results of manual computations. A dimension keeps the longest prefix of its axes whose product
    divides its size; the next axis is cut to the part that still does, if there is one. A dimension
    that changes loses its priority.

    Before, where `x` has 4 devices and `y` has 3:

    ```mlir
    func.func @main(%arg0: tensor<12x6xf32>
        {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, %arg1: tensor<6x5xf32>
        {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {"y", ?}]>}) {...}
    ```

    After:

    ```mlir
    func.func @main(%arg0: tensor<12x6xf32>
        {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, %arg1: tensor<6x5xf32>
        {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {?}]>}) {...}
    ```
    """

    name = "sdy-update-non-divisible-input-output-shardings"

    def run(self, module: ModuleOp) -> None:
        fitting = _Fitting(meshes_of(module))
        for func in functions_of(module).values():
            kind = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value)
            fitting.fit_values(func, ARG_ATTRS, kind.inputs)
            fitting.fit_values(func, RES_ATTRS, kind.results)
        for call in ops_named(module, CALL):
            fitting.fit_list(call, SHARDING, call.results)
        for op in ops_named(module, MANUAL_COMPUTATION):
            fitting.fit_list(op, IN_SHARDINGS, op.operands)
            fitting.fit_list(op, OUT_SHARDINGS, op.results)


class _Fitting:
    """Fits shardings to types; each pair of them once."""

    def __init__(self, meshes: Mapping[str, sdy.MeshAttr]) -> None:
        self._shardings = Shardings(meshes)
        self._values = ValueShardings()
        self._fitted: dict[tuple[ir.Attribute, ir.Type], ir.Attribute] = {}

    def fit_values(self, func: ir.Operation, key: str, types: Iterable[ir.Type]) -> None:
        """Fit the shardings of the arguments or results of a function."""
        values = ValueAttrs(func, key)
        for number, kind in enumerate(types):
            old = values.get(number, SHARDING)
            if old is not None and (new := self._fit(old, kind)) != old:
                values.set(number, SHARDING, new)
        values.flush()

    def fit_list(self, op: ir.Operation, key: str, values: Iterable[ir.Value]) -> None:
        """Fit the shardings that an op has for some values."""
        attribute = op.attributes.get(key)
        if attribute is None:
            return
        old = self._values.elements(attribute)
        new = [self._fit(each, value.type) for each, value in zip(old, values, strict=True)]
        if new != old:
            fitted = tuple(map(sdy.TensorShardingAttr.of, new))
            op.attributes[key] = sdy.TensorShardingPerValueAttr(fitted).to_attr()

    def _fit(self, sharding: ir.Attribute, kind: ir.Type) -> ir.Attribute:
        key = sharding, kind
        if key not in self._fitted:
            shape = shaped_type(kind) if has_static_shape(kind) else None
            self._fitted[key] = (
                sharding if shape is None else self._fit_shape(sharding, shape.shape)
            )
        return self._fitted[key]

    def _fit_shape(self, attribute: ir.Attribute, shape: Sequence[int]) -> ir.Attribute:
        try:
            sharding = self._shardings.read(attribute)
        except UnknownMesh:
            return attribute  # Of a nested module.
        if not sharding.dims:
            return attribute  # On a single device.
        dims = tuple(_fit_dim(dim, size) for dim, size in zip(sharding.dims, shape, strict=True))
        return self._shardings.make(sharding._replace(dims=dims))


def _fit_dim(dim: Dim, size: int) -> Dim:
    axes = _dividing(dim.axes, size)
    return dim if axes == dim.axes else Dim(axes, dim.is_closed)


def _dividing(axes: Axes, size: int) -> Axes:
    """Return the longest prefix of axes that divides a size."""
    fitting: list[Axis] = []
    for axis in axes:
        common = math.gcd(axis.size, size)
        if common > 1:
            fitting.append(axis._replace(size=common))
        if common != axis.size:
            break
        size //= common
    return tuple(fitting)
