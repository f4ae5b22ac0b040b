"""Types, values, and the values that a statement can see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from support.generators.choices import Choices


@dataclass(frozen=True)
class TensorType:
    """A ranked tensor; `None` is a dynamic dimension."""

    shape: tuple[int | None, ...]
    element: str = "f32"

    @property
    def static(self) -> bool:
        return None not in self.shape

    @property
    def sizes(self) -> tuple[int, ...]:
        """The shape of a static tensor."""
        return tuple(size for size in self.shape if size is not None)

    def with_element(self, element: str) -> TensorType:
        return TensorType(self.shape, element)

    def with_shape(self, *shape: int | None) -> TensorType:
        return TensorType(shape, self.element)

    def __str__(self) -> str:
        sizes = "".join(f"{'?' if size is None else size}x" for size in self.shape)
        return f"tensor<{sizes}{self.element}>"


@dataclass(frozen=True)
class OpaqueType:
    """A type without shape, such as a token."""

    text: str

    def __str__(self) -> str:
        return self.text


Type = TensorType | OpaqueType

TOKEN = OpaqueType("!stablehlo.token")
UNRANKED = OpaqueType("tensor<*xf32>")
PREDICATE = TensorType((), "i1")
INDEX = TensorType((), "i32")

COMPLEX = "complex<f32>"
LITERALS = {"i1": ("true", "false"), "i32": ("1", "0"), COMPLEX: ("(1.0, 2.0)",)}
"""Constants of element types other than floats."""

MATRIX = TensorType((8, 8))
COMMON_TYPES = (MATRIX, MATRIX, MATRIX, TensorType((8,)), TensorType(()), TensorType((16, 4)))
RARE_TYPES = (
    TensorType((8, 8), "i32"),
    TensorType((4, 8, 2)),
    TensorType((8, 8), "i1"),
    TensorType((8, 8), "bf16"),
    TensorType((None, 8)),
    TensorType((None,), "i32"),
    TensorType((), "i32"),
    TensorType((64,)),
    TensorType((3, 5)),
    TensorType((1, 8)),
    TensorType((0, 8)),
    TensorType((8,), COMPLEX),
)


def any_type(choices: Choices, rare: float = 0.25) -> TensorType:
    """Draw a tensor type; few common ones, so that values fit together."""
    return choices.pick(RARE_TYPES if choices.chance(rare) else COMMON_TYPES)


@dataclass(frozen=True, slots=True)
class Value:
    """An SSA value; `key` places it for `Scope.pick`."""

    name: str
    type: Type
    key: int


def is_tensor(value: Value) -> bool:
    return isinstance(value.type, TensorType)


def is_ordinary(value: Value) -> bool:
    """Whether ops accept the value: only functions and calls accept unranked tensors."""
    return value.type != UNRANKED


def is_static(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.static


@dataclass
class Scope:
    """A block being written: its lines, and what it can use."""

    depth: int = 0
    values: list[Value] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    constant: bool = False
    """Whether all statements must be constant sub-computations."""
    manual: frozenset[str] = frozenset()
    """Axes that enclosing manual computations have taken."""

    def nested(self, *, isolated: bool = False) -> Scope:
        """Make the scope of a region; an isolated one does not see the outer values."""
        seen = [] if isolated else list(self.values)
        return Scope(self.depth + 1, seen, [], self.constant, self.manual)

    def pick(self, choices: Choices, accept: Callable[[Value], bool] = is_ordinary) -> Value | None:
        """Draw one of the accepted values.

        The one whose key is nearest, by exclusive or, to a random one: so the choice stays
        when other values come and go.
        """
        target = choices.seed()
        found = [value for value in self.values if accept(value)]
        return min(found, key=lambda value: value.key ^ target, default=None)
