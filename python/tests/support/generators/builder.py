"""Writing a module: ops in MLIR's generic form, their shardings and locations."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from support.generators.choices import Choices
from support.generators.meshes import Mesh, sharding_text
from support.generators.tensors import (
    LITERALS,
    UNRANKED,
    OpaqueType,
    Scope,
    TensorType,
    Type,
    Value,
)

Statement = Callable[["Builder", Scope, Choices], None]


@dataclass(frozen=True)
class Profile:
    """The habits of one module: drawn once, so that modules differ in kind."""

    weights: Mapping[Statement, float]
    constant_weights: Mapping[Statement, float]
    """The weights where only constant sub-computations are wanted."""
    constant_callees: bool
    """Whether every function but the main one is such a place."""
    sharded: float
    """How often an op, argument or result carries a sharding."""
    closed: float
    """How often a dimension is closed."""
    pooled: float
    """How often a sharding is one of a few of the module instead of a new one."""
    located: float
    """How often an op has another location than its place in the file."""


@dataclass(frozen=True)
class Signature:
    """A function that later ones can call."""

    name: str
    arguments: tuple[Type, ...]
    results: tuple[Type, ...]
    constant: bool
    """Whether only statements that make constants were wanted in it."""


@dataclass(frozen=True)
class Region:
    """A region of one block, ready to be written."""

    arguments: Sequence[Value]
    lines: Sequence[str]


@dataclass
class Builder:
    """What the functions of one module share."""

    header: int
    profile: Profile
    meshes: tuple[Mesh, ...]
    functions: list[Signature] = field(default_factory=list)
    _names: int = 0

    def value(self, type_: Type, choices: Choices) -> Value:
        """Make a value with a new name: a block argument, or the result of an op."""
        self._names += 1
        return Value(f"%v{self._names}", type_, choices.seed())

    def emit(  # noqa: PLR0917
        self,
        scope: Scope,
        choices: Choices,
        name: str,
        operands: Sequence[Value] = (),
        results: Sequence[Type] = (),
        attributes: Sequence[str] = (),
        regions: Sequence[Region] = (),
        *,
        may_shard: bool = True,
    ) -> list[Value]:
        """Write an op, and make its results visible.

        Args:
            attributes: each as it stands in the dictionary.
            may_shard: whether the op can carry a `sdy.sharding`.
        """
        made = self._results(results, choices)
        words = list(attributes)
        may_shard = may_shard and bool(results) and UNRANKED not in results
        if may_shard and choices.chance(self.profile.sharded):
            words.append(f"sdy.sharding = {self.per_value(scope, results, choices)}")
        head = self._left_side(made) + f'"{name}"({", ".join(v.name for v in operands)})'
        tail = f"{{{', '.join(words)}}} : {_signature(operands, results)}{self.location(choices)}"
        scope.lines += self._with_regions(head, regions, tail, choices)
        scope.values += made
        return made

    def _results(self, types: Sequence[Type], choices: Choices) -> list[Value]:
        if len(types) == 1:
            return [self.value(types[0], choices)]
        self._names += 1
        return [
            Value(f"%v{self._names}#{at}", type_, choices.seed()) for at, type_ in enumerate(types)
        ]

    def _left_side(self, results: Sequence[Value]) -> str:
        if len(results) > 1:
            return f"{results[0].name.partition('#')[0]}:{len(results)} = "
        return f"{results[0].name} = " if results else ""

    def _with_regions(
        self, head: str, regions: Sequence[Region], tail: str, choices: Choices
    ) -> list[str]:
        if not regions:
            return [f"{head} {tail}"]
        lines, opening = [], f"{head} ({{"
        for region in regions:
            arguments = ", ".join(self.argument(value, choices) for value in region.arguments)
            lines += [opening, f"^bb0({arguments}):" if arguments else "^bb0:"]
            lines += [f"  {line}" for line in region.lines]
            opening = "}, {"
        return [*lines, f"}}) {tail}"]

    def use(self, scope: Scope, choices: Choices, value: Value) -> None:
        """Write a use of a value that is nothing but a use."""
        words = ['call_target_name = "use"']
        self.emit(scope, choices, "stablehlo.custom_call", (value,), (), words)

    def new_block(self, scope: Scope, choices: Choices, passed: Sequence[Value]) -> None:
        """End the block with a branch to a new one, which gets values as arguments."""
        self._names += 1
        arguments = [self.value(value.type, choices) for value in passed]
        names = ", ".join(value.name for value in passed)
        types = ", ".join(str(value.type) for value in passed)
        given = f"({names} : {types})" if passed else ""
        taken = ", ".join(self.argument(value, choices) for value in arguments)
        scope.lines.append(f"cf.br ^bb{self._names}{given}{self.location(choices)}")
        scope.lines.append(f"^bb{self._names}{f'({taken})' if taken else ''}:")
        scope.values += arguments

    def argument(self, value: Value, choices: Choices) -> str:
        """Write a block argument with its type."""
        return f"{value.name}: {value.type}{self.location(choices)}"

    def location(self, choices: Choices) -> str:
        """Write a location, or nothing: then it is the place in the file."""
        if not choices.chance(self.profile.located):
            return ""
        name = choices.pick(("layer", "dot", "a b", "jit(f)/add"))
        return (
            " loc("
            + choices.pick(
                (
                    f'"{name}"',
                    f'"{name}"("model.py":{choices.between(1, 9)}:4)',
                    f'fused["{name}", "m.py":3:{choices.between(1, 9)}]',
                    f'callsite("{name}" at "m.py":7:7)',
                    "unknown",
                )
            )
            + ")"
        )

    def sharding(self, scope: Scope, type_: Type, choices: Choices) -> str:
        """Write a sharding for a type, as `<@mesh, [...]>`."""
        rank = len(type_.shape) if isinstance(type_, TensorType) else 0
        source = choices
        if choices.chance(self.profile.pooled):
            where = f"{self.header} {rank} {choices.between(0, 2)} {sorted(scope.manual)}"
            source = Choices(zlib.crc32(where.encode()))
        mesh = source.pick(self.meshes)
        if isinstance(type_, OpaqueType):
            return f"<{mesh.reference}, []>"
        return sharding_text(mesh, rank, source, self.profile.closed, scope.manual)

    def per_value(self, scope: Scope, types: Sequence[Type], choices: Choices) -> str:
        """Write a sharding for each of some types."""
        shardings = ", ".join(self.sharding(scope, type_, choices) for type_ in types)
        return f"#sdy.sharding_per_value<[{shardings}]>"

    def body(self, scope: Scope, choices: Choices) -> None:
        """Write the statements of a nested region; fewer the deeper it is."""
        for _ in range(choices.between(0, max(0, 4 - scope.depth))):
            self.statement(scope, choices.seed())

    def statement(self, scope: Scope, seed: int) -> None:
        """Write a statement: an op, or a few that belong together."""
        choices = Choices(seed)
        profile = self.profile
        weights = profile.constant_weights if scope.constant else profile.weights
        choices.pick_weighted(weights)(self, scope, choices)

    def need(self, scope: Scope, type_: Type, choices: Choices) -> Value:
        """Find a value of a type, or make one."""
        found = scope.pick(choices, lambda value: value.type == type_)
        if found is not None and choices.chance(0.9):
            return found
        return self.fresh(scope, type_, choices)

    def fresh(self, scope: Scope, type_: Type, choices: Choices) -> Value:
        """Make a value of a type: a constant if there are constants of it."""
        if isinstance(type_, TensorType) and type_.static:
            value = LITERALS.get(type_.element, ("1.0",))[0]
            words = [f"value = dense<{value}> : {type_}"]
            return self.emit(scope, choices, "stablehlo.constant", (), (type_,), words)[0]
        if type_ == OpaqueType("!stablehlo.token"):
            return self.emit(scope, choices, "stablehlo.create_token", (), (type_,))[0]
        words = ['call_target_name = "make"']
        return self.emit(scope, choices, "stablehlo.custom_call", (), (type_,), words)[0]


def _signature(operands: Sequence[Value], results: Sequence[Type]) -> str:
    taken = ", ".join(str(value.type) for value in operands)
    given = ", ".join(map(str, results))
    return f"({taken}) -> {given if len(results) == 1 else f'({given})'}"
