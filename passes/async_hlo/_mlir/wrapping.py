"""Wrap MLIR operations in chains, and unwrap them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from sdykit.core import FUNC, fail
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.async_hlo._mlir import names
from sdykit.passes.async_hlo._program import Chain

_NAME = "async_computation"


class Wrapping:
    """Moves operations into functions of their own, which chains call."""

    def __init__(self) -> None:
        self._taken: dict[ir.Operation, set[str]] = {}
        self._count = 0
        self._bundles: dict[tuple[tuple[ir.Type, ...], tuple[ir.Type, ...]], ir.Type] = {}

    def wrap(self, op: ir.Operation, thread: str) -> None:
        """Replace `op` with a start and a done; it becomes the body of a function."""
        module = names.module_around(op)
        captures = _captures(op)
        inputs = [*op.operands, *captures]
        types = tuple([value.type for value in inputs]), tuple([each.type for each in op.results])
        name, place = self._fresh_name(module), ir.InsertionPoint(op)
        with op.context:
            thread_name = ir.StringAttr.get(thread)
            called = {
                names.CALLED: ir.FlatSymbolRefAttr.get(name),
                names.THREAD: thread_name,
            }
            start = ir.Operation.create(
                names.START,
                results=[self._bundle(*types)],
                operands=inputs,
                attributes=called,
                loc=op.location,
                ip=place,
            )
            done = ir.Operation.create(
                names.DONE, results=types[1], operands=[start.result], loc=op.location, ip=place
            )
            block = _add_function(module, name, types, thread_name, op.location)
        for old, new in zip(op.results, done.results, strict=True):
            old.replace_all_uses_with(new)
        block.append(op)
        arguments = list(block.arguments)
        for number in range(len(op.operands)):
            op.operands[number] = arguments[number]
        for argument, uses in zip(arguments[len(op.operands) :], captures.values(), strict=True):
            for user, number in uses:
                user.operands[number] = argument
        ir.Operation.create(
            "func.return",
            operands=list(op.results),
            loc=op.location,
            ip=ir.InsertionPoint(block),
        )

    def _bundle(self, inputs: tuple[ir.Type, ...], results: tuple[ir.Type, ...]) -> ir.Type:
        if (inputs, results) not in self._bundles:
            result = str(results[0]) if len(results) == 1 else _tuple(results)
            text = f"!mhlo.async_bundle<{_tuple(inputs)}, {result}>"
            self._bundles[inputs, results] = ir.Type.parse(text)
        return self._bundles[inputs, results]

    def _fresh_name(self, module: ir.Operation) -> str:
        if module not in self._taken:
            self._taken[module] = {
                ir.StringAttr(op.operation.attributes["sym_name"]).value
                for op in module.regions[0].blocks[0].operations
                if "sym_name" in op.operation.attributes
            }
        taken, name = self._taken[module], _NAME
        while name in taken:
            name = f"{_NAME}_{self._count}"
            self._count += 1
        taken.add(name)
        return name


def _tuple(types: Sequence[ir.Type]) -> str:
    return f"tuple<{', '.join(map(str, types))}>"


def _add_function(
    module: ir.Operation,
    name: str,
    types: tuple[Sequence[ir.Type], Sequence[ir.Type]],
    thread: ir.StringAttr,
    location: ir.Location,
) -> ir.Block:
    inputs, results = types
    func = ir.Operation.create(
        FUNC,
        attributes={
            "sym_name": ir.StringAttr.get(name),
            "sym_visibility": ir.StringAttr.get("private"),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, results)),
            names.THREAD: thread,
        },
        regions=1,
        loc=location,
        ip=ir.InsertionPoint(module.regions[0].blocks[0]),
    )
    return func.regions[0].blocks.append(*inputs, arg_locs=[location] * len(inputs))


_Uses = list[tuple[ir.Operation, int]]


def _captures(op: ir.Operation) -> dict[ir.Value, _Uses]:
    """Return the values from outside that are used in the regions of `op`, with their uses."""
    inside: set[ir.Value] = set()
    captured: dict[ir.Value, _Uses] = {}
    for block in _blocks(op):
        inside.update(block.arguments)
        for each in block.operations:
            inside.update(each.operation.results)
    for block in _blocks(op):
        for each in block.operations:
            for number, value in enumerate(each.operation.operands):
                if value not in inside:
                    captured.setdefault(value, []).append((each.operation, number))
    return captured


def _blocks(op: ir.Operation) -> Iterator[ir.Block]:
    """Yield the blocks in the regions of an operation, at any depth."""
    for region in op.regions:
        for block in region.blocks:
            yield block
            for each in block.operations:
                yield from _blocks(each.operation)


class Unwrapping:
    """Replaces chains with the bodies of the functions that they call."""

    def __init__(self, module: ModuleOp, functions: names.Functions) -> None:
        self._functions = functions
        self._uses = symbol_uses(module.operation)

    def unwrap(self, chain: Chain[ir.Operation]) -> None:
        """Replace a chain with what it wraps; erase the function if nothing else names it."""
        start, done = chain.start, chain.done
        callee = self._functions.called_by(start)
        name, blocks = names.callee_name(start), len(callee.regions[0].blocks)
        if blocks != 1:
            fail(start, f"cannot be unwrapped: @{name} has {blocks} blocks, expected one")
        self._uses[name] -= 1
        if self._uses[name] or not _is_private(callee):
            callee = callee.clone(ip=ir.InsertionPoint(callee)).operation
        block = callee.regions[0].blocks[0]
        for argument, operand in zip(block.arguments, start.operands, strict=True):
            argument.replace_all_uses_with(operand)
        *body, terminator = names.body_of(callee)
        for name in names.OF_OPERATION if body else ():
            if name in start.attributes and name not in body[-1].attributes:
                body[-1].attributes[name] = start.attributes[name]
        for op in body:
            op.move_before(done)
        for old, new in zip(done.results, terminator.operands, strict=True):
            old.replace_all_uses_with(new)
        callee.erase()
        for op in reversed(chain.ops):
            op.erase()


def _is_private(func: ir.Operation) -> bool:
    visibility = func.attributes.get("sym_visibility")
    return visibility is not None and ir.StringAttr(visibility).value == "private"


def symbol_uses(root: ir.Operation) -> Counter[str]:
    """Return how many operations name each symbol, not counting updates and dones."""
    uses: Counter[str] = Counter()

    def count(op: ir.Operation) -> ir.WalkResult:
        if op.name in (names.UPDATE, names.DONE):
            return ir.WalkResult.ADVANCE
        for name in op.attributes:
            with suppress(TypeError):  # The bindings have no class for dense complex numbers.
                uses.update(_symbols(op.attributes[name]))
        return ir.WalkResult.ADVANCE

    root.walk(count)
    return uses


def _symbols(attribute: ir.Attribute) -> Iterator[str]:
    if isinstance(attribute, ir.FlatSymbolRefAttr):
        yield attribute.value
    elif isinstance(attribute, ir.ArrayAttr):
        for each in attribute:
            yield from _symbols(each)
