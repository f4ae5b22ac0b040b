"""Finding the entry function of a module, its arguments and its phases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.compiled import Argument
from sdykit.sparsecore.codegen.emission.types import Layout
from sdykit.sparsecore.codegen.entry.attributes import (
    ALIGNED,
    ENTRY,
    NOALIAS,
    OF_ARGUMENTS,
    STATUS,
    read_messages,
    read_name,
    read_serial_bytes,
    read_work,
    said_of_argument,
)
from sdykit.sparsecore.codegen.translation.located_errors import error_at, error_of
from sdykit.sparsecore.codegen.translation.translator import Types, only_block

_PHASE = "scf.parallel"
_CONSTANT = "arith.constant"
_PURE_DIALECTS = ("arith.", "math.")
_PURE_OPS = {
    "memref.cast",
    "memref.dim",
    "memref.memory_space_cast",
    "memref.rank",
    "memref.reinterpret_cast",
    "memref.subview",
    "memref.view",
}
_MAX_RANK = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry function.

    Attributes:
        name: without @.
        block: its body.
        arguments: what callers see of the arguments.
        layouts: of the arguments.
        phases: the parallel loops, in order.
        constants: the ops that make them.
        pure: the other ops, which have no effect.
        messages: by the status that the program ends with.
        serial_bytes: less memory traffic than this is for one thread; None: not said.
    """

    name: str
    block: ir.Block
    arguments: tuple[Argument, ...]
    layouts: tuple[Layout, ...]
    phases: tuple[ir.Operation, ...]
    constants: tuple[ir.Operation, ...]
    pure: tuple[ir.Operation, ...]
    messages: tuple[str, ...]
    serial_bytes: int | None

    @property
    def dim_count(self) -> int:
        """How many sizes of arguments are dynamic."""
        return sum(size is None for argument in self.arguments for size in argument.shape)

    def needed_for(self, wanted: Sequence[ir.Value]) -> list[ir.Operation]:
        """Give the ops that compute some values, in order."""
        missing, needed = set(wanted), []
        for op in reversed(self.pure):
            if any(result in missing for result in op.results):
                needed.append(op)
                missing.update(op.operands)
        return needed[::-1]

    def needed_by_phases(self) -> list[list[ir.Operation]]:
        """Give the ops that compute what each of the phases uses, in order."""
        users: dict[ir.Operation, set[int]] = {op: {k} for k, op in enumerate(self.phases)}
        for op in reversed(self.pure):
            tops = [_top(use.owner, self.block) for result in op.results for use in result.uses]
            users[op] = set[int]().union(*(users.get(top, ()) for top in tops))
        return [[op for op in self.pure if k in users[op]] for k in range(len(self.phases))]


def _top(op: ir.Operation | ir.OpView, block: ir.Block) -> ir.Operation:
    """Give the op of a block that an op is, or is in."""
    op = op.operation
    while op.block != block:
        parent = op.parent
        assert parent
        op = parent.operation
    return op


def functions_of(module: ir.Operation) -> dict[str, ir.Operation]:
    """Find the functions of a module, by name.

    Raises:
        CodegenError: the module holds something else.
    """
    found = {}
    for view in module.regions[0].blocks[0]:
        op = view.operation
        if op.name != "func.func":
            raise error_of(op, "expected functions only at the top of the module")
        found[ir.StringAttr(op.attributes["sym_name"]).value] = op
    return found


def find_entry(module: ir.Operation, functions: dict[str, ir.Operation], types: Types) -> Entry:
    """Find the entry function and take it apart.

    Raises:
        CodegenError: there is not exactly one, or its shape is not that of a tile program.
    """
    names = [name for name, op in functions.items() if ENTRY in op.attributes]
    if len(names) != 1:
        found = ", ".join(f"@{name}" for name in names) or "none"
        blamed = functions[names[-1]] if names else next(iter(functions.values()), module)
        raise error_at(
            blamed.location, f"expected one function with the attribute '{ENTRY}', found {found}"
        )
    op = functions[names[0]]
    if len(list(op.regions[0])) == 0:
        raise error_of(op, "it has no body")
    block = only_block(op, op.regions[0])
    layouts = tuple(_layouts(op, block, types))
    phases, scalars = _split(block)
    constants = tuple(each for each in scalars if each.name == _CONSTANT)
    pure = tuple(each for each in scalars if each.name != _CONSTANT)
    arguments = tuple(_arguments(op, block, layouts))
    if sum(each.is_status for each in arguments) > 1:
        raise error_at(op.location, f"two arguments have the attribute '{STATUS}'")
    messages, serial_bytes = read_messages(op), read_serial_bytes(op)
    return Entry(
        names[0], block, arguments, layouts, phases, constants, pure, messages, serial_bytes
    )


def _layouts(op: ir.Operation, block: ir.Block, types: Types) -> Iterator[Layout]:
    for argument in block.arguments:
        layout = types.layout(argument.type)
        if layout is None or not layout.is_row_major or len(layout.sizes) > _MAX_RANK:
            raise error_at(
                argument.location,
                f"argument {argument.arg_number} of '@{_name(op)}' is of type '{argument.type}'; "
                f"expected a row-major memref of rank 0 to {_MAX_RANK} of f32, f64, bf16, i1, i8, "
                "i16, i32, i64 or index",
            )
        yield layout


def _arguments(op: ir.Operation, block: ir.Block, layouts: Sequence[Layout]) -> Iterator[Argument]:
    for argument, layout in zip(block.arguments, layouts, strict=True):
        said = said_of_argument(op, argument.arg_number)
        for mark in said:
            if mark.startswith("sparsecore.") and mark not in OF_ARGUMENTS:
                raise error_at(
                    argument.location,
                    f"argument {argument.arg_number} of '@{_name(op)}' has the attribute '{mark}'; "
                    f"known are {', '.join(OF_ARGUMENTS)}",
                )
        yield Argument(
            layout.element.name,
            layout.sizes,
            noalias=NOALIAS in said,
            aligned=ALIGNED in said,
            name=read_name(op, said),
            is_status=STATUS in said,
            work=read_work(op, said),
        )


def _name(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value


def _split(block: ir.Block) -> tuple[tuple[ir.Operation, ...], tuple[ir.Operation, ...]]:
    phases, pure = [], []
    *ops, last = [view.operation for view in block]
    for op in ops:
        if op.name == _PHASE:
            phases.append(op)
            if len(op.results):
                raise error_of(op, "a phase cannot have results")
        elif op.name.startswith(_PURE_DIALECTS) or op.name in _PURE_OPS:
            pure.append(op)
        else:
            raise error_of(
                op, f"between phases only scalars and views are computed; put it into an {_PHASE}"
            )
    if len(last.operands):
        raise error_of(last, "the entry function cannot return values")
    return tuple(phases), tuple(pure)
