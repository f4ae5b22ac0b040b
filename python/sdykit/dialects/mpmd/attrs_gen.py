# Generated from dialects/mpmd/attrs.td by tools/generate_dialects.py; do not edit.
"""Views of the attributes and types in `dialects/mpmd/attrs.td`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from sdykit.dialects.base import AttributeView
from sdykit.dialects.mpmd.enums_gen import ReductionType
from sdykit.dialects.mpmd.methods import TopologyAttrMethods
from sdykit.dialects.sdy.mesh_attrs_gen import MeshAttr
from sdykit.dialects.text import TextParser, print_views, quote

__all__ = [
    "MeshWithOriginsAttr",
    "MeshesWithOriginsAttr",
    "NamedMeshAttr",
    "OriginAttr",
    "ReductionAttr",
    "TopologyAttr",
    "UserOriginAttr",
]


@dataclass(frozen=True, slots=True)
class NamedMeshAttr(AttributeView):
    """A mesh and its name.

    ```mlir
    #mpmd.named_mesh<"m1" : <["x"=2, "y"=4]>>
    ```
    """

    NAME: ClassVar[str] = "#mpmd.named_mesh"

    name: str
    """Name of the mesh, unique in its topology."""
    mesh: MeshAttr
    """The mesh."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("<")
        name = parser.string()
        parser.expect(":")
        mesh = parser.nested(MeshAttr)
        parser.expect(">")
        return cls(name, mesh)

    def print_body(self) -> str:
        return f"<{quote(self.name)} : {self.mesh.print_body()}>"


@dataclass(frozen=True, slots=True)
class TopologyAttr(TopologyAttrMethods, AttributeView):
    """The meshes that a program runs on.

    The attribute `topology` of a function. Mesh tensors, fragments and fragment calls in
    the function name their mesh, and the topology says what it looks like. The meshes may
    differ in shape and axes.

    ```mlir
    #mpmd.topology<<"m1" : <["x"=2]>>, <"m2" : <["x"=2]>>>
    ```

    A name that ends in `/cpu` denotes the host of the mesh with the rest of the name.

    **Constraints:**

    - There is at least one mesh.
    - Names are unique. The verifier does not check it; of two meshes with the same name, the
      first is used.
    """

    NAME: ClassVar[str] = "#mpmd.topology"

    meshes: tuple[NamedMeshAttr, ...]
    """The meshes."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("<")
        meshes = parser.nested_list(NamedMeshAttr)
        parser.expect(">")
        return cls(meshes)

    def print_body(self) -> str:
        return f"<{print_views(self.meshes)}>"


@dataclass(frozen=True, slots=True)
class UserOriginAttr(AttributeView):
    """The named computation that a fragment comes from.

    The name of the computation, and how often it was transposed: 0 in the
    forward pass, 1 in the backward pass, and so on.

    ```mlir
    #mpmd.user_origin<"layer_1">
    #mpmd.user_origin<"layer_1"(1)>
    ```

    **Constraints:**

    - The count is not negative. The verifier does not check it; MLIR prints a negative
      count like zero, that is, not at all.
    """

    NAME: ClassVar[str] = "#mpmd.user_origin"

    user_name: str
    """Name of the computation."""
    transpose_count: int = 0
    """How often it was transposed."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("<")
        user_name = parser.string()
        if parser.accept("("):
            transpose_count = parser.integer()
            parser.expect(")")
        else:
            transpose_count = 0
        parser.expect(">")
        return cls(user_name, transpose_count)

    def print_body(self) -> str:
        text = f"<{quote(self.user_name)}"
        if self.transpose_count != 0:
            text += f"({self.transpose_count})"
        return text + ">"


@dataclass(frozen=True, slots=True)
class OriginAttr(AttributeView):
    """Why a value is on a mesh.

    Written `"layer_1"`. The label is the name of a computation or tensor of the user, or
    names the part of the program that requires the value on the mesh. Diagnostics of mesh
    inference use it.
    """

    NAME: ClassVar[str] = "#mpmd.origin"

    origin_label: str
    """The reason."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        origin_label = parser.string()
        return cls(origin_label)

    def print_body(self) -> str:
        return quote(self.origin_label)


@dataclass(frozen=True, slots=True)
class MeshWithOriginsAttr(AttributeView):
    """A mesh that a value is on, and why.

    Written `"m1"["layer_1", "layer_2"]`; without origins, written `"m1"`.
    """

    NAME: ClassVar[str] = "#mpmd.mesh_with_origins"

    mesh_name: str
    """Name of the mesh."""
    origins: tuple[OriginAttr, ...] = ()
    """The reasons."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        mesh_name = parser.string()
        if parser.accept("["):
            origins = parser.nested_list(OriginAttr)
            parser.expect("]")
        else:
            origins = ()
        return cls(mesh_name, origins)

    def print_body(self) -> str:
        text = quote(self.mesh_name)
        if self.origins:
            text += f"[{print_views(self.origins)}]"
        return text


@dataclass(frozen=True, slots=True)
class MeshesWithOriginsAttr(AttributeView):
    """The meshes that a value is on, and why.

    Mesh inference keeps it with operations, function arguments and function results.

    ```mlir
    #mpmd.meshes_with_origins<"m1"["layer_1"], "m2">
    #mpmd.meshes_with_origins<>
    ```
    """

    NAME: ClassVar[str] = "#mpmd.meshes_with_origins"

    value: tuple[MeshWithOriginsAttr, ...] = ()
    """The meshes."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("<")
        value = parser.nested_list_until(">", MeshWithOriginsAttr)
        return cls(value)

    def print_body(self) -> str:
        return f"<{print_views(self.value)}>"


@dataclass(frozen=True, slots=True)
class ReductionAttr(AttributeView):
    """The operation that a reduction applies.

    ```mlir
    #mpmd.reduction<add>
    ```
    """

    NAME: ClassVar[str] = "#mpmd.reduction"

    reduction_type: ReductionType
    """an enum of type ReductionType"""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("<")
        reduction_type = parser.enum(ReductionType)
        parser.expect(">")
        return cls(reduction_type)

    def print_body(self) -> str:
        return f"<{self.reduction_type!s}>"
