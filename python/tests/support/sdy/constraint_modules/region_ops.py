"""Ops with regions: loops, branches, and computations that see nothing from outside."""

from __future__ import annotations

from random import Random

from support.sdy.constraint_modules.leaf_ops import LeafOps, Scope
from support.sdy.constraint_modules.shardings import AXES, Features, Shape, quoted, tensor, types


class RegionOps(LeafOps):
    """Writes ops with regions, and fills those."""

    def __init__(self, rng: Random, features: Features) -> None:
        super().__init__(rng, features)
        self._budget = 0
        self._region_ops = {
            self._while: 1.2,
            self._case: 0.8,
            self._if: 0.4,
            self._for: 0.5,
            self._reduce: 0.4,
            self._named_computation: 1,
            self._manual_computation: 2,
            self._unregistered_region: 0.5,
        }

    def _region(self, scope: Scope, terminator: str, shapes: list[Shape]) -> None:
        for _ in range(self._rng.randint(0, 4)):
            self._op(scope)
        self._return(scope, terminator, shapes)

    def _return(self, scope: Scope, terminator: str, shapes: list[Shape]) -> None:
        values = []
        for shape in shapes:
            if shape not in scope.values.values():
                name = self._new()
                self._emit(scope, f"{name} = stablehlo.constant dense<0.0> : {tensor(shape)}")
                scope.values[name] = shape
            values.append(self._pick(scope, shape))
        operands = f" {', '.join(values)} : {types(shapes)}" if shapes else ""
        self._emit(scope, terminator + operands)

    def _op(self, scope: Scope) -> None:
        self._budget -= 1
        if self._budget < 0:
            return
        ops = self._leaf_ops | (self._region_ops if scope.depth < 4 else {})
        self._rng.choices(list(ops), list(ops.values()))[0](scope)

    def _while(self, scope: Scope) -> None:
        names, shapes = self._pick_some(scope)
        name, args = self._new(), [self._new() for _ in names]
        inits = ", ".join(f"{arg} = {init}" for arg, init in zip(args, names, strict=True))
        attrs = f"attributes {{{self._sharding_attr(scope, shapes)}}}"
        op = f"stablehlo.while({inits}) : {types(shapes)} {attrs} cond {{"
        self._emit(scope, f"{name}:{len(names)} = {op}")
        condition = scope.inner()
        condition.values |= dict(zip(args, shapes, strict=True))
        self._op(condition)
        done = self._new()
        self._emit(condition, f"{done} = stablehlo.constant dense<true> : tensor<i1>")
        self._emit(condition, f"stablehlo.return {done} : tensor<i1>")
        self._emit(scope, "} do {")
        body = scope.inner()
        body.values |= dict(zip(args, shapes, strict=True))
        self._region(body, "stablehlo.return", shapes)
        self._emit(scope, "}")
        self._add_results(scope, name, shapes, owned=True)

    def _case(self, scope: Scope) -> None:
        self._branches(scope, "stablehlo.case", "dense<0> : tensor<i32>", owned=True)

    def _if(self, scope: Scope) -> None:
        self._branches(scope, "stablehlo.if", "dense<true> : tensor<i1>", owned=False)

    def _branches(self, scope: Scope, op: str, index: str, *, owned: bool) -> None:
        _, shapes = self._pick_some(scope)
        chosen, name = self._new(), self._new()
        self._emit(scope, f"{chosen} = stablehlo.constant {index}")
        self._emit(scope, f'{name}:{len(shapes)} = "{op}"({chosen}) ({{')
        self._region(scope.inner(), "stablehlo.return", shapes)
        self._emit(scope, "}, {")
        self._region(scope.inner(), "stablehlo.return", shapes)
        attr = self._sharding_attr(scope, shapes)
        index_type = index.split(" : ")[1]
        self._emit(scope, f"}}) {{{attr}}} : ({index_type}) -> ({types(shapes)})")
        self._add_results(scope, name, shapes, owned=owned)

    def _reduce(self, scope: Scope) -> None:
        """A region whose arguments can have no sharding."""
        value = self._pick(scope)
        shape = scope.values[value]
        if not shape:
            return
        init, name, left, right = (self._new() for _ in range(4))
        dims = ", ".join(map(str, range(len(shape))))
        self._emit(scope, f"{init} = stablehlo.constant dense<0.0> : tensor<f32>")
        op = f'"stablehlo.reduce"({value}, {init}) <{{dimensions = array<i64: {dims}>}}>'
        self._emit(scope, f"{name} = {op} ({{")
        self._emit(scope, f"^bb0({left}: tensor<f32>, {right}: tensor<f32>):")
        body = Scope({left: (), right: ()}, scope.manual, 5)
        self._region(body, "stablehlo.return", [()])
        self._emit(scope, f"}}) : ({tensor(shape)}, tensor<f32>) -> tensor<f32>")
        scope.values[name] = ()

    def _unregistered_region(self, scope: Scope) -> None:
        _, shapes = self._pick_some(scope)
        args = [self._new() for _ in shapes]
        self._emit(scope, '"test.region"() ({')
        self._emit(scope, f"^bb0({self._arguments(args, shapes)}):")
        body = scope.inner()
        body.values |= dict(zip(args, shapes, strict=True))
        self._region(body, '"test.end"() : () -> ()', [])
        self._emit(scope, "}) : () -> ()")

    def _arguments(self, names: list[str], shapes: list[Shape]) -> str:
        pairs = zip(names, shapes, strict=True)
        return ", ".join(f"{name}: {tensor(shape)}" for name, shape in pairs)

    def _for(self, scope: Scope) -> None:
        names, shapes = self._pick_some(scope)
        name, args = self._new(), [self._new() for _ in names]
        attr = self._sharding_attr(scope, shapes)
        attrs = "iterations = 3 : ui32, unroll_factor = 3 : ui32" + (f", {attr}" if attr else "")
        head = f"mpmd.for ({', '.join(names)}) {{{attrs}}}"
        arguments = f"{self._arguments(args, shapes)}, {self._new()}: tensor<ui32>"
        self._emit(scope, f"{name}:{len(names)} = {head} ({arguments}) {{")
        body = Scope(dict(zip(args, shapes, strict=True)), scope.manual, scope.depth + 1)
        self._region(body, "mpmd.return", shapes)
        self._emit(scope, f"}} : {types(shapes)}")
        self._add_results(scope, name, shapes, owned=True)

    def _isolated(
        self, scope: Scope, new: list[str], args: list[str], shapes: list[Shape]
    ) -> Scope:
        """Begin the body of a computation: its arguments, perhaps through edges."""
        body = Scope({}, scope.manual | set(new), scope.depth + 1)
        for arg, shape in zip(args, shapes, strict=True):
            has_edge = self._p(self._features.edges)
            body.values[self._edge(body, arg, shape) if has_edge else arg] = shape
        if not body.values:
            name = self._new()
            self._emit(body, f'{name} = "test.op"() : () -> {tensor((8, 8))}')
            body.values[name] = (8, 8)
        return body

    def _named_computation(self, scope: Scope) -> None:
        names, shapes = self._pick_some(scope)
        name, args = self._new(), [self._new() for _ in names]
        ins = f" in_shardings={self._list(scope, shapes)}" if self._p(0.3) else ""
        outs = f" out_shardings={self._list(scope, shapes)}" if self._p(0.3) else ""
        op = f'sdy.named_computation<"name">({", ".join(names)}){ins}{outs}'
        self._emit(scope, f"{name}:{len(names)} = {op} ({self._arguments(args, shapes)}) {{")
        body = self._isolated(scope, [], args, shapes)
        self._region(body, "sdy.return", shapes)
        self._emit(scope, f"}} : ({types(shapes)}) -> ({types(shapes)})")
        self._add_results(scope, name, shapes, owned=True)

    def _manual_computation(self, scope: Scope) -> None:
        free = [axis for axis in AXES if axis not in scope.manual]
        new = self._rng.sample(free, self._rng.randint(0, min(2, len(free))))
        if not self._features.sloppy:
            new.sort(key=list(AXES).index)
        names = [self._pick(scope) for _ in range(self._rng.randint(0, 3))]
        if names and self._p(0.3):
            names.append(names[0])
        shapes = [scope.values[name] for name in names]
        outs = [scope.values[self._pick(scope)] for _ in range(self._rng.randint(0, 2))]
        mesh = self._shardings.mesh()
        made: dict[Shape, tuple[str, Shape]] = {}

        def shard(shape: Shape) -> tuple[str, Shape]:
            if shape not in made or self._p(0.3):
                made[shape] = self._shardings.of_manual(shape, scope.manual, new, mesh)
            return made[shape]

        ins_made, outs_made = [shard(shape) for shape in shapes], [shard(shape) for shape in outs]
        local, local_outs = [made[1] for made in ins_made], [made[1] for made in outs_made]
        name, args = self._new(), [self._new() for _ in names]
        lists = [f"[{', '.join(made[0] for made in side)}]" for side in (ins_made, outs_made)]
        head = f"sdy.manual_computation({', '.join(names)}) in_shardings={lists[0]}"
        head += f" out_shardings={lists[1]} manual_axes={{{quoted(new)}}}"
        result = f"{name}:{len(outs)} = " if outs else ""
        self._emit(scope, f"{result}{head} ({self._arguments(args, local)}) {{")
        body = self._isolated(scope, new, args, local)
        self._region(body, "sdy.return", local_outs)
        self._emit(scope, f"}} : ({types(shapes)}) -> ({types(outs)})")
        self._add_results(scope, name, outs, owned=True)
