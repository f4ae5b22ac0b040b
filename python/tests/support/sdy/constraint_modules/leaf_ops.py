"""Ops without regions: constraints, chains of them, groups, and others."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from support.sdy.constraint_modules.shardings import Features, Shape, Shardings, tensor, types

GROUPS = [0, 1, 2, 3, 5, 8, -4, 1000]


@dataclass
class Scope:
    """What can be used in a region."""

    values: dict[str, Shape]
    manual: frozenset[str] = frozenset()
    depth: int = 0

    def inner(self) -> Scope:
        return Scope(dict(self.values), self.manual, self.depth + 1)


class LeafOps:
    """Writes ops without regions."""

    def __init__(self, rng: Random, features: Features) -> None:
        self._rng = rng
        self._features = features
        self._shardings = Shardings(rng, features)
        self._lines: list[str] = []
        self._names = 0
        self._leaf_ops = {
            self._add: 4.0,
            self._constraint: 7,
            self._chain: 3,
            self._unregistered: 1,
            self._use: 1,
            self._barrier: 1.5,
            self._reshard: 0.4,
            self._group: 6 if features.groups else 0,
        }

    def _p(self, probability: float) -> bool:
        return self._rng.random() < probability

    def _new(self) -> str:
        self._names += 1
        return f"%v{self._names}"

    def _emit(self, scope: Scope, text: str) -> None:
        self._lines.append("  " * (scope.depth + 1) + text)

    def _pick(self, scope: Scope, shape: Shape | None = None) -> str:
        names = [name for name, s in scope.values.items() if shape is None or s == shape]
        return names[-1] if self._p(0.4) else self._rng.choice(names)

    def _pick_some(self, scope: Scope) -> tuple[list[str], list[Shape]]:
        names = [self._pick(scope) for _ in range(self._rng.randint(1, 2))]
        return names, [scope.values[name] for name in names]

    def _sharding(self, scope: Scope, shape: Shape) -> str:
        return self._shardings.any(shape, scope.manual)

    def _list(self, scope: Scope, shapes: list[Shape]) -> str:
        return f"[{', '.join(self._sharding(scope, shape) for shape in shapes)}]"

    def _sharding_attr(self, scope: Scope, shapes: list[Shape]) -> str:
        if not self._p(0.2):
            return ""
        return f"sdy.sharding = #sdy.sharding_per_value<{self._list(scope, shapes)}>"

    def _add(self, scope: Scope) -> None:
        left = self._pick(scope)
        shape = scope.values[left]
        right, name = self._pick(scope, shape), self._new()
        attr = self._sharding_attr(scope, [shape])
        self._emit(scope, f"{name} = stablehlo.add {left}, {right} {{{attr}}} : {tensor(shape)}")
        scope.values[name] = shape

    def _constraint(self, scope: Scope) -> None:
        value = self._pick(scope)
        name = self._constrain(scope, value, " {test.attr}" if self._p(0.05) else "")
        if not self._p(0.15):
            scope.values[name] = scope.values[value]

    def _constrain(self, scope: Scope, value: str, attrs: str = "", like: str = "") -> str:
        shape, name = scope.values[like or value], self._new()
        sharding = self._sharding(scope, shape)
        op = f"sdy.sharding_constraint {value} {sharding}{attrs} : {tensor(shape)}"
        self._emit(scope, f"{name} = {op}")
        return name

    def _chain(self, scope: Scope) -> None:
        name = like = self._pick(scope)
        for _ in range(self._rng.randint(2, 3)):
            name = self._constrain(scope, name, like=like)
            if self._p(0.3):
                self._add(scope)
            if self._p(0.12):
                scope.values[name] = scope.values[like]
        if not self._p(0.3):
            scope.values[name] = scope.values[like]

    def _group(self, scope: Scope) -> None:
        value = self._pick(scope)
        group = f"group_id={self._rng.choice(GROUPS)}"
        self._emit(scope, f"sdy.sharding_group {value} {group} : {tensor(scope.values[value])}")

    def _reshard(self, scope: Scope) -> None:
        value, name = self._pick(scope), self._new()
        shape = scope.values[value]
        sharding = self._sharding(scope, shape)
        self._emit(scope, f"{name} = sdy.reshard {value} {sharding} : {tensor(shape)}")
        scope.values[name] = shape

    def _use(self, scope: Scope) -> None:
        value, other = self._pick(scope), self._pick(scope)
        operands = types([scope.values[name] for name in (value, other, value)])
        self._emit(scope, f'"test.use"({value}, {other}, {value}) : ({operands}) -> ()')

    def _unregistered(self, scope: Scope) -> None:
        shapes = [scope.values[self._pick(scope)] for _ in range(self._rng.randint(1, 3))]
        result_types, attr = types(shapes), self._sharding_attr(scope, shapes)
        name, number = self._new(), len(shapes)
        if self._features.shapeless and not attr and self._p(0.3):
            kinds = ["!stablehlo.token", "tensor<?x4xf32>", "i32", "tuple<i32>"]
            result_types += ", " + self._rng.choice(kinds)
            number += 1
        self._emit(scope, f'{name}:{number} = "test.op"() {{{attr}}} : () -> ({result_types})')
        self._add_results(scope, name, shapes)

    def _barrier(self, scope: Scope) -> None:
        names, shapes = self._pick_some(scope)
        name, attr = self._new(), self._sharding_attr(scope, shapes)
        op = f"stablehlo.optimization_barrier {{{attr}}} {', '.join(names)} : {types(shapes)}"
        self._emit(scope, f"{name}:{len(names)} = {op}")
        self._add_results(scope, name, shapes, owned=True)

    def _add_results(
        self, scope: Scope, name: str, shapes: list[Shape], *, owned: bool = False
    ) -> None:
        """Make the results of an op usable, those that own edges perhaps through an edge."""
        with_edges = owned and self._p(self._features.edges)
        for number, shape in enumerate(shapes):
            value = f"{name}#{number}"
            if with_edges and not self._p(0.1):
                value = self._edge(scope, value, shape)
            scope.values[value] = shape

    def _edge(self, scope: Scope, value: str, shape: Shape) -> str:
        name = self._new()
        sharding = f" sharding={self._sharding(scope, shape)}" if self._p(0.25) else ""
        self._emit(scope, f"{name} = sdy.data_flow_edge {value}{sharding} : {tensor(shape)}")
        return name
