"""Random modules full of constraints, sharding groups, manual computations and edges.

Values are few and of few types, shardings come from small palettes: so constraints agree and
disagree, make chains and share inputs, in all regions that there are.
"""

from __future__ import annotations

from random import Random

from support.sdy.constraint_modules.leaf_ops import Scope
from support.sdy.constraint_modules.region_ops import RegionOps
from support.sdy.constraint_modules.shardings import AXES, SHAPES, Features, Shape, tensor, types

__all__ = ["Features", "constraint_module"]


class ModuleMaker(RegionOps):
    """Makes a module; `module` returns its text."""

    def module(self) -> str:
        mesh = ", ".join(f'"{axis}"={size}' for axis, size in AXES.items())
        self._lines = [f"sdy.mesh @{name} = <[{mesh}]>" for name in ("mesh", "twin")]
        for number in range(2 if self._p(0.2) else 1):
            self._function(number)
        return "\n".join(self._lines) + "\n"

    def _function(self, number: int) -> None:
        shapes = [self._rng.choice(SHAPES) for _ in range(self._rng.randint(1, 3))]
        args = [self._new() for _ in shapes]
        scope = Scope(dict(zip(args, shapes, strict=True)))
        header = len(self._lines)
        self._lines.append("")
        self._body(scope)
        if self._features.several_blocks and self._p(0.7):
            self._second_block(scope, shapes)
        results = [self._pick(scope) for _ in range(self._rng.randint(0, 3))]
        result_shapes = [scope.values[result] for result in results]
        self._return_values(scope, results, result_shapes)
        self._lines.append("}")
        attrs = [self._value_attrs(shape) for shape in (*shapes, *result_shapes)]
        arguments = [
            f"{name}: {tensor(shape)} {attr}"
            for name, shape, attr in zip(args, shapes, attrs, strict=False)
        ]
        outs = [
            f"{tensor(shape)} {attr}"
            for shape, attr in zip(result_shapes, attrs[len(shapes) :], strict=True)
        ]
        visibility = "private " if self._p(0.1) else ""
        head = f"func.func {visibility}@f{number}({', '.join(arguments)}) -> ({', '.join(outs)})"
        self._lines[header] = head + " {"

    def _body(self, scope: Scope) -> None:
        self._budget = self._rng.randint(3, 22)
        while self._budget > 0:
            self._op(scope)

    def _second_block(self, scope: Scope, shapes: list[Shape]) -> None:
        """Arguments of a later block share shardings with the function's, so types agree."""
        values = [self._pick(scope, shape) for shape in shapes]
        self._emit(scope, f"cf.br ^bb1({', '.join(values)} : {types(shapes)})")
        args = [self._new() for _ in shapes]
        self._emit(scope, f"^bb1({self._arguments(args, shapes)}):")
        scope.values |= dict(zip(args, shapes, strict=True))
        self._body(scope)

    def _return_values(self, scope: Scope, values: list[str], shapes: list[Shape]) -> None:
        operands = f" {', '.join(values)} : {types(shapes)}" if values else ""
        self._emit(scope, "func.return" + operands)

    def _value_attrs(self, shape: Shape) -> str:
        if self._p(0.2):
            return "{sdy.sharding = #sdy.sharding" + self._shardings.any(shape, frozenset()) + "}"
        return "{test.attr}" if self._p(0.1) else ""


def constraint_module(rng: Random, features: Features | None = None) -> str:
    """Make a module."""
    return ModuleMaker(rng, features or Features()).module()
