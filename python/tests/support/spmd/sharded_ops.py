"""Random ops of every kind with random shardings of their operands and results, many in one function."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sdykit.mlir import ir, make_context
from sdykit.spmd.values import dtype_of
from support.sdy.rule_ops import KINDS
from support.sdy.rule_ops.drawing import Op

MESHES = (
    {"a": 2},
    {"a": 2, "b": 2},
    {"a": 4, "b": 2},
    {"a": 2, "b": 2, "c": 2},
    {"a": 3, "b": 2},
    {"a": 8},
)
NOT_RUN = ("collective", "custom_call", "decomposition", "topk", "x64_combine")
"""Ops that only a manual computation, or only another machine, can run."""


def kinds() -> list[str]:
    """Return the kinds of ops that can be run."""
    return sorted(set(KINDS) - set(NOT_RUN))


def ops_of(kind: str) -> dict[str, Op]:
    """Return an op of each name that a kind draws, with dimensions that can be divided if any has."""
    of, found = random.Random(0), dict[str, Op]()
    for _ in range(400):
        op = KINDS[kind](of)
        if op.name not in found or not _can_be_divided(found[op.name]):
            found[op.name] = op
    return found


def _can_be_divided(op: Op) -> bool:
    return any(re.search(r"([2-9]|\d\d)x", type_) for type_ in op.results)


def sharded_ops(seed: int, names: Sequence[str | Op]) -> str:
    """Return a module whose function has an op of each kind, or each op, with arguments of their own."""
    of = random.Random(seed)
    mesh = of.choice(MESHES)
    axes = ", ".join(f'"{name}"={size}' for name, size in mesh.items())
    ids = ""
    if of.random() < 0.2:
        order = list(range(int(np.prod(list(mesh.values())))))
        of.shuffle(order)
        ids = f", device_ids={order}"
    made = _Body(of, mesh)
    for number, name in enumerate(names):
        _add(made, KINDS[name](of) if isinstance(name, str) else name, f"n{number}")
    values = ", ".join(name for name, _ in made.results)
    types = ", ".join(type_ for _, type_ in made.results)
    body = "\n".join(f"  {line}" for line in made.lines)
    return (
        f"sdy.mesh @mesh = <[{axes}]{ids}>\n"
        f"func.func @main({', '.join(made.arguments)}) -> ({types}) {{\n{body}\n"
        f"  func.return {values} : {types}\n}}\n"
    )


@dataclass
class _Body:
    """A function that is being written."""

    of: random.Random
    mesh: dict[str, int]
    arguments: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    results: list[tuple[str, str]] = field(default_factory=list)


def _add(body: _Body, op: Op, prefix: str) -> None:
    of, mesh, arguments = body.of, body.mesh, body.arguments
    lines, results = body.lines, body.results

    def named(text: str) -> str:
        return re.sub(r"%([xs])(\d)", rf"%{prefix}\1\2", text)

    made = {*dict(op.before), *op.names}
    own = [(f"%x{at}", type_) for at, type_ in enumerate(op.operands) if at not in made]
    for name, type_ in (*own, *op.extra):
        sharding = f"sdy.sharding = #sdy.sharding{sharding_of(of, type_, mesh)}"
        arguments.append(named(f"{name}: {type_} {{{sharding}}}"))
    lines += [named(f"%x{at} = {text}") for at, text in op.before]
    names = ", ".join(op.names.get(at, f"%x{at}") for at in range(len(op.operands)))
    count = len(op.results)
    head = f"%{prefix}r:{count} = " if count > 1 else f"%{prefix}r = "
    # A constraint has a mesh of its own.
    own_properties = re.sub(r"mesh<.*?>(?=, \[)", "@mesh", op.properties)
    properties = f" <{{{own_properties}}}>" if op.properties else ""
    region = f" {op.region}" if op.region else ""
    given = ", ".join(sharding_of(of, type_, mesh) for type_ in op.results)
    sharding = f" {{sdy.sharding = #sdy.sharding_per_value<[{given}]>}}"
    types = f"({', '.join(op.operands)}) -> ({', '.join(op.results)})"
    lines.append(head + named(f'"{op.name}"({names}){properties}{region}{sharding} : {types}'))
    results += [
        (f"%{prefix}r#{at}" if count > 1 else f"%{prefix}r", type_)
        for at, type_ in enumerate(op.results)
    ]


def sharding_of(of: random.Random, type_: str, mesh: dict[str, int]) -> str:
    """Return a random sharding of a tensor: whole axes and parts of them."""
    sizes = re.findall(r"(\d+)x", type_)
    axes = []
    for name, size in mesh.items():
        if size % 2 == 0 and size > 2 and of.random() < 0.4:
            axes += [f'"{name}":(1)2', f'"{name}":(2){size // 2}']
        else:
            axes.append(f'"{name}"')
    of.shuffle(axes)
    dims = []
    for _ in sizes:
        chosen: list[str] = []
        while axes and of.random() < 0.4:
            if chosen and chosen[-1].split(":")[0] == axes[-1].split(":")[0]:
                break  # Two parts of an axis in a row would have to be written as one.
            chosen.append(axes.pop())
        dims.append("{" + ", ".join([*chosen, *(["?"] if of.random() < 0.3 else [])]) + "}")
    return f"<@mesh, [{', '.join(dims)}]>"


def inputs_of(text: str, seed: int) -> list[np.ndarray]:
    """Return random inputs for `@main`: integers are small, some negative or too large for an index."""
    of = np.random.default_rng(seed)
    with make_context():
        module = ir.Module.parse(text)
        func = next(op for op in module.body.operations if op.operation.name == "func.func")
        types = [each.type for each in func.operation.regions[0].blocks[0].arguments]
        return [_input(of, ir.RankedTensorType(each)) for each in types]


def _input(of: np.random.Generator, type_: ir.RankedTensorType) -> np.ndarray:
    dtype, shape = dtype_of(type_.element_type), tuple(type_.shape)
    assert dtype is not None
    if dtype.kind == "b":
        return of.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        return of.integers(0 if dtype.kind == "u" else -2, 12, shape).astype(dtype)
    # What sums begin with: XLA may use it more than once, or not at all.
    numbers = of.standard_normal(shape) if shape else np.zeros(())
    if dtype.kind == "c":
        return np.asarray(numbers + 1j * of.standard_normal(shape)).astype(dtype)
    return np.asarray(numbers).astype(dtype)
