"""Memory: addresses, loads and stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from sdykit.sparsecore.codegen.emission.emitter import Emitter, is_constant
from sdykit.sparsecore.codegen.emission.types import I1, Layout, Type
from sdykit.sparsecore.codegen.emission.values import MemRef, Value, with_layout

NONTEMPORAL = "!nontemporal !0"
"""`!0` is in `METADATA`."""


@dataclass(frozen=True, slots=True)
class Access:
    """How memory is accessed.

    Attributes:
        alignment: of the address, in bytes.
        nontemporal: past the caches.
    """

    alignment: int
    nontemporal: bool = False

    @property
    def suffix(self) -> str:
        """What ends a load or store."""
        return f", align {self.alignment}{', ' + NONTEMPORAL if self.nontemporal else ''}"


def address(e: Emitter, memref: MemRef, indices: Sequence[str], *, inbounds: bool = True) -> str:
    """Compute the address of an element.

    Args:
        e: where to.
        memref: the buffer.
        indices: one for each dimension.
        inbounds: LLVM may take the address to be within the buffer; a prefetch may miss it.
    """
    terms = [memref.offset]
    terms += [e.multiply(*each) for each in zip(indices, memref.strides, strict=True)]
    fixed = 0
    # What is known comes last, so that neighbours share the rest. That is within the buffer, too,
    # if no stride is negative.
    if all(is_constant(stride) and int(stride) >= 0 for stride in memref.strides):
        fixed = sum(int(term) for term in terms if is_constant(term))
        terms = [term for term in terms if not is_constant(term)]
    words = "getelementptr inbounds" if inbounds else "getelementptr"
    pointer = memref.base
    for distance in (reduce(e.add, terms, "0"), str(fixed)):
        if distance != "0":
            storage = memref.layout.element.storage
            pointer = e.once(f"{words} {storage}, ptr {pointer}, i64 {distance}")
    return pointer


def load(e: Emitter, type_: Type, pointer: str, access: Access) -> Value:
    """Load a scalar or vector."""
    text = e.set(f"load {type_.storage}, ptr {pointer}{access.suffix}")
    return from_storage(e, type_, text)


def store(e: Emitter, value: Value, pointer: str, access: Access) -> None:
    """Store a scalar or vector."""
    e.has_nontemporal |= access.nontemporal
    e.do(f"store {value.type.storage} {to_storage(e, value)}, ptr {pointer}{access.suffix}")


def from_storage(e: Emitter, type_: Type, text: str) -> Value:
    """Turn what memory holds into a value: bytes into truth values."""
    if type_.element is I1:
        text = e.set(f"icmp ne {type_.storage} {text}, {zero(type_)}")
    return Value(type_, text)


def to_storage(e: Emitter, value: Value) -> str:
    """Turn a value into what memory holds."""
    if value.type.element is not I1:
        return value.text
    return e.set(f"zext {value.operand} to {value.type.storage}")


def zero(type_: Type) -> str:
    """Give 0 of any integer type or vector of it."""
    return "0" if type_.shape is None else "zeroinitializer"


def row_major(e: Emitter, layout: Layout, base: str, sizes: Sequence[str]) -> MemRef:
    """Make a memref that fills its buffer."""
    strides = ["1"] if sizes else []
    for size in reversed(sizes[1:]):
        strides.append(e.multiply(strides[-1], size))
    return with_layout(layout, base, "0", sizes, strides[::-1])


def masked_load(e: Emitter, pointer: str, access: Access, mask: Value, otherwise: Value) -> Value:
    """Load where the mask is true; elsewhere the result is `otherwise`, and no byte is read."""
    type_ = otherwise.type
    operands = [
        f"ptr align {access.alignment} {pointer}",
        mask.operand,
        f"{type_.storage} {to_storage(e, otherwise)}",
    ]
    full = f"llvm.masked.load.{stored(type_)}.p0"
    types = ["ptr", mask.type.llvm, type_.storage]
    return from_storage(e, type_, e.call(full, type_.storage, operands, types))


def masked_store(e: Emitter, value: Value, pointer: str, access: Access, mask: Value) -> None:
    """Store where the mask is true."""
    type_ = value.type
    operands = [
        f"{type_.storage} {to_storage(e, value)}",
        f"ptr align {access.alignment} {pointer}",
        mask.operand,
    ]
    types = [type_.storage, "ptr", mask.type.llvm]
    e.call(f"llvm.masked.store.{stored(type_)}.p0", "void", operands, types)


def stored(type_: Type) -> str:
    """Give the type in memory as it ends the name of an intrinsic."""
    mangled = type_.mangled
    return f"v{type_.count}i8" if mangled.endswith("i1") else mangled
