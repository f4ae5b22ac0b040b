"""The entry function of a module, its arguments and its phases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sdykit.core.sparsecore.names import (
    ALIGNED,
    ENTRY,
    LAUNCH,
    NOALIAS,
    OFFSETS,
    PLACE,
    SETTINGS,
    STATUS,
    WORKSPACE,
)
from sdykit.mlir import ir
from sdykit.sparsecore.codegen.compiled import Argument
from sdykit.sparsecore.codegen.emission.types import ELEMENTS, Layout
from sdykit.sparsecore.codegen.entry.attributes import (
    ARGUMENT_ATTRIBUTES,
    attributes_of_argument,
    read_locations,
    read_messages,
    read_name,
    read_serial_bytes,
    read_work,
)
from sdykit.sparsecore.codegen.translation.located_errors import error_at, error_of
from sdykit.sparsecore.codegen.translation.translator import Types, only_block

_PHASE = "scf.parallel"
_CONSTANTS = ("arith.constant", "ub.poison")
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
        name: the name of the function, without @.
        block: the block of its body.
        arguments: what callers know of the arguments, in order.
        layouts: the layouts of the arguments, in order.
        phases: the top-level parallel loops, in order.
        constants: the top-level ops `arith.constant` and `ub.poison`, in order.
        pure: the other top-level ops, which have no side effects, in order.
        messages: the error message of each status that the program can end with.
        serial_bytes: the memory traffic in bytes below which one thread is enough; None if the
            program does not say.
        locations: the source lines that reports name by number.
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
    locations: tuple[str, ...]

    @property
    def dim_count(self) -> int:
        """The number of dynamic sizes of all arguments."""
        return sum(size is None for argument in self.arguments for size in argument.shape)

    @property
    def status(self) -> int | None:
        """The number of the argument that is the status; None if none is."""
        return next((at for at, each in enumerate(self.arguments) if each.is_status), None)

    @property
    def settings(self) -> int | None:
        """The number of the argument that has the settings of the machine; None if none has."""
        return next((at for at, each in enumerate(self.arguments) if each.is_settings), None)

    def needed_for(self, wanted: Sequence[ir.Value]) -> list[ir.Operation]:
        """Return the pure ops that some values are computed by, in order."""
        missing, needed = set(wanted), []
        for op in reversed(self.pure):
            if any(result in missing for result in op.results):
                needed.append(op)
                missing.update(op.operands)
        return needed[::-1]

    def needed_by_phases(self) -> list[list[ir.Operation]]:
        """Return, for each phase, the pure ops that compute what it uses, in order."""
        users: dict[ir.Operation, set[int]] = {phase: {k} for k, phase in enumerate(self.phases)}
        for op in reversed(self.pure):
            users[op] = set()
            for result in op.results:
                for use in result.uses:
                    users[op] |= users.get(_ancestor_in(use.owner, self.block), set())
        return [[op for op in self.pure if k in users[op]] for k in range(len(self.phases))]


def _ancestor_in(op: ir.Operation | ir.OpView, block: ir.Block) -> ir.Operation:
    """Return the op of a block that is an op, or contains it."""
    op = op.operation
    while op.block != block:
        parent = op.parent
        assert parent
        op = parent.operation
    return op


def functions_of(module: ir.Operation) -> dict[str, ir.Operation]:
    """Return the functions of a module, by name.

    Raises:
        CodegenError: the module has another op at its top level.
    """
    found = {}
    for view in module.regions[0].blocks[0]:
        op = view.operation
        if op.name != "func.func":
            raise error_of(op, "expected only func.func at the top of the module")
        found[ir.StringAttr(op.attributes["sym_name"]).value] = op
    return found


def find_entry(module: ir.Operation, functions: dict[str, ir.Operation], types: Types) -> Entry:
    """Return the entry function, taken apart.

    Raises:
        CodegenError: there is not exactly one, or it has not the form of a tile program.
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
        raise error_of(op, "it has no body; expected the phases of the program")
    block = only_block(op, op.regions[0])
    layouts = tuple(_layouts(op, block, types))
    phases, scalars = _split(block)
    constants = tuple(each for each in scalars if each.name in _CONSTANTS)
    pure = tuple(each for each in scalars if each.name not in _CONSTANTS)
    arguments = tuple(_arguments(op, block, layouts))
    if sum(each.is_status for each in arguments) > 1:
        raise error_at(
            op.location, f"several arguments have the attribute '{STATUS}'; expected at most one"
        )
    return Entry(
        names[0],
        block,
        arguments,
        layouts,
        phases,
        constants,
        pure,
        read_messages(op),
        read_serial_bytes(op),
        read_locations(op),
    )


def _layouts(op: ir.Operation, block: ir.Block, types: Types) -> Iterator[Layout]:
    for argument in block.arguments:
        layout = types.layout(argument.type)
        if layout is None or not layout.is_row_major or len(layout.sizes) > _MAX_RANK:
            raise error_at(
                argument.location,
                f"argument {argument.arg_number} of '@{_name(op)}' is of type '{argument.type}'; "
                f"expected a row-major memref of rank 0 to {_MAX_RANK} of {', '.join(ELEMENTS)}",
            )
        yield layout


def _arguments(op: ir.Operation, block: ir.Block, layouts: Sequence[Layout]) -> Iterator[Argument]:
    for argument, layout in zip(block.arguments, layouts, strict=True):
        attributes = attributes_of_argument(op, argument.arg_number)
        for name in attributes:
            if name.startswith("sparsecore.") and name not in ARGUMENT_ATTRIBUTES:
                raise error_at(
                    argument.location,
                    f"argument {argument.arg_number} of '@{_name(op)}' has the attribute '{name}'; "
                    f"expected one of {', '.join(ARGUMENT_ATTRIBUTES)}",
                )
        yield Argument(
            layout.element.name,
            layout.sizes,
            noalias=NOALIAS in attributes,
            aligned=ALIGNED in attributes,
            name=read_name(op, attributes),
            is_status=STATUS in attributes,
            is_launch=LAUNCH in attributes,
            is_settings=SETTINGS in attributes,
            is_place=PLACE in attributes,
            is_offsets=OFFSETS in attributes,
            is_workspace=WORKSPACE in attributes,
            work=read_work(op, attributes),
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
                raise error_of(
                    op, "a phase cannot have results; expected it to store them in arguments"
                )
        elif op.name.startswith(_PURE_DIALECTS) or op.name in (*_PURE_OPS, *_CONSTANTS):
            pure.append(op)
        else:
            raise error_of(
                op, f"between phases only scalars and views are computed; move it into an {_PHASE}"
            )
    if len(last.operands):
        raise error_of(last, "the entry function cannot return values; store them in an argument")
    return tuple(phases), tuple(pure)
