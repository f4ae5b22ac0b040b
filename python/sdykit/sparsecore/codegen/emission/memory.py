"""Memory: addresses, loads and stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from sdykit.sparsecore.codegen.emission.emitter import Emitter, is_constant
from sdykit.sparsecore.codegen.emission.types import I1, Layout, Type
from sdykit.sparsecore.codegen.emission.values import MemRef, Value, with_layout

NONTEMPORAL = "!nontemporal !0"
"""Metadata of a store that bypasses the caches; `!0` is in `METADATA`."""


@dataclass(frozen=True, slots=True)
class Access:
    """How memory is accessed.

    Attributes:
        alignment: the alignment of the address, in bytes.
        nontemporal: whether the access bypasses the caches.
    """

    alignment: int
    nontemporal: bool = False

    @property
    def suffix(self) -> str:
        """The end of a load or store instruction."""
        return f", align {self.alignment}{', ' + NONTEMPORAL if self.nontemporal else ''}"


def address(e: Emitter, memref: MemRef, indices: Sequence[str], *, inbounds: bool = True) -> str:
    """Compute the address of an element.

    Args:
        e: the emitter that instructions are added with.
        memref: the memref.
        indices: an `i64` for each dimension.
        inbounds: whether LLVM may assume that the address is within the buffer; that of a prefetch
            may be outside.
    """
    terms = [memref.offset]
    terms += [e.multiply(*each) for each in zip(indices, memref.strides, strict=True)]
    fixed = 0
    # Constants are added last, so that neighbouring elements share the rest. Without negative
    # strides that address is within the buffer, too.
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
    """Convert what memory holds to a value: bytes to booleans, and to integers of fewer bits."""
    if type_.element is I1:
        text = e.set(f"icmp ne {type_.storage} {text}, {zero(type_)}")
    elif type_.llvm != type_.storage:
        text = e.set(f"trunc {type_.storage} {text} to {type_.llvm}")
    return Value(type_, text)


def to_storage(e: Emitter, value: Value) -> str:
    """Convert a value to what memory holds."""
    type_ = value.type
    if type_.llvm == type_.storage:
        return value.text
    extend = "zext" if type_.element is I1 else "sext"
    return e.set(f"{extend} {value.operand} to {type_.storage}")


def zero(type_: Type) -> str:
    """Return 0 of an integer type or a vector of it."""
    return "0" if type_.shape is None else "zeroinitializer"


def row_major(e: Emitter, layout: Layout, base: str, sizes: Sequence[str]) -> MemRef:
    """Return a row-major memref from the start of a buffer.

    Args:
        e: the emitter that instructions are added with.
        layout: what the type of the memref fixes.
        base: the pointer to the buffer.
        sizes: an `i64` for each dimension.
    """
    strides = ["1"] if sizes else []
    for size in reversed(sizes[1:]):
        strides.append(e.multiply(strides[-1], size))
    return with_layout(layout, base, "0", sizes, strides[::-1])


def masked_load(e: Emitter, pointer: str, access: Access, mask: Value, otherwise: Value) -> Value:
    """Load the elements whose mask is true; others are those of `otherwise`, and are not read."""
    type_ = otherwise.type
    operands = [
        f"ptr align {access.alignment} {pointer}",
        mask.operand,
        f"{type_.storage} {to_storage(e, otherwise)}",
    ]
    full = f"llvm.masked.load.{mangled_storage(type_)}.p0"
    types = ["ptr", mask.type.llvm, type_.storage]
    return from_storage(e, type_, e.call(full, type_.storage, operands, types))


def masked_store(e: Emitter, value: Value, pointer: str, access: Access, mask: Value) -> None:
    """Store the elements whose mask is true."""
    type_ = value.type
    operands = [
        f"{type_.storage} {to_storage(e, value)}",
        f"ptr align {access.alignment} {pointer}",
        mask.operand,
    ]
    types = [type_.storage, "ptr", mask.type.llvm]
    e.call(f"llvm.masked.store.{mangled_storage(type_)}.p0", "void", operands, types)


def compressed_store(e: Emitter, value: Value, pointer: str, access: Access, mask: Value) -> None:
    """Store the elements whose mask is true, one after another."""
    type_ = value.type
    operands = [
        f"{type_.storage} {to_storage(e, value)}",
        f"ptr align {access.alignment} {pointer}",
        mask.operand,
    ]
    types = [type_.storage, "ptr", mask.type.llvm]
    e.call(f"llvm.masked.compressstore.{mangled_storage(type_)}", "void", operands, types)


def expanding_load(
    e: Emitter, pointer: str, access: Access, mask: Value, otherwise: Value
) -> Value:
    """Load adjacent elements into the lanes whose mask is true; others are those of `otherwise`."""
    type_ = otherwise.type
    operands = [
        f"ptr align {access.alignment} {pointer}",
        mask.operand,
        f"{type_.storage} {to_storage(e, otherwise)}",
    ]
    full = f"llvm.masked.expandload.{mangled_storage(type_)}"
    types = ["ptr", mask.type.llvm, type_.storage]
    return from_storage(e, type_, e.call(full, type_.storage, operands, types))


def mangled_storage(type_: Type) -> str:
    """Return the type in memory as it ends the name of an intrinsic."""
    return f"v{type_.count}i8" if type_.llvm != type_.storage else type_.mangled
