"""Functions that the bodies of fragments call."""

from __future__ import annotations

from dataclasses import dataclass, field

from support.mpmd.programs.types import Tensor

_NAMES = ("f", "g_1", "block_3", "inferred", "f_1", "helper")
"""Some are names that a fragment's function would get."""


def annotation(name: str, type_: str, where: str) -> str:
    """Return the custom call that places a value on the host or the device."""
    return (
        f"custom_call @annotate_device_placement({name}) {{has_side_effect = true,"
        f' mhlo.frontend_attributes = {{_xla_buffer_placement = "{where}"}}}}'
        f" : ({type_}) -> {type_}"
    )


@dataclass(frozen=True)
class Callee:
    """A private function of one argument: an op on it, perhaps placed on the host."""

    name: str
    tensor: Tensor
    placed: bool

    @property
    def location(self) -> str:
        """The location of all calls; the C++ passes set it on the function as well."""
        return f' loc("{self.name}")'

    @property
    def lines(self) -> list[str]:
        type_ = self.tensor.text
        body = [f"%0 = stablehlo.negate %a : {type_}"]
        if self.tensor.kind == "flag":
            body = [f"%0 = stablehlo.not %a : {type_}"]
        if self.placed:
            body.append(f"%1 = stablehlo.{annotation('%0', type_, 'pinned_host')}")
        return [
            f"func.func private @{self.name}(%a: {type_}) -> {type_} {{",
            *(f"  {line}" for line in body),
            f"  return %{len(body) - 1} : {type_}",
            f"}}{self.location}",
        ]


@dataclass
class Callees:
    """The functions that the bodies of one program call, each created on first use."""

    _made: list[Callee] = field(default_factory=list)

    def get(self, tensor: Tensor, *, placed: bool) -> Callee | None:
        """Return the function for a type; None if there are too many already."""
        for callee in self._made:
            if (callee.tensor, callee.placed) == (tensor, placed):
                return callee
        if len(self._made) == len(_NAMES):
            return None
        self._made.append(Callee(_NAMES[len(self._made)], tensor, placed))
        return self._made[-1]
