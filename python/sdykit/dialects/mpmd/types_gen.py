# Generated from dialects/mpmd/types.td by tools/generate_dialects.py; do not edit.
"""Views of the attributes and types in `dialects/mpmd/types.td`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from sdykit.dialects.base import TypeView
from sdykit.dialects.mpmd import formats
from sdykit.dialects.mpmd.methods import MeshTensorTypeMethods
from sdykit.dialects.sdy.sharding_attrs_gen import TensorShardingAttr
from sdykit.dialects.text import TextParser

__all__ = [
    "MeshTensorType",
]


@dataclass(frozen=True, slots=True)
class MeshTensorType(MeshTensorTypeMethods, TypeView):
    """A tensor that lives on a mesh.

    The *global* type is the type of the tensor as a whole. The *local* type, that of the
    part on one device, has each dimension divided by the sizes of the axes that split it,
    rounded up. Without sharding the tensor is replicated over the mesh.

    ```mlir
    !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
    !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"x"}, {?}]>>
    !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, memory_kind="pinned_host">
    !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{}, {}]>, memory_kind="device">
    ```

    **Constraints:**

    - The mesh name is UTF-8 without quotes, backslashes and control characters. The verifier
      does not check it, but MLIR prints the name as it is, and cannot read others back.
    - The sharding is checked by the operations that use the type, against the mesh that the
      topology has under the name: it satisfies the constraints of `#sdy.sharding`.
    """

    NAME: ClassVar[str] = "!mpmd.mesh_tensor"

    mesh_name: str
    """Name of the mesh."""
    ranked_tensor_type: str
    """The global type."""
    sharding: TensorShardingAttr | None = None
    """How the tensor is split over the mesh."""
    memory_kind: str | None = None
    """The memory of the tensor; absent for the memory of the device."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("<")
        mesh_name = formats.parse_mesh_name(parser)
        parser.expect(",")
        ranked_tensor_type = formats.parse_ranked_tensor_type(parser)
        sharding, memory_kind = formats.parse_sharding_and_memory_kind(parser)
        parser.expect(">")
        return cls(mesh_name, ranked_tensor_type, sharding, memory_kind)

    def print_body(self) -> str:
        return (
            f"<{formats.print_mesh_name(self.mesh_name)}, "
            f"{formats.print_ranked_tensor_type(self.ranked_tensor_type)}"
            f"{formats.print_sharding_and_memory_kind(self.sharding, self.memory_kind)}>"
        )
