"""Going through the ops of a function: which MLIR value is which LLVM operand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.compiled import ALIGNMENT
from sdykit.sparsecore.codegen.emission.emitter import Emitter
from sdykit.sparsecore.codegen.emission.types import (
    ELEMENTS,
    EXPECTED,
    Layout,
    Type,
    find_layout,
    find_type,
)
from sdykit.sparsecore.codegen.emission.values import Held, MemRef, Value
from sdykit.sparsecore.codegen.translation.located_errors import error_at, error_of

Handler = Callable[["Translator", ir.Operation], None]


class Types:
    """Translated types of one module, each translated once."""

    def __init__(self) -> None:
        self._types: dict[ir.Type, Type | None] = {}
        self._layouts: dict[ir.Type, Layout | None] = {}

    def find(self, type_: ir.Type) -> Type | None:
        """Give a scalar or vector type; None: there is no translation."""
        if type_ not in self._types:
            self._types[type_] = find_type(type_)
        return self._types[type_]

    def layout(self, type_: ir.Type) -> Layout | None:
        """Give the layout of a memref; None: there is no translation."""
        if type_ not in self._layouts:
            self._layouts[type_] = find_layout(type_)
        return self._layouts[type_]


class Translator:
    """Translates the ops of one phase into one LLVM function.

    Args:
        emitter: what instructions go to.
        handlers: name of an op to what translates it.
        functions: those of the module, by name.
        types: the translated types of the module.
        known: what values of other functions, such as constants, are held in.
    """

    def __init__(
        self,
        emitter: Emitter,
        handlers: Mapping[str, Handler],
        functions: Mapping[str, ir.Operation],
        types: Types,
        known: Mapping[ir.Value, Held] | None = None,
    ) -> None:
        self.emitter = emitter
        self.functions = functions
        self.types = types
        self.calls: list[str] = []
        """Functions that are being inlined, outermost first."""
        self.scratch: list[int] = []
        """Offsets of what is allocated, in bytes; the k-th is the argument `%s<k>`."""
        self.scratch_bytes = 0
        self.iteration = "%begin"
        """The number of the phase's iteration that is translated."""
        self._handlers = handlers
        self._values: dict[ir.Value, Held] = dict(known or {})

    def __getitem__(self, value: ir.Value) -> Held:
        return self._values[value]

    def __setitem__(self, value: ir.Value, held: Held) -> None:
        self._values[value] = held

    def set_all(self, values: Sequence[ir.Value], held: Sequence[Held]) -> None:
        """Say what several values, such as the arguments of a block, are held in."""
        self._values.update(zip(values, held, strict=True))

    def operands(self, op: ir.Operation) -> list[Held]:
        """Give what the operands of an op are held in."""
        return [self._values[operand] for operand in op.operands]

    def value(self, value: ir.Value) -> Value:
        """Give a scalar or vector."""
        held = self._values[value]
        assert isinstance(held, Value)
        return held

    def values(self, op: ir.Operation) -> list[Value]:
        """Give the operands of an op that takes scalars and vectors only."""
        return [self.value(operand) for operand in op.operands]

    def memref(self, value: ir.Value) -> MemRef:
        """Give a memref."""
        held = self._values[value]
        assert isinstance(held, MemRef)
        return held

    def result_type(self, op: ir.Operation, number: int = 0) -> Type:
        """Give the type of a scalar or vector result.

        Raises:
            CodegenError: there is no translation of it.
        """
        return self._type_of(op, op.results[number])

    def _type_of(self, op: ir.Operation, value: ir.Value) -> Type:
        found = self.types.find(value.type)
        if found is None:
            raise error_of(op, f"expected values of type {EXPECTED}; found '{value.type}'")
        return found

    def layout(self, op: ir.Operation, value: ir.Value) -> Layout:
        """Give the layout of a memref.

        Raises:
            CodegenError: it is not strided, or its elements are not supported.
        """
        found = self.types.layout(value.type)
        if found is None:
            raise error_of(
                op, f"expected a strided memref of {', '.join(ELEMENTS)}; found '{value.type}'"
            )
        return found

    def set_result(self, op: ir.Operation, text: str) -> None:
        """Say which register holds the one result of an op, whose type is taken from it."""
        self[op.results[0]] = Value(self.result_type(op), text)

    def allocate(self, size: int) -> str:
        """Take a part of the worker's arena; gives the argument that points to it."""
        offset = -(-self.scratch_bytes // ALIGNMENT) * ALIGNMENT
        self.scratch.append(offset)
        self.scratch_bytes = offset + size
        return f"%s{len(self.scratch) - 1}"

    def op(self, op: ir.Operation) -> None:
        """Translate an op.

        Raises:
            CodegenError: it cannot be translated.
        """
        handler = self._handlers.get(op.name)
        if handler is None:
            raise error_of(op, "code generation does not know it")
        handler(self, op)

    def block(self, block: ir.Block) -> ir.Operation:
        """Translate all ops of a block but the last one, and give that one."""
        *ops, last = [view.operation for view in block]
        for op in ops:
            self.op(op)
        return last


def only_block(op: ir.Operation, region: ir.Region) -> ir.Block:
    """Give the block of a region that must not have more than one.

    Raises:
        CodegenError: it has several, or none.
    """
    blocks = list(region)
    if len(blocks) != 1:
        raise error_at(
            op.location, f"'{op.name}' op has a region of {len(blocks)} blocks; expected one block"
        )
    return blocks[0]
