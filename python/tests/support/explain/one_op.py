"""Random programs of one op, of which each thing can be changed by itself: a dimension, an axis, a mesh, the rule."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

FACTORS = "ijkl"
OTHER_MESHES = 'sdy.mesh @other = <["a"=4]>\nsdy.mesh @maximal = <[], device_ids=[0]>'


@dataclass(frozen=True)
class Dim:
    """The sharding of a dimension."""

    axes: tuple[str, ...] = ()
    is_closed: bool = False

    def __str__(self) -> str:
        return f"{{{', '.join([*map(_quoted, self.axes), *([] if self.is_closed else ['?'])])}}}"


@dataclass(frozen=True)
class Given:
    """The sharding of a tensor."""

    dims: tuple[Dim, ...]
    mesh: str = "mesh"
    replicated: tuple[str, ...] = ()
    unreduced: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"<@{self.mesh}, [{', '.join(map(str, self.dims))}]"
        for name, axes in (("replicated", self.replicated), ("unreduced", self.unreduced)):
            text += f", {name}={{{', '.join(map(_quoted, axes))}}}" if axes else ""
        return f"{text}>"


def _quoted(axis: str) -> str:
    name, colon, part = axis.partition(":")
    return f'"{name}"{colon}{part}'


@dataclass(frozen=True)
class OneOp:
    """A function of one op, with the shardings of its arguments and result.

    Attributes:
        op: `add`, `barrier`, or `call`: a custom call.
        axes: the size of each axis of the mesh.
        sizes: the size of each factor.
        tensors: the factors of each dimension of each operand, and of the result, which is last.
        given: the sharding of each operand and of the result; None: none.
        blocked: the factors of a call along which nothing is propagated.
        has_rule: whether a call has a rule.
        direction: of a barrier, which way axes may go.
        is_used_twice: whether another op uses the first argument.
    """

    op: str
    axes: Mapping[str, int]
    sizes: Mapping[str, int]
    tensors: tuple[tuple[str, ...], ...]
    given: tuple[Given | None, ...]
    blocked: str = ""
    has_rule: bool = True
    direction: str = "BOTH"
    is_used_twice: bool = False

    def with_given(self, tensor: int, given: Given | None) -> OneOp:
        """Return the program with another sharding of a tensor."""
        return replace(self, given=(*self.given[:tensor], given, *self.given[tensor + 1 :]))

    def text(self) -> str:
        """Return the module."""
        types = [_type([_product(self.sizes, dim) for dim in dims]) for dims in self.tensors]
        names = [f"%arg{number}" for number in range(len(types) - 1)]
        arguments = [
            f"{name}: {type_}{_sharding(given)}"
            for name, type_, given in zip(names, types, self.given, strict=False)
        ]
        axes = ", ".join(f'"{name}"={size}' for name, size in self.axes.items())
        values, results = ["%0"], [types[-1]]
        if self.is_used_twice:
            values, results = [*values, "%1"], [*results, types[0]]
        lines = [
            f"sdy.mesh @mesh = <[{axes}]>",
            OTHER_MESHES,
            f"func.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{",
            f"  %0 = {self._op(names, types)}",
            f"  %1 = stablehlo.abs %arg0 : {types[0]}" if self.is_used_twice else "",
            f"  return {', '.join(values)} : {', '.join(results)}",
            "}",
        ]
        return "\n".join(lines)

    def _op(self, names: Sequence[str], types: Sequence[str]) -> str:
        words = []
        if self.given[-1] is not None:
            words.append(f"sdy.sharding = #sdy.sharding_per_value<[{self.given[-1]}]>")
        if self.op == "call" and self.has_rule:
            words.append(f"sdy.sharding_rule = {self._rule()}")
        attributes = f" {{{', '.join(words)}}}" if words else ""
        if self.op == "add":
            return f"stablehlo.add {', '.join(names)}{attributes} : {types[0]}"
        if self.op == "barrier":
            way = f"allowed_direction={self.direction}"
            return f"sdy.propagation_barrier {names[0]} {way}{attributes} : {types[0]}"
        typed = f"({', '.join(types[:-1])}) -> {types[-1]}"
        return f"stablehlo.custom_call @tpu_custom_call({', '.join(names)}){attributes} : {typed}"

    def _rule(self) -> str:
        used = [
            each for each in FACTORS if any(each in dim for dims in self.tensors for dim in dims)
        ]
        # Factors have the letters of sdy in the order in which it wants them.
        letters = dict(zip(used, FACTORS, strict=False))
        mapped = [
            f"[{', '.join(''.join(letters[each] for each in dim) for dim in dims)}]"
            for dims in self.tensors
        ]
        sizes = ", ".join(f"{letters[each]}={self.sizes[each]}" for each in used)
        blocked = ", ".join(letters[each] for each in used if each in self.blocked)
        kinds = f" blocked_propagation={{{blocked}}}" if blocked else ""
        return (
            f"#sdy.op_sharding_rule<({', '.join(mapped[:-1])})->({mapped[-1]}) "
            f"{{{sizes}}}{kinds}, custom>"
        )


def _sharding(given: Given | None) -> str:
    return "" if given is None else f" {{sdy.sharding = #sdy.sharding{given}}}"


def _product(sizes: Mapping[str, int], factors: str) -> int:
    product = 1
    for factor in factors:
        product *= sizes[factor]
    return product


def _type(shape: Sequence[int]) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def random_op(seed: int) -> OneOp:
    """Return the program that a seed determines."""
    of = random.Random(seed)
    op = of.choice(("add", "barrier", "call", "call", "call", "call"))
    operands = {"add": 2, "barrier": 1}.get(op, of.choice((1, 2, 2, 3)))
    like = ("i", "j")
    tensors = tuple(_dims(of) if op == "call" else like for _ in range(operands + 1))
    axes = {"a": 2, "b": of.choice((2, 3, 6)), "c": 4}
    return OneOp(
        op,
        axes,
        {factor: of.choice((2, 3, 4, 8)) for factor in FACTORS},
        tensors,
        tuple(_given(of, len(dims), axes["b"]) for dims in tensors),
        blocked="".join(each for each in FACTORS if of.random() < 0.1),
        has_rule=of.random() < 0.9,
        direction=of.choice(("NONE", "FORWARD", "BACKWARD")),
        is_used_twice=of.random() < 0.3,
    )


def _dims(of: random.Random) -> tuple[str, ...]:
    """Draw dimensions of one to three factors, each factor once."""
    factors = of.sample(FACTORS, of.randint(1, len(FACTORS)))
    dims: list[str] = []
    while factors:
        count = of.choice((1, 1, 2, 3))
        dims.append("".join(factors[:count]))
        factors = factors[count:]
    return tuple(dims)


def _given(of: random.Random, rank: int, size: int) -> Given | None:
    if of.random() < 0.25:
        return None
    mesh = of.choices(("mesh", "other", "maximal"), (20, 1, 1))[0]
    if mesh == "maximal":
        return Given((), mesh)
    # Parts of 6 that cannot be parts of one division of it, among others.
    of_b = ("b", "b:(1)2", "b:(2)3", "b:(1)3", "b:(3)2") if size == 6 else ("b",)
    of_c = ("c", "c:(1)2", "c:(2)2")
    axes = ["a", of.choice(of_b), of.choice(of_c)] if mesh == "mesh" else ["a"]
    places: dict[object, list[str]] = {}
    for axis in of.sample(axes, of.randint(0, len(axes))):
        place = of.choice((*range(rank), *range(rank), "replicated", "unreduced"))
        places.setdefault(place, []).append(axis)
    dims = tuple(Dim(tuple(places.get(at, ())), of.random() < 0.3) for at in range(rank))
    replicated, unreduced = (
        tuple(sorted(places.get(each, ()))) for each in ("replicated", "unreduced")
    )
    return Given(dims, mesh, replicated, unreduced)
