"""Edits of the arguments, results and bodies of functions: their sites, and how to apply them."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core import FUNC
from sdykit.mlir import ir

Place = tuple[ir.Operation, int]
"""A function, and the index of an argument or result."""
Entry = tuple[ir.Operation, str, int]
"""A function, `arg_attrs` or `res_attrs`, and the index of an entry in it."""

_LISTS = ("arg_attrs", "res_attrs")


def with_body(module: ir.Module) -> list[ir.Operation]:
    """Return the functions at the top of a module that have a body."""
    ops = [op.operation for op in module.body.operations]
    return [op for op in ops if op.name == FUNC and len(op.regions[0].blocks)]


def erase_bodies(functions: Sequence[ir.Operation]) -> None:
    """Turn functions into declarations."""
    for func in functions:
        attributes = dict(func.attributes.items())
        attributes["sym_visibility"] = ir.StringAttr.get("private", func.context)
        with ir.InsertionPoint(func), func.location:
            ir.Operation.create(FUNC, regions=1, attributes=attributes)
        func.erase()


def results(module: ir.Module) -> list[Place]:
    """Return the results of functions whose body is one block."""
    single = [func for func in with_body(module) if len(func.regions[0].blocks) == 1]
    return [(func, index) for func in single for index in range(len(_type(func).results))]


def remove_results(places: Sequence[Place]) -> None:
    """Remove results of functions, and the operands of `return` for them."""
    for func, index in reversed(places):
        last = list(func.regions[0].blocks[0].operations)[-1].operation
        kept = [value for at, value in enumerate(last.operands) if at != index]
        with ir.InsertionPoint(last), last.location:
            ir.Operation.create(last.name, operands=kept)
        last.erase()
        types = _type(func)
        _set_type(func, types.inputs, _without(types.results, index))
        _shorten(func, "res_attrs", index)


def unused_arguments(module: ir.Module) -> list[Place]:
    """Return the arguments of functions that nothing uses."""
    return [
        (func, argument.arg_number)
        for func in with_body(module)
        for argument in func.regions[0].blocks[0].arguments
        if next(iter(argument.uses), None) is None
    ]


def remove_arguments(places: Sequence[Place]) -> None:
    """Remove arguments of functions."""
    for func, index in reversed(places):
        func.regions[0].blocks[0].erase_argument(index)
        types = _type(func)
        _set_type(func, _without(types.inputs, index), types.results)
        _shorten(func, "arg_attrs", index)


def attributes(module: ir.Module) -> list[Entry]:
    """Return the arguments and results of functions that have attributes."""
    ops = [op.operation for op in module.body.operations]
    return [
        (op, name, index)
        for op in ops
        for name in _LISTS
        if name in op.attributes
        for index, entry in enumerate(ir.ArrayAttr(op.attributes[name]))
        if len(ir.DictAttr(entry))
    ]


def remove_attributes(entries: Sequence[Entry]) -> None:
    """Remove all attributes of arguments and results."""
    for func, name, index in entries:
        kept = list(ir.ArrayAttr(func.attributes[name]))
        kept[index] = ir.DictAttr.get({}, func.context)
        func.attributes[name] = ir.ArrayAttr.get(kept, func.context)


def _type(func: ir.Operation) -> ir.FunctionType:
    return ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value)


def _set_type(func: ir.Operation, inputs: list[ir.Type], outputs: list[ir.Type]) -> None:
    types = ir.FunctionType.get(inputs, outputs, func.context)
    func.attributes["function_type"] = ir.TypeAttr.get(types)


def _shorten(func: ir.Operation, name: str, index: int) -> None:
    if name in func.attributes:
        kept = _without(list(ir.ArrayAttr(func.attributes[name])), index)
        func.attributes[name] = ir.ArrayAttr.get(kept, func.context)


def _without(entries: Sequence[ir.Type] | Sequence[ir.Attribute], index: int) -> list:
    return [entry for at, entry in enumerate(entries) if at != index]
