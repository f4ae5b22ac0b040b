"""What clean-up passes would find to do in a program."""

from __future__ import annotations

from collections.abc import Callable

from sdykit.mlir import ir


def _main(module: ir.Module) -> list[ir.Operation]:
    (main,) = [
        op.operation
        for op in module.body.operations
        if str(op.operation.attributes["sym_name"]) == '"main"'
    ]
    return [op.operation for op in main.regions[0].blocks[0]]


def _unused(ops: list[ir.Operation], name: str) -> bool:
    return any(not list(result.uses) for op in ops if op.name == name for result in op.results)


def _returned(ops: list[ir.Operation]) -> list[ir.Value]:
    return list(ops[-1].operands)


def _fragments(ops: list[ir.Operation]) -> list[ir.Operation]:
    return [op for op in ops if op.name == "mpmd.fragment"]


def _twice(values: list[ir.Value]) -> bool:
    return len(set(values)) < len(values)


def _is_argument(value: ir.Value) -> bool:
    return isinstance(value, ir.BlockArgument)


def _merged(op: ir.Operation) -> bool:
    """Return whether an inferred fragment has a neighbour on its mesh."""
    if len(ir.ArrayAttr(op.attributes["origin"])):
        return False
    before = [v.owner for v in op.operands if isinstance(v.owner, ir.Operation)]
    after = [use.owner.operation for result in op.results for use in result.uses]
    return any(other.name == "mpmd.fragment" for other in (*before, *after))


FAULTS: dict[str, Callable[[list[ir.Operation]], bool]] = {
    "unused transfer": lambda ops: _unused(ops, "mpmd.transfer"),
    "unused result": lambda ops: _unused(ops, "mpmd.fragment"),
    "returned twice": lambda ops: _twice(_returned(ops)),
    "returned argument": lambda ops: any(map(_is_argument, _returned(ops))),
    "operand twice": lambda ops: any(_twice(list(op.operands)) for op in _fragments(ops)),
    "result twice": lambda ops: any(
        _twice(_returned([inner.operation for inner in op.regions[0].blocks[0]]))
        for op in _fragments(ops)
    ),
    "unused block argument": lambda ops: any(
        not list(argument.uses)
        for op in _fragments(ops)
        for argument in op.regions[0].blocks[0].arguments
    ),
    "neighbours to merge": lambda ops: any(map(_merged, _fragments(ops))),
}


def faults(module: ir.Module) -> list[str]:
    """List the kinds of work that there are in the function `main`."""
    ops = _main(module)
    return [name for name, found in FAULTS.items() if found(ops)]
