"""Drawing shapes, and writing ops as functions."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Op:
    """An op, in the generic form of MLIR.

    Attributes:
        name: its name.
        operands: the types of its operands.
        results: the types of its results.
        properties: its attributes, as text.
        region: the text of its region, if it has one.
        before: ops that make operands: the number of an operand, and the text of the op after `=`.
        extra: the name and type of further arguments of the function, which these may use.
        names: the names of operands that are such arguments, by number.
        after: text of ops after it, which may use `%r`, its result.
    """

    name: str
    operands: Sequence[str]
    results: Sequence[str]
    properties: str = ""
    region: str = ""
    before: Sequence[tuple[int, str]] = ()
    extra: Sequence[tuple[str, str]] = ()
    names: Mapping[int, str] = field(default_factory=dict)
    after: str = ""


Draw = Callable[[random.Random], Op]
KINDS: dict[str, Draw] = {}


def kind(name: str) -> Callable[[Draw], Draw]:
    """Return a decorator that adds a function to the kinds of ops."""

    def register(draw: Draw) -> Draw:
        KINDS[name] = draw
        return draw

    return register


def size(of: random.Random) -> int:
    return of.choice((1, 1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 12, 16))


def shape(of: random.Random, least: int = 0, most: int = 4) -> Shape:
    return tuple(size(of) for _ in range(of.randint(least, most)))


def tensor(dims: Sequence[int], element: str = "f32") -> str:
    return f"tensor<{''.join(f'{dim}x' for dim in dims)}{element}>"


def array(values: Sequence[int]) -> str:
    """Return the text of a dense array of i64."""
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def body(combine: str, count: int = 1, element: str = "f32") -> str:
    """Return a region that combines `count` pairs of scalars by an op."""
    scalar = tensor((), element)
    arguments = ", ".join(f"%a{at}: {scalar}" for at in range(2 * count))
    lines = [
        f'%c{at} = "stablehlo.{combine}"(%a{at}, %a{at + count}) : ({scalar}, {scalar}) -> {scalar}'
        for at in range(count)
    ]
    names, types = ", ".join(f"%c{at}" for at in range(count)), ", ".join([scalar] * count)
    lines.append(f'"stablehlo.return"({names}) : ({types}) -> ()')
    return f"({{\n^bb0({arguments}):\n" + "\n".join(lines) + "\n})"


def function(number: int, op: Op) -> str:
    """Return a function that has an op, and what makes its operands."""
    made = {*dict(op.before), *op.names}
    own = [(f"%x{at}", type_) for at, type_ in enumerate(op.operands) if at not in made]
    arguments = ", ".join(f"{name}: {type_}" for name, type_ in (*own, *op.extra))
    lines = [f"%x{at} = {text}" for at, text in op.before]
    names = ", ".join(op.names.get(at, f"%x{at}") for at in range(len(op.operands)))
    results = "%r = " if len(op.results) == 1 else f"%r:{len(op.results)} = " if op.results else ""
    properties = f" <{{{op.properties}}}>" if op.properties else ""
    region = f" {op.region}" if op.region else ""
    types = f"({', '.join(op.operands)}) -> ({', '.join(op.results)})"
    lines.append(f'{results}"{op.name}"({names}){properties}{region} : {types}')
    if op.after:
        lines.append(op.after)
    lines.append("func.return")
    return f"func.func @f{number}({arguments}) {{\n" + "\n".join(lines) + "\n}"


def op_functions(seed: int, count: int) -> Iterator[tuple[str, str]]:
    """Yield `count` kinds of ops in turn, each with the text of a function that has one."""
    of = random.Random(seed)
    names = sorted(KINDS)
    for number in range(count):
        name = names[number % len(names)]
        yield name, function(number, KINDS[name](of))
