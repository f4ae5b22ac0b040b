"""Methods of `mpmd` attributes and types: each class is a base of the view it is named after."""

from __future__ import annotations

import functools
import math
import re
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

from sdykit.dialects.text import TextParser, quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdykit.dialects.sdy.dimension_attrs_gen import DimensionShardingAttr
    from sdykit.dialects.sdy.mesh_attrs_gen import MeshAttr
    from sdykit.dialects.sdy.sharding_attrs_gen import TensorShardingAttr

_PINNED_HOST = "pinned_host"

# The text of a mesh tensor: the mesh name, and the rest.
_PRINTED = re.compile(r'!mpmd\.mesh_tensor<"(.*?)"(, tensor<.*)', re.DOTALL)
_TENSOR = re.compile(r"tensor<((?:(?:[0-9]+|\?)x)*)(.+)>", re.DOTALL)

_COMPLEX = re.compile(r"complex<(\w+)>")
_INTEGER = re.compile(r"[su]?i([1-9][0-9]*)")
_FLOAT = re.compile(r"b?f([1-9][0-9]*)(?:E[0-9]+M[0-9]+[A-Z0-9]*)?")
# MLIR's `tf32` has 19 bits; the layout of `index` is that of 64, where none is given.
_OTHER_BITS = {"tf32": 19, "index": 64}


class _NamedMesh(Protocol):
    """The fields of `NamedMeshAttr`, which cannot be imported: its module imports this one."""

    @property
    def name(self) -> str: ...
    @property
    def mesh(self) -> MeshAttr: ...


class TopologyAttrMethods:
    """Methods of `TopologyAttr`."""

    __slots__ = ()

    meshes: tuple[_NamedMesh, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the meshes, in order."""
        return tuple(named.name for named in self.meshes)

    def mesh(self, name: str) -> MeshAttr:
        """Return the first mesh of this name.

        Raises:
            LookupError: the topology has no such mesh.
        """
        for named in self.meshes:
            if named.name == name:
                return named.mesh
        names = ", ".join(map(repr, self.names)) or "none"
        raise LookupError(f"the topology has no mesh {name!r}; it has {names}")


class MeshTensorTypeMethods:
    """Methods of `MeshTensorType`.

    The argument `mesh` of the methods is the mesh that the sharding names. It is ignored if the
    sharding holds a mesh itself, and not needed without a sharding.
    """

    __slots__ = ()

    NAME: ClassVar[str]
    mesh_name: str
    ranked_tensor_type: str
    sharding: TensorShardingAttr | None
    memory_kind: str | None

    @property
    def is_on_host(self) -> bool:
        """Whether the tensor is in the memory of the host."""
        return self.memory_kind == _PINNED_HOST

    @property
    def element_type(self) -> str:
        """Text of the element type, `f32`."""
        return _read_tensor(self.ranked_tensor_type).element_type

    @property
    def global_shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions of the tensor as a whole.

        Raises:
            ValueError: a dimension is dynamic.
        """
        return _static(_read_tensor(self.ranked_tensor_type).dimensions, self.ranked_tensor_type)

    def local_shape(self, mesh: MeshAttr | None = None) -> tuple[int, ...]:
        """Return the sizes of the dimensions of the part that a device holds.

        The global size is divided by the sizes of the axes that split the dimension, and
        rounded up, as Shardy's `TensorShardingAttr::getLocalTensorType` does. (Operations on
        mesh tensors require it to be divisible.) Replicated and unreduced axes split nothing.

        Raises:
            ValueError: a dimension is dynamic, the sharding and the tensor differ in rank, or
                the sharding splits a dimension and `mesh` is missing.
            LookupError: the mesh lacks an axis.
        """
        return _static(self._local_dimensions(mesh), self.ranked_tensor_type)

    def local_type(self, mesh: MeshAttr | None = None) -> str:
        """Return the text of the type of the part that a device holds, `tensor<2x8xf32>`.

        Raises:
            ValueError, LookupError: as `local_shape`, but dynamic dimensions stay dynamic.
        """
        tensor = _read_tensor(self.ranked_tensor_type)
        sizes = ("?" if size is None else str(size) for size in self._local_dimensions(mesh))
        shape = "".join(f"{size}x" for size in sizes)
        return f"tensor<{shape}{tensor.element_type}{tensor.rest}>"

    def size_in_bits(self, mesh: MeshAttr | None = None) -> int:
        """Return the number of bits of the elements that a device holds.

        An element has the bits of MLIR's `Type::getIntOrFloatBitWidth`: `i1` has one, `f8E4M3FN`
        eight. Shardy counts the same way; on a device, a boolean may take a byte. Types that Shardy does
        not count: `index` has 64 bits, as in MLIR's default data layout
        (`IndexType::kInternalStorageBitWidth`), and `complex<T>` twice the bits of `T`.

        Raises:
            ValueError, LookupError: as `local_shape`, or elements are of an unknown type.
        """
        return math.prod(self.local_shape(mesh)) * _bits_of(self.element_type)

    def size_in_bytes(self, mesh: MeshAttr | None = None) -> int:
        """Return the number of bytes that a device holds: the bits of its elements, rounded up.

        For several tensors, Shardy adds the bits and rounds the sum: use `size_in_bits`.

        Raises:
            ValueError, LookupError: as `size_in_bits`.
        """
        return -(-self.size_in_bits(mesh) // 8)

    def _local_dimensions(self, mesh: MeshAttr | None) -> tuple[int | None, ...]:
        dimensions = _read_tensor(self.ranked_tensor_type).dimensions
        if self.sharding is None or not self.sharding.dim_shardings:
            return dimensions  # the sharding of a maximal mesh has no dimensions
        shardings = self.sharding.dim_shardings
        if len(shardings) != len(dimensions):
            raise ValueError(
                f"the sharding of {self} has {len(shardings)} dimensions, and the tensor "
                f"{len(dimensions)}"
            )
        if not isinstance(self.sharding.mesh_or_ref, str):
            mesh = self.sharding.mesh_or_ref
        if mesh is None and not self.sharding.is_fully_replicated:
            raise ValueError(f"the sharding of {self} only names its mesh; pass `mesh`")
        return tuple(
            None if size is None else -(-size // _parts(sharding, mesh))
            for size, sharding in zip(dimensions, shardings, strict=True)
        )

    if TYPE_CHECKING:

        def print_body(self) -> str:
            """Return what follows the name of the type."""
            ...

    @classmethod
    def readable_text(cls, printed: str) -> str:
        """Escape the mesh name, which MLIR prints as it is."""
        match = _PRINTED.fullmatch(printed)
        return printed if match is None else f"{cls.NAME}<{quote(match[1])}{match[2]}"

    def unambiguous_text(self) -> str:
        """Return a text that MLIR reads back: with the mesh name escaped."""
        return self.readable_text(self.NAME + self.print_body())


class _Tensor(NamedTuple):
    """The parts of the text of a ranked tensor type."""

    dimensions: tuple[int | None, ...]
    """None where the size is dynamic."""
    element_type: str
    rest: str
    """The encoding, with the comma before it; usually empty."""


@functools.lru_cache(maxsize=4096)
def _read_tensor(text: str) -> _Tensor:
    match = _TENSOR.fullmatch(text)
    if match is None:
        raise ValueError(f"expected a ranked tensor type as MLIR prints it, found {text}")
    sizes = match[1].split("x")[:-1]
    element_type = TextParser(match[2], "element type").foreign()
    return _Tensor(
        tuple(None if size == "?" else int(size) for size in sizes),
        element_type,
        match[2][len(element_type) :],
    )


def _static(dimensions: Sequence[int | None], text: str) -> tuple[int, ...]:
    sizes = tuple(size for size in dimensions if size is not None)
    if len(sizes) != len(dimensions):
        raise ValueError(f"{text} has a dynamic dimension, whose size is not known")
    return sizes


def _parts(sharding: DimensionShardingAttr, mesh: MeshAttr | None) -> int:
    return math.prod(axis.size_in(mesh) for axis in sharding.axes) if mesh is not None else 1


def _bits_of(element_type: str) -> int:
    if match := _COMPLEX.fullmatch(element_type):
        return 2 * _bits_of(match[1])
    if match := _INTEGER.fullmatch(element_type) or _FLOAT.fullmatch(element_type):
        return int(match[1])
    if element_type in _OTHER_BITS:
        return _OTHER_BITS[element_type]
    raise ValueError(f"the size of elements of type {element_type} is not known")
