"""Types of values: tensors, and tensors that live on a mesh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

TOKEN = "!stablehlo.token"


@dataclass(frozen=True)
class Tensor:
    """A ranked tensor type of static shape."""

    shape: tuple[int, ...]
    element: str = "f32"

    @cached_property
    def text(self) -> str:
        return f"tensor<{''.join(f'{size}x' for size in self.shape)}{self.element}>"

    @property
    def kind(self) -> str:
        """What the elements are: `float`, `complex`, `flag` or `integer`."""
        if self.element == "i1":
            return "flag"
        if self.element.startswith("complex"):
            return "complex"
        return "integer" if self.element.startswith("i") else "float"

    def of(self, element: str) -> Tensor:
        """Return the type of the same shape with other elements."""
        return Tensor(self.shape, element)


@dataclass(frozen=True)
class Mesh:
    """A mesh of a topology, and the symbol that shardings on it name."""

    name: str
    axes: tuple[tuple[str, int], ...]
    symbol: str

    @property
    def is_cpu(self) -> bool:
        return self.name.endswith("/cpu")

    @cached_property
    def attribute(self) -> str:
        return "<[" + ", ".join(f'"{name}"={size}' for name, size in self.axes) + "]>"


@dataclass(frozen=True)
class MeshTensor:
    """A tensor on a mesh; the sharding is text, `@mesh, [{"x"}, {}]`."""

    mesh: Mesh
    tensor: Tensor
    sharding: str | None = None
    memory_kind: str | None = None

    @cached_property
    def text(self) -> str:
        sharding = f", sharding=<{self.sharding}>" if self.sharding else ""
        kind = f', memory_kind="{self.memory_kind}"' if self.memory_kind else ""
        return f'!mpmd.mesh_tensor<"{self.mesh.name}", {self.tensor.text}{sharding}{kind}>'

    @property
    def on_host(self) -> bool:
        return self.memory_kind == "pinned_host"


@dataclass
class Value:
    """A value of the program: an argument of the function, or a result in its body."""

    name: str
    type: MeshTensor
    seed: int
    """The seed of its properties that are drawn at the end of the program."""
    producer: str = "argument"
    """The kind of its producer: `argument`, `user`, `inferred` or `transfer`."""
    source: MeshTensor | None = None
    """The type of the operand, if a transfer made it."""
    placed: bool = False
    """Whether a fragment puts it into host memory, regardless of its type."""
    fragment_uses: int = 0
    transfer_uses: int = 0

    @property
    def used(self) -> bool:
        return bool(self.fragment_uses or self.transfer_uses)
