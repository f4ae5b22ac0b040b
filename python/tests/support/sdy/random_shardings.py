"""Models with random shardings: of arguments and of results in the middle, with sub-axes and priorities."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from examples.models import control_flow, mixture_of_experts, recommender, transformer
from sdykit.core import FUNC
from sdykit.dialects import sdy
from sdykit.mlir import ir
from support.oracle import ours, parse

_MODELS = (control_flow, mixture_of_experts, recommender, transformer)
_MESH = '["data"=8, "model"=4, "x"=2]'
_MESH_OF_EXPERTS = '["data"=4, "model"=2]'
"""The manual computations of this model fit no other mesh."""

_FORWARDING = ("stablehlo.while", "stablehlo.case", "stablehlo.optimization_barrier")


def sharded_model(seed: int) -> str:
    """Return an imported model with shardings that a seed determines."""
    of = random.Random(seed)
    model = of.choice(_MODELS)
    axes = _MESH_OF_EXPERTS if model is mixture_of_experts else _MESH
    text = re.sub(
        r"sdy\.mesh @mesh = <\[.*?\]>", f"sdy.mesh @mesh = <{axes}>", model.program().text()
    )
    imported = ours(text, "sdy-import-pipeline").text
    assert imported is not None
    module = parse(imported)
    with module.context:
        mesh = sdy.MeshAttr.of(ir.Attribute.parse(f"#sdy.mesh<{axes}>"))
        for op in _ops(module):
            _shard(of, op, mesh)
        return str(module.operation.get_asm(enable_debug_info=True))


def _ops(module: ir.Module) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(collect)
    return found


def _shard(of: random.Random, op: ir.Operation, mesh: sdy.MeshAttr) -> None:
    if op.name == FUNC:
        types = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value).inputs
        if types:
            arguments = [_of_argument(of, each, mesh) for each in types]
            op.attributes["arg_attrs"] = ir.ArrayAttr.get(arguments)
        return
    has_one_tensor = len(op.results) == 1 and isinstance(op.results[0].type, ir.RankedTensorType)
    if not op.name.startswith("stablehlo.") or op.name in _FORWARDING or not has_one_tensor:
        return
    if of.random() < 0.06 and not _is_in_manual_computation(op):
        sharding = _drawn(of, op.results[0].type.shape, mesh)
        op.attributes["sdy.sharding"] = sdy.TensorShardingPerValueAttr((sharding,)).to_attr()


def _is_in_manual_computation(op: ir.Operation) -> bool:
    """Return whether some axes may not be used, as a manual computation around the op has them."""
    around = op.parent
    while around is not None:
        if around.operation.name == "sdy.manual_computation":
            return True
        around = around.operation.parent
    return False


def _of_argument(of: random.Random, kind: ir.Type, mesh: sdy.MeshAttr) -> ir.DictAttr:
    if not isinstance(kind, ir.RankedTensorType) or of.random() < 0.4:
        return ir.DictAttr.get({})
    return ir.DictAttr.get({"sdy.sharding": _drawn(of, kind.shape, mesh).to_attr()})


def _drawn(of: random.Random, shape: Sequence[int], mesh: sdy.MeshAttr) -> sdy.TensorShardingAttr:
    parts = []
    for axis in mesh.axes:
        if axis.size >= 4 and of.random() < 0.4:
            halves = ((1, 2), (2, axis.size // 2))
            parts += [sdy.AxisRefAttr(axis.name, sdy.SubAxisInfoAttr(*half)) for half in halves]
        else:
            parts.append(sdy.AxisRefAttr(axis.name))
    of.shuffle(parts)
    dims = []
    for _ in shape:
        axes: list[sdy.AxisRefAttr] = []
        while parts and of.random() < 0.35:
            part = parts.pop()
            # Two parts of an axis in a row would have to be written as one.
            if not axes or axes[-1].name != part.name:
                axes.append(part)
        priority = of.choice((None, None, 0, 1, 2)) if axes else None
        dims.append(sdy.DimensionShardingAttr(tuple(axes), of.random() < 0.5, priority))
    replicated = (parts.pop(),) if parts and of.random() < 0.1 else ()
    return sdy.TensorShardingAttr("mesh", tuple(dims), replicated)
