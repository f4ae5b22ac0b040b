"""Statements with regions: control flow, named and manual computations."""

from __future__ import annotations

from collections.abc import Sequence

from support.generators.builder import Builder, Region
from support.generators.choices import Choices
from support.generators.meshes import (
    AxisRef,
    Mesh,
    axis_refs,
    deal_axes,
    dimension_text,
    extra_axes,
    product,
    without_neighbours,
)
from support.generators.tensors import (
    INDEX,
    PREDICATE,
    TOKEN,
    Scope,
    TensorType,
    Type,
    Value,
    any_type,
)

MAX_DEPTH = 3


def _too_deep(builder: Builder, scope: Scope, choices: Choices) -> bool:
    """Whether no more regions fit; writes a barrier, which takes no region, instead."""
    if scope.depth < MAX_DEPTH:
        return False
    optimization_barrier(builder, scope, choices)
    return True


def _operands(scope: Scope, choices: Choices, at_most: int = 3) -> list[Value]:
    wanted = choices.pick((1, 1, 2, 2, 3, 0))
    return [v for _ in range(min(wanted, at_most)) if (v := scope.pick(choices))]


def _returning(
    builder: Builder, scope: Scope, choices: Choices, types: Sequence[Type], terminator: str
) -> None:
    values = [builder.need(scope, type_, choices) for type_ in types]
    builder.emit(scope, choices, terminator, values)


def optimization_barrier(builder: Builder, scope: Scope, choices: Choices) -> None:
    operands = _operands(scope, choices)
    types = [value.type for value in operands]
    builder.emit(scope, choices, "stablehlo.optimization_barrier", operands, types)


def while_(builder: Builder, scope: Scope, choices: Choices) -> None:
    if _too_deep(builder, scope, choices):
        return
    operands = _operands(scope, choices)
    types = [value.type for value in operands]
    regions = []
    for returned in ([PREDICATE], types):
        inner = scope.nested()
        arguments = [builder.value(type_, choices) for type_ in types]
        inner.values += arguments
        builder.body(inner, choices.fork())
        _returning(builder, inner, choices, returned, "stablehlo.return")
        regions.append(Region(arguments, inner.lines))
    builder.emit(scope, choices, "stablehlo.while", operands, types, (), regions)


def case(builder: Builder, scope: Scope, choices: Choices) -> None:
    """A case or if; its branches see the outer values."""
    if _too_deep(builder, scope, choices):
        return
    types: list[Type] = [any_type(choices) for _ in range(choices.between(0, 2))]
    types += [TOKEN] * choices.chance(0.1)
    is_if = choices.chance(0.4)
    selector = builder.need(scope, PREDICATE if is_if else INDEX, choices)
    regions = []
    for _ in range(2 if is_if else choices.between(1, 3)):
        inner = scope.nested()
        builder.body(inner, choices.fork())
        _returning(builder, inner, choices, types, "stablehlo.return")
        regions.append(Region((), inner.lines))
    name = "stablehlo.if" if is_if else "stablehlo.case"
    builder.emit(scope, choices, name, (selector,), types, (), regions)


def named_computation(builder: Builder, scope: Scope, choices: Choices) -> None:
    if _too_deep(builder, scope, choices):
        return
    inner = scope.nested(isolated=True)
    inner.constant = scope.constant or choices.chance(0.3)
    operands = [] if inner.constant and choices.chance(0.8) else _operands(scope, choices)
    arguments = [builder.value(value.type, choices) for value in operands]
    inner.values += arguments
    builder.body(inner, choices.fork())
    results = _results(builder, inner, choices)
    builder.emit(inner, choices, "sdy.return", results)
    types = [value.type for value in results]
    words = [f'name = "{choices.pick(("foo", "bar", "jit_f"))}"']
    if operands and choices.chance(0.4):
        inputs = [value.type for value in operands]
        words.append(f"in_shardings = {builder.per_value(scope, inputs, choices)}")
    if types and choices.chance(0.4):
        words.append(f"out_shardings = {builder.per_value(scope, types, choices)}")
    builder.emit(
        scope, choices, "sdy.named_computation", operands, types, words,
        [Region(arguments, inner.lines)], may_shard=False,
    )  # fmt: skip


def _results(builder: Builder, scope: Scope, choices: Choices) -> list[Value]:
    found = [value for _ in range(choices.pick((1, 1, 2, 0))) if (value := scope.pick(choices))]
    return found or [builder.fresh(scope, any_type(choices, 0), choices)] * choices.chance(0.8)


def manual_computation(builder: Builder, scope: Scope, choices: Choices) -> None:
    meshes = [mesh for mesh in builder.meshes if not mesh.maximal]
    if not meshes or _too_deep(builder, scope, choices):
        return
    manual = _Manual(builder, scope, choices, choices.pick(meshes))
    operands = _operands(scope, choices)
    if not operands and choices.chance(0.8):
        operands = [builder.fresh(scope, TensorType((8, 8)), choices)]
    ins = [manual.split(value.type) for value in operands]
    inner = scope.nested(isolated=True)
    inner.manual = scope.manual | frozenset(manual.axes)
    arguments = [builder.value(local, choices) for _, local in ins]
    inner.values += arguments
    if operands or not manual.axes or choices.chance(0.3):
        builder.body(inner, choices.fork())
    results = _results(builder, inner, choices) if operands or choices.chance(0.05) else []
    builder.emit(inner, choices, "sdy.return", results)
    outs = [manual.join(value.type) for value in results]
    words = [
        f"in_shardings = #sdy.sharding_per_value<[{', '.join(text for text, _ in ins)}]>",
        f"out_shardings = #sdy.sharding_per_value<[{', '.join(text for text, _ in outs)}]>",
        f"manual_axes = #sdy<manual_axes{{{', '.join(manual.quoted())}}}>",
    ]
    builder.emit(
        scope, choices, "sdy.manual_computation", operands, [type_ for _, type_ in outs], words,
        [Region(arguments, inner.lines)], may_shard=False,
    )  # fmt: skip


class _Manual:
    """The mesh and manual axes of one manual computation."""

    def __init__(self, builder: Builder, scope: Scope, choices: Choices, mesh: Mesh) -> None:
        self.mesh = mesh
        self.choices = choices
        self.taken = scope.manual
        self.closed = builder.profile.closed
        self.axes = choices.some([name for name, _ in mesh.free(scope.manual)], 3)
        if choices.chance(0.8):
            self.axes.sort(key=[name for name, _ in mesh.axes].index)
        twins = [
            m for m in builder.meshes if (m.axes, m.device_ids) == (mesh.axes, mesh.device_ids)
        ]
        self.twins = [*twins, Mesh(mesh.axes, mesh.device_ids)]

    def quoted(self) -> list[str]:
        return [f'"{axis}"' for axis in self.axes]

    def split(self, type_: Type) -> tuple[str, Type]:
        """Return the sharding of an operand as text, and its local type."""
        if not isinstance(type_, TensorType):
            return f"<{self._reference()}, []>", type_
        dealt, left = deal_axes(self._refs(), type_.shape, self.choices)
        local = [
            size if size is None else size // product(refs)
            for size, refs in zip(type_.shape, dealt, strict=True)
        ]
        return self._sharding(dealt, left), type_.with_shape(*local)

    def join(self, type_: Type) -> tuple[str, Type]:
        """Return the sharding of a result as text, and its global type."""
        if not isinstance(type_, TensorType):
            return f"<{self._reference()}, []>", type_
        dealt, left = deal_axes(self._refs(), [None] * len(type_.shape), self.choices)
        whole = [
            size if size is None else size * product(refs)
            for size, refs in zip(type_.shape, dealt, strict=True)
        ]
        return self._sharding(dealt, left), type_.with_shape(*whole)

    def _refs(self) -> list[AxisRef]:
        others = frozenset(name for name, _ in self.mesh.axes) - frozenset(self.axes)
        return axis_refs(self.mesh, others, self.choices)

    def _reference(self) -> str:
        other = self.choices.chance(0.15)
        return self.choices.pick(self.twins).reference if other else self.mesh.reference

    def _sharding(self, dealt: list[list[AxisRef]], left: list[AxisRef]) -> str:
        """Write manual axes first, free ones after them, and maybe remaining ones elsewhere."""
        dimensions = [list(refs) for refs in dealt]
        replicated, unreduced = list(left), list[AxisRef]()
        if self.choices.chance(0.3):
            replicated = self.choices.some(left)
            lacking = [ref for ref in left if ref not in replicated]
            unreduced = lacking if self.choices.chance(0.3) else []
        for ref in axis_refs(self.mesh, self.taken | frozenset(self.axes), self.choices)[:1]:
            if self.choices.chance(0.3):
                self.choices.pick([*dimensions, replicated]).append(ref)
        texts = [dimension_text(refs, self.choices, self.closed) for refs in dimensions]
        extra = extra_axes([without_neighbours(replicated), without_neighbours(unreduced)])
        return f"<{self._reference()}, [{', '.join(texts)}]{extra}>"
