"""Functions whose ops use what others make: reshards of reshards, barriers, loops, calls, dots."""

from __future__ import annotations

import random

from support.sdy.random_reshards import Chances, Mesh, random_side, side_text

_TYPE = "tensor<8x8xf32>"
_OPS = 8


def random_chains(of: random.Random, count: int) -> tuple[str, list[str]]:
    """Return the text of a mesh and of a function that is called, and functions on them."""
    mesh = {name: of.choice((2, 2, 4)) for name in "abc"[: of.randint(1, 3)]}
    axes = ", ".join(f'"{name}"={size}' for name, size in mesh.items())
    writer = _Writer(of, mesh)
    # C++ needs a body.
    callee = (
        f"func.func private @callee(%arg0: {_TYPE} {writer.argument()}, %arg1: {_TYPE}) -> {_TYPE}"
        f" {{\n  return %arg0 : {_TYPE}\n}}"
    )
    head = f"sdy.mesh @mesh = <[{axes}]>\n{callee}\n"
    return head, [writer.function(number) for number in range(count)]


class _Writer:
    """Writes functions; `of` makes all choices."""

    def __init__(self, of: random.Random, mesh: Mesh) -> None:
        self._of = of
        self._mesh = mesh
        self._chances = Chances(of.choice((0, 0.4)), 0.5, of.choice((0, 0.3, 0.6)))

    def function(self, number: int) -> str:
        values = ["%a", "%b"]
        lines = [self._line(f"%v{at}", values) for at in range(_OPS)]
        returned = self._of.sample(values[2:], 2)
        arguments = ", ".join(f"{value}: {_TYPE} {self.argument()}" for value in ("%a", "%b"))
        results = ", ".join(f"{_TYPE} {self.argument()}" for _ in returned)
        body = "\n".join(lines)
        return (
            f"func.func @f{number}({arguments}) -> ({results}) {{\n{body}\n"
            f"return {', '.join(returned)} : {_TYPE}, {_TYPE}\n}}\n"
        )

    def argument(self) -> str:
        """Return the attributes of an argument or result, of which not all have a sharding."""
        return f"{{sdy.sharding = #sdy.sharding{self._sharding()}}}" if self._has_one() else ""

    def _sharding(self) -> str:
        side = random_side(self._of, self._mesh, 2, self._chances)
        # The pipeline closes all shardings before.
        return side_text(self._of, side, self._mesh, "mesh").replace(", ?", "").replace("?", "")

    def _has_one(self) -> bool:
        return self._of.random() < 0.7

    def _attribute(self, count: int = 1) -> str:
        if not self._has_one():
            return ""
        shardings = ", ".join(self._sharding() for _ in range(count))
        return f"sdy.sharding = #sdy.sharding_per_value<[{shardings}]>"

    def _line(self, name: str, values: list[str]) -> str:
        """Return the text of an op, and add its results to the values."""
        of = self._of
        # Mostly the last values, so that there are chains.
        one, other = (of.choice(values[-3:]) for _ in range(2))
        write = of.choice(
            (
                self._add,
                self._dot,
                self._reshard,
                self._reshard,
                self._barrier,
                self._loop,
                self._call,
                self._optimization_barrier,
            )
        )
        text, results = write(name, one, other)
        values += results
        return text

    def _add(self, name: str, one: str, other: str) -> tuple[str, list[str]]:
        return f"{name} = stablehlo.add {one}, {other} {{{self._attribute()}}} : {_TYPE}", [name]

    def _dot(self, name: str, one: str, other: str) -> tuple[str, list[str]]:
        return (
            f"{name} = stablehlo.dot_general {one}, {other}, contracting_dims = [1] x [0]"
            f" {{{self._attribute()}}} : ({_TYPE}, {_TYPE}) -> {_TYPE}",
            [name],
        )

    def _reshard(self, name: str, one: str, _: str) -> tuple[str, list[str]]:
        return f"{name} = sdy.reshard {one} {self._sharding()} : {_TYPE}", [name]

    def _barrier(self, name: str, one: str, _: str) -> tuple[str, list[str]]:
        return (
            f"{name} = sdy.propagation_barrier {one} allowed_direction=NONE"
            f" {{{self._attribute()}}} : {_TYPE}",
            [name],
        )

    def _loop(self, name: str, one: str, _: str) -> tuple[str, list[str]]:
        attribute = self._attribute()
        inner = name.replace("%", "%i")
        return (
            f"""{name} = stablehlo.while({inner} = {one}) : {_TYPE} attributes {{{attribute}}}
cond {{
  {inner}c = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.return {inner}c : tensor<i1>
}} do {{
  {self._add(inner + "a", inner, inner)[0]}
  stablehlo.return {inner}a : {_TYPE}
}}""",
            [name],
        )

    def _call(self, name: str, one: str, other: str) -> tuple[str, list[str]]:
        return (
            f"{name} = func.call @callee({one}, {other}) {{{self._attribute()}}}"
            f" : ({_TYPE}, {_TYPE}) -> {_TYPE}",
            [name],
        )

    def _optimization_barrier(self, name: str, one: str, other: str) -> tuple[str, list[str]]:
        return (
            f"{name}:2 = stablehlo.optimization_barrier {{{self._attribute(2)}}} {one}, {other}"
            f" : {_TYPE}, {_TYPE}",
            [f"{name}#0", f"{name}#1"],
        )
