"""Turn the jitted parts of a lowered JAX program into parts of an MPMD program.

JAX lowers a call of a jitted function to `func.call`; its location says which function it is,
and how often it has been transposed:

    %2 = call @f2_0(%arg1, %0#0) : ... loc("transpose(jvp(jit(f2)))")

Such a call becomes

    %2 = mpmd.named_computation<"f2"(1)> (%arg1, %0#0) (%arg3: ..., %arg4: ...) { ... } : ...

and that of a function that is to be called as a program of its own

    %4 = mpmd.call @micro(%arg0, %3) {call_counter = 1 : ui32} : ...
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from sdykit.mlir import ir

_NAME = re.compile(r"jit\((\w+)\)\)*$")


def name_regions(module: ir.Module, regions: Collection[str], programs: Collection[str]) -> None:
    """Turn calls of functions with these names into named computations and program calls."""
    functions = {_symbol(op, "sym_name"): op.operation for op in module.body.operations}
    counters: Counter[str] = Counter()
    with module.context:
        for caller in list(functions.values()):
            for call in _calls(caller):
                name, transposed = _origin(call)
                callee = functions[_symbol(call, "callee")]
                if name in regions:
                    _replace(call, _named_computation(call, callee, name, transposed))
                elif name in programs:
                    _replace(call, _program_call(call, counters[name]))
                    counters[name] += 1
    _drop_unused(functions)


def _symbol(op: ir.Operation | ir.OpView, attribute: str) -> str:
    value = op.operation.attributes.get(attribute)
    if value is None:
        return ""
    kind = ir.FlatSymbolRefAttr if attribute == "callee" else ir.StringAttr
    return kind(value).value


def _calls(func: ir.Operation, names: Collection[str] = ("func.call",)) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.operation.name in names:
            found.append(op.operation)
        return ir.WalkResult.ADVANCE

    func.walk(visit)
    return found


def _origin(call: ir.Operation) -> tuple[str, int]:
    """Give the name of the called function in the program, and its transpose count."""
    location = call.location
    if not isinstance(location, ir.NameLoc):
        return "", 0
    last = location.name_str.split("/")[-1]
    found = _NAME.search(last)
    return (found.group(1) if found else ""), last.count("transpose(")


def _named_computation(
    call: ir.Operation, callee: ir.Operation, name: str, transposed: int
) -> ir.Operation:
    origin = f'"{name}"({transposed})' if transposed else f'"{name}"'
    region = ir.Operation.create(
        "mpmd.named_computation",
        [result.type for result in call.results],
        list(call.operands),
        {"origin": ir.Attribute.parse(f"#mpmd.user_origin<{origin}>")},
        regions=1,
        loc=call.location,
        ip=ir.InsertionPoint(call),
    )
    body = callee.clone(ip=False)
    block = body.regions[0].blocks[0]
    block.append_to(region.regions[0])
    end = block.operations[len(block.operations) - 1].operation
    ir.Operation.create(
        "mpmd.return", [], list(end.operands), loc=end.location, ip=ir.InsertionPoint(end)
    )
    end.erase()
    return region


def _program_call(call: ir.Operation, counter: int) -> ir.Operation:
    unsigned = ir.IntegerType.get_unsigned(32)
    return ir.Operation.create(
        "mpmd.call",
        [result.type for result in call.results],
        list(call.operands),
        {
            "callee": call.attributes["callee"],
            "call_counter": ir.IntegerAttr.get(unsigned, counter),
        },
        loc=call.location,
        ip=ir.InsertionPoint(call),
    )


def _replace(call: ir.Operation, new: ir.Operation) -> None:
    for old, result in zip(list(call.results), list(new.results), strict=True):
        old.replace_all_uses_with(result)
    call.erase()


def _drop_unused(functions: dict[str, ir.Operation]) -> None:
    """Erase the private functions whose only calls have become regions."""
    while True:
        called = {
            _symbol(call, "callee")
            for func in functions.values()
            for call in _calls(func, ("func.call", "mpmd.call"))
        }
        unused = [
            name
            for name, func in functions.items()
            if _symbol(func, "sym_visibility") == "private" and name not in called
        ]
        if not unused:
            return
        for name in unused:
            functions.pop(name).erase()
