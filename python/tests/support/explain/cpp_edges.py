"""The edges that the C++ propagation records, with the operands that they speak of."""

from __future__ import annotations

from typing import NamedTuple

from sdykit.explain.run import IMPORT
from sdykit.mlir import ir, passmanager
from support.oracle import parse

PROPAGATION = "sdy-user-priority-propagate{debug-propagation-edge-sharding=true}"
PIPELINE = f"{IMPORT},{PROPAGATION}"
_EDGES = "sdy.propagation_edges"


class RecordedOp(NamedTuple):
    """An op after propagation.

    Attributes:
        name: its name.
        edges: the text of its edges; of a function those of its results.
        sources: of a data-flow edge, the ops and operand numbers that its operands stand for.
    """

    name: str
    edges: str
    sources: tuple[tuple[int, int], ...]


def recorded_edges(text: str, pipeline: str) -> list[RecordedOp]:
    """Run C++ passes on a module; return all of its ops in pre-order."""
    module = parse(text)
    with module.context:
        manager = passmanager.PassManager.parse(f"builtin.module({pipeline})")
        # The verifier takes no edges with several sources.
        manager.enable_verifier(False)
        manager.run(module.operation)
        ops: list[ir.Operation] = []
        _collect(module.operation, ops)
        numbers = {op: number for number, op in enumerate(ops)}
        return [RecordedOp(op.name, _edges(op), tuple(_sources(op, numbers))) for op in ops]


def _collect(op: ir.Operation, ops: list[ir.Operation]) -> None:
    for region in op.regions:
        for block in region:
            for view in block:
                ops.append(view.operation)
                _collect(view.operation, ops)


def _edges(op: ir.Operation) -> str:
    if op.name == "func.func":
        results = op.attributes.get("res_attrs")
        found = [] if results is None else [ir.DictAttr(each) for each in ir.ArrayAttr(results)]
        return "".join(str(each[_EDGES]) for each in found if _EDGES in each)
    return str(op.attributes[_EDGES]) if _EDGES in op.attributes else ""


def _sources(edge: ir.Operation, numbers: dict[ir.Operation, int]) -> list[tuple[int, int]]:
    if edge.name != "sdy.data_flow_edge":
        return []
    owner = edge.operands[0]
    if isinstance(owner, ir.BlockArgument):
        return [(numbers[owner.owner.owner.operation], owner.arg_number)]
    result = ir.OpResult(owner)
    op, number = result.owner.operation, result.result_number
    returns = [list(region.blocks[0])[-1].operation for region in op.regions]
    if op.name == "stablehlo.while":
        return [(numbers[op], number), (numbers[returns[1]], number)]
    if not returns:  # An optimization barrier.
        return [(numbers[op], number)]
    return [(numbers[each], number) for each in returns]
