"""The walk over the ops of a function, with what each MLIR value is lowered to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.compiled import aligned
from sdykit.sparsecore.codegen.emission.emitter import Emitter
from sdykit.sparsecore.codegen.emission.types import (
    ELEMENTS,
    EXPECTED,
    Layout,
    Type,
    find_layout,
    find_type,
)
from sdykit.sparsecore.codegen.emission.values import Lowered, MemRef, Value
from sdykit.sparsecore.codegen.runtime_functions import DEVICE_OFFSET, SHARED_OFFSET
from sdykit.sparsecore.codegen.translation.located_errors import error_at, error_of

Handler = Callable[["Translator", ir.Operation], None]


class Types:
    """The types of one module, each translated once."""

    def __init__(self) -> None:
        self._types: dict[ir.Type, Type | None] = {}
        self._layouts: dict[ir.Type, Layout | None] = {}

    def find(self, type_: ir.Type) -> Type | None:
        """Return the translation of a scalar or vector type, or None if there is none."""
        if type_ not in self._types:
            self._types[type_] = find_type(type_)
        return self._types[type_]

    def layout(self, type_: ir.Type) -> Layout | None:
        """Return the layout of a memref type, or None if there is no translation."""
        if type_ not in self._layouts:
            self._layouts[type_] = find_layout(type_)
        return self._layouts[type_]


class Translator:
    """Translates the ops of one phase into one LLVM function.

    Args:
        emitter: the emitter that instructions are added with.
        handlers: the function that translates an op, by the name of the op.
        functions: the functions of the module, by name.
        types: the translated types of the module.
        known: values that are lowered already, such as constants.
    """

    def __init__(
        self,
        emitter: Emitter,
        handlers: Mapping[str, Handler],
        functions: Mapping[str, ir.Operation],
        types: Types,
        known: Mapping[ir.Value, Lowered] | None = None,
    ) -> None:
        self.emitter = emitter
        self.functions = functions
        self.types = types
        self.calls: list[str] = []
        """Names of the functions that are being inlined, outermost first."""
        self.scratch: list[int] = []
        """Offsets in bytes of the buffers in the arena; the k-th is the parameter `%s<k>`."""
        self.scratch_bytes = 0
        self.arena = ""
        """The parameter that points to an agent's arena; "" in a phase that has no agents."""
        self.shared: list[tuple[int, int]] = []
        """For each buffer that agents share, the k-th of which is the parameter `%h<k>`: where the
        header has the address of that memory, and the offset in it, in bytes."""
        self.shared_bytes: dict[int, int] = {SHARED_OFFSET: 0, DEVICE_OFFSET: 0}
        """The bytes of each memory that agents share."""
        self.packed = 0
        """How many integers the array in the function's frame holds, for calls of the runtime."""
        self.iteration = "%begin"
        """The register with the number of the phase's current iteration."""
        self._handlers = handlers
        self._values: dict[ir.Value, Lowered] = dict(known or {})

    def __getitem__(self, value: ir.Value) -> Lowered:
        return self._values[value]

    def __setitem__(self, value: ir.Value, lowered: Lowered) -> None:
        self._values[value] = lowered

    def set_all(self, values: Sequence[ir.Value], lowered: Sequence[Lowered]) -> None:
        """Set what several values, such as the arguments of a block, are lowered to."""
        self._values.update(zip(values, lowered, strict=True))

    def operands(self, op: ir.Operation) -> list[Lowered]:
        """Return what the operands of an op are lowered to."""
        return [self._values[operand] for operand in op.operands]

    def value(self, value: ir.Value) -> Value:
        """Return what a scalar or vector is lowered to."""
        lowered = self._values[value]
        assert isinstance(lowered, Value)
        return lowered

    def values(self, op: ir.Operation) -> list[Value]:
        """Return what the operands are lowered to, of an op that takes scalars and vectors only."""
        return [self.value(operand) for operand in op.operands]

    def memref(self, value: ir.Value) -> MemRef:
        """Return what a memref is lowered to."""
        lowered = self._values[value]
        assert isinstance(lowered, MemRef)
        return lowered

    def result_type(self, op: ir.Operation, number: int = 0) -> Type:
        """Return the translated type of a scalar or vector result.

        Raises:
            CodegenError: the type has no translation.
        """
        return self._type_of(op, op.results[number])

    def _type_of(self, op: ir.Operation, value: ir.Value) -> Type:
        found = self.types.find(value.type)
        if found is None:
            raise error_of(op, f"expected values of type {EXPECTED}; found '{value.type}'")
        return found

    def layout(self, op: ir.Operation, value: ir.Value) -> Layout:
        """Return the layout of a memref.

        Raises:
            CodegenError: the memref is not strided, or its elements have no translation.
        """
        found = self.types.layout(value.type)
        if found is None:
            raise error_of(
                op, f"expected a strided memref of {', '.join(ELEMENTS)}; found '{value.type}'"
            )
        return found

    def set_result(self, op: ir.Operation, text: str) -> None:
        """Set the register of the only result of an op; the type is that of the result."""
        self[op.results[0]] = Value(self.result_type(op), text)

    def allocate(self, size: int) -> str:
        """Reserve bytes of the worker's arena and return the parameter that points to them."""
        offset = aligned(self.scratch_bytes)
        self.scratch.append(offset)
        self.scratch_bytes = offset + size
        return f"%s{len(self.scratch) - 1}"

    def allocate_shared(self, memory: int, size: int) -> str:
        """Reserve bytes of memory that agents share and return the parameter that points to them.

        Args:
            memory: where the header has the address of the memory.
            size: how many bytes.
        """
        offset = aligned(self.shared_bytes[memory])
        self.shared.append((memory, offset))
        self.shared_bytes[memory] = offset + size
        return f"%h{len(self.shared) - 1}"

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
        """Translate all ops of a block but the last, and return the last."""
        *ops, last = [view.operation for view in block]
        for op in ops:
            self.op(op)
        return last


def only_block(op: ir.Operation, region: ir.Region) -> ir.Block:
    """Return the only block of a region.

    Raises:
        CodegenError: the region has several blocks, or none.
    """
    blocks = list(region)
    if len(blocks) != 1:
        raise error_at(
            op.location, f"'{op.name}' op has a region of {len(blocks)} blocks; expected one block"
        )
    return blocks[0]
