"""Random modules with shardings, inlined meshes and symbols wherever there may be any."""

from __future__ import annotations

import random

# The text of meshes, and the sizes of their axes: among them equal ones, axes of size 1, and
# default device ids.
MESHES = [
    ('<["x"=2]>', {"x": 2}),
    ('<["x"=2], device_ids=[0, 1]>', {"x": 2}),
    ('<["x"=2], device_ids=[1, 0]>', {"x": 2}),
    ('<["x"=2, "y"=4]>', {"x": 2, "y": 4}),
    ('<["a"=1, "x"=2, "b"=1, "y"=4]>', {"a": 1, "x": 2, "b": 1, "y": 4}),
    ('<["y"=4, "a"=1]>', {"y": 4, "a": 1}),
    ('<["a"=1]>', {"a": 1}),
    ('<["q\\22 r"=2]>', {"q\\22 r": 2}),
    ("<[]>", {}),
    ("<[], device_ids=[0]>", None),
    ("<[], device_ids=[3]>", None),
]
SYMBOLS = ["mesh", "mesh_0", "mesh_1", "mesh_3", "empty_mesh", "maximal_mesh_3", "maximal_mesh_0"]
SYMBOLS += ["empty_mesh_0", "m", '"odd name"', '"mesh_2"']
RANKS = {"tensor<8x8xf32>": 2, "tensor<8xf32>": 1, "tensor<f32>": 0, "!stablehlo.token": 0}
RANKS |= {"tensor<?x8xf32>": 2, "tensor<*xf32>": 0, "memref<8xf32>": 1, "tuple<tensor<8xf32>>": 1}
TENSOR = "tensor<8xf32>"
STABLEHLO_MESHES = ["@{}"] + [
    f"#stablehlo.mesh<axes = [{axes}]{ids}>"
    for axes in (
        '#stablehlo.mesh_axis<name = "x", size = 2>',
        '#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 1>',
    )
    for ids in ("", ", device_ids = dense<[1, 0]> : tensor<2xi64>")
]
COLLECTIVES = [
    ("all_gather", ", all_gather_dim = 0 : i64", "tensor<16xf32>"),
    ("all_reduce", "", TENSOR),
    ("reduce_scatter", ", scatter_dimension = 0 : i64", "tensor<4xf32>"),
    (
        "all_to_all",
        ", split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64",
        TENSOR,
    ),
    ("collective_broadcast", "", TENSOR),
]
TOPOLOGY = 'attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>}'
NO_MANUAL_AXES = ", manual_axes = #sdy<manual_axes{}>"


class Writer:
    """Writes one module; `source` makes all choices."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.meshes: dict[str, dict[str, int] | None] = {}
        self.functions: list[tuple[str, list[str], list[str]]] = []
        self.bound: list[str] = []
        # Inside an unregistered op, which might have a symbol table of its own.
        self.symbols_hidden = False
        self.values = 0

    def flip(self, chance: float = 0.5) -> bool:
        return self.source.random() < chance

    def module(self) -> str:
        names = self.source.sample(SYMBOLS, self.source.randint(0, 6))
        symbols = [self.symbol(name) for name in names]
        functions = [self.function(f"f{i}") for i in range(self.source.randint(1, 3))]
        tops = symbols + functions
        if self.flip():
            self.source.shuffle(tops)
        return "module {\n" + "\n".join(tops) + "\n}"

    def symbol(self, name: str) -> str:
        if self.flip(0.25):
            return self.source.choice(["func.func private @{}()", "module @{} {{}}"]).format(name)
        text, axes = self.source.choice(MESHES)
        self.meshes[name] = axes
        attrs = self.source.choice(["", "", " {foo.x}", ' {stablehlo.mesh = "there"}'])
        return f"sdy.mesh @{name} = {text}{attrs}"

    def mesh(self) -> tuple[str, dict[str, int] | None]:
        if self.meshes and self.flip(0.6):
            name = self.source.choice(list(self.meshes))
            return f"@{name}", self.meshes[name]
        text, axes = self.source.choice(MESHES)
        return f"mesh{text}", axes

    def sharding(self, kind: str) -> str:
        """Write a sharding for a value of a type, `<@mesh, [{"x"}, {?}]>`."""
        mesh, sizes = self.mesh()
        if sizes is None and RANKS[kind]:
            mesh, sizes = "mesh" + MESHES[4][0], MESHES[4][1]
        sizes = {axis: size for axis, size in (sizes or {}).items() if axis not in self.bound}
        if not kind.startswith("tensor<"):
            sizes = {}
        axes = self.source.sample(list(sizes), len(sizes))
        dims = ", ".join(self.dimension(axes, sizes) for _ in range(RANKS[kind]))
        rest = [axis for axis in sizes if axis in axes]
        taken = {axis: self.source.choice(["", "", "replicated", "unreduced"]) for axis in rest}
        tail = ""
        for what in ("replicated", "unreduced"):
            names = ", ".join(f'"{axis}"' for axis in rest if taken[axis] == what)
            tail += f", {what}={{{names}}}" if names else ""
        return f"<{mesh}, [{dims}]{tail}>"

    def dimension(self, axes: list[str], sizes: dict[str, int]) -> str:
        parts = []
        while axes and self.flip(0.4):
            axis = axes.pop()
            cut = ":(1)2" if sizes[axis] == 4 and self.flip(0.3) else ""
            parts.append(f'"{axis}"{cut}')
        if self.flip(0.3):
            parts.append("?")
        priority = self.source.choice(["", "", "p0", "p2"]) if parts else ""
        return "{" + ", ".join(parts) + "}" + priority

    def per_value(self, *kinds: str) -> str:
        shardings = ", ".join(self.sharding(kind) for kind in kinds)
        return f"#sdy.sharding_per_value<[{shardings}]>"

    def attrs(self, *kinds: str) -> str:
        found = []
        if self.flip(0.6) and "tensor<*xf32>" not in kinds:
            found.append(f"sdy.sharding = {self.per_value(*kinds)}")
        if self.flip(0.1):
            found.append(f"foo.z = {self.per_value(TENSOR)}")
        return "{" + ", ".join(found) + "}"

    def argument(self, kind: str) -> str:
        if kind == "tensor<*xf32>" or self.flip():
            return self.source.choice(["", " {foo.x}"])
        return f" {{a.b = 1 : i32, sdy.sharding = #sdy.sharding{self.sharding(kind)}, z.z}}"

    def function(self, name: str) -> str:
        kinds = [self.source.choice(list(RANKS)) for _ in range(self.source.randint(0, 3))]
        results = ", ".join(kind + self.argument(kind) for kind in kinds)
        if self.flip(0.15):
            self.functions.append((name, kinds, []))
            return f"func.func private @{name}() -> ({results})"
        written = ", ".join(f"%p{i}: {kind}{self.argument(kind)}" for i, kind in enumerate(kinds))
        body = self.statements(2) + (self.fragment(1) if self.flip(0.2) else "")
        if self.flip(0.15):
            other = self.statements(1)
            body += f"cf.br ^end\n^unreachable:\n{other}cf.br ^end\n^end:\n"
        self.functions.append((name, kinds, kinds))
        values = ", ".join(f"%p{i}" for i in range(len(kinds)))
        returned = f"return {values} : {', '.join(kinds)}" if kinds else "return"
        visibility = self.source.choice(["", "private "])
        head = f"func.func {visibility}@{name}({written}) -> ({results}) {TOPOLOGY}"
        return f"{head} {{\n{body}{returned}\n}}"

    def statements(self, depth: int) -> str:
        count = self.source.randint(0, 5)
        return "".join(self.statement(depth) + "\n" for _ in range(count))

    def fresh(self) -> str:
        self.values += 1
        return f"%v{self.values}"

    def statement(self, depth: int) -> str:
        leaves = [
            self.plain,
            self.own,
            self.many,
            self.sdy_collective,
            self.collective,
            self.called,
        ]
        nested = [self.region_op, self.computation, self.manual]
        return self.source.choice(leaves + nested * (depth > 0))(depth)

    def operand(self, kind: str = TENSOR) -> tuple[str, str]:
        """Return an op that makes a value, and its name; no statement uses values of another."""
        name = self.fresh()
        return f'{name} = "foo.source"() : () -> {kind}\n', name

    def plain(self, _: int) -> str:
        kind = self.source.choice(list(RANKS))
        return f'{self.fresh()} = "foo.op"() {self.attrs(kind)} : () -> {kind}'

    def own(self, _: int) -> str:
        name = self.source.choice(["sharding_constraint", "reshard", "data_flow_edge"])
        own = f"sharding = #sdy.sharding{self.sharding(TENSOR)}"
        attrs = self.source.choice([own, own, f"{own}, sdy.sharding = {self.per_value(TENSOR)}"])
        if name == "data_flow_edge" and self.flip(0.3):
            attrs = ""
        made, value = self.operand()
        result = self.fresh()
        if name == "data_flow_edge":  # The verifier crashes on an edge without owner.
            made += f"{result}b = stablehlo.optimization_barrier {value} : {TENSOR}\n"
            value = f"{result}b"
        return f'{made}{result} = "sdy.{name}"({value}) {{{attrs}}} : ({TENSOR}) -> {TENSOR}'

    def many(self, _: int) -> str:
        kinds = [self.source.choice(list(RANKS)) for _ in range(self.source.randint(0, 3))]
        bound = f"{self.fresh()}:{len(kinds)} = " if kinds else ""
        return f'{bound}"foo.op"() {self.attrs(*kinds)} : () -> ({", ".join(kinds)})'

    def called(self, _: int) -> str:
        if not self.functions or self.symbols_hidden:
            return ""
        extra = self.source.choice(["", ", foo.x", f", foo.z = {self.per_value(TENSOR)}"])
        name, results, operands = self.source.choice(self.functions)
        made = [self.operand(kind) for kind in operands]
        text = "".join(source for source, _ in made)
        attrs = f"callee = @{name}{extra}"
        if self.flip(0.2) and "tensor<*xf32>" not in results:
            attrs += f", sdy.sharding = {self.per_value(*results)}"
        bound = f"{self.fresh()}:{len(results)} = " if results else ""
        signature = f"({', '.join(operands)}) -> ({', '.join(results)})"
        values = ", ".join(value for _, value in made)
        return f'{text}{bound}"func.call"({values}) {{{attrs}}} : {signature}'

    def sdy_collective(self, _: int) -> str:
        mesh, sizes = self.mesh()
        free = [axis for axis in sizes or {} if axis not in self.bound]
        if not free:
            return ""
        axis = self.source.choice(free)
        kind = self.source.choice(["all_gather", "all_slice", "reduce_scatter", "permute"])
        before, after = (axis, "") if kind == "all_gather" else ("", axis)
        moved = f'[{{"{axis}"}}] '
        if kind == "permute":
            kind, before, moved = "collective_permute", axis, ""
        value = self.fresh()
        shard = [
            f'<{mesh}, [{{"{name}"}}]>' if name else f"<{mesh}, [{{}}]>" for name in (before, after)
        ]
        return (
            f'{value}s = "foo.op"() {{sdy.sharding = #sdy.sharding_per_value<[{shard[0]}]>}}'
            f" : () -> {TENSOR}\n{value} = sdy.{kind} {moved}{value}s out_sharding={shard[1]} : {TENSOR}"
        )

    def collective(self, depth: int) -> str:
        meshes = [name for name, axes in self.meshes.items() if axes and "x" in axes]
        meshes = [] if self.symbols_hidden else meshes
        mesh = self.source.choice(STABLEHLO_MESHES if meshes else STABLEHLO_MESHES[1:])
        if meshes:
            mesh = mesh.format(self.source.choice(meshes))
        axes = self.source.choice(["", '#stablehlo.axis_ref<name = "x">'])
        groups = f"#stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = [{axes}]>"
        if self.flip(0.2):
            groups = "dense<[[0, 1]]> : tensor<1x2xi64>"
        inner = self.statement(0) if depth and self.flip(0.3) else ""
        name, extra, result = self.source.choice(COLLECTIVES)
        body = ""
        if "reduce" in name:
            args = self.fresh(), self.fresh()
            scalar = "tensor<f32>"
            body = (
                f"({{\n^bb0({args[0]}: {scalar}, {args[1]}: {scalar}):\n{inner}\n"
                f'"stablehlo.return"({args[0]}) : ({scalar}) -> ()\n}})'
            )
        made, value = self.operand()
        head = f'{made}{self.fresh()} = "stablehlo.{name}"({value}) {body}'
        return f"{head} {{replica_groups = {groups}{extra}}} : ({TENSOR}) -> {result}"

    def fragment(self, depth: int) -> str:
        names = [name for name in ("in_shardings", "out_shardings") if self.flip()]
        kept = "".join(f", {name}=[{self.sharding(TENSOR)}]" for name in names)
        body, argument, returned = self.statements(depth - 1), self.fresh(), self.fresh()
        kind = f'!mpmd.mesh_tensor<"m", {TENSOR}>'
        made, value = self.operand(kind)
        return (
            f'{made}{self.fresh()} = mpmd.fragment<mesh="m", origin=["f"]{kept}> ({value})'
            f" {self.attrs(TENSOR)} ({argument}: {TENSOR}) {{\n{body}"
            f'{returned} = "foo.op"() : () -> {TENSOR}\n'
            f"mpmd.return {returned} : {TENSOR}\n}} : ({kind}) -> {kind}\n"
        )

    def region_op(self, depth: int) -> str:
        unknown, outer = self.flip(), self.symbols_hidden
        self.symbols_hidden = unknown or outer
        bodies = [self.statements(depth - 1) for _ in range(self.source.randint(1, 2))]
        self.symbols_hidden = outer
        attrs = self.attrs(TENSOR)
        if unknown:
            regions = ", ".join(f'{{\n{body}"foo.end"() : () -> ()\n}}' for body in bodies)
            return f'{self.fresh()} = "foo.region"() ({regions}) {attrs} : () -> {TENSOR}'
        regions = []
        for body in bodies:
            made, value = self.operand()
            regions.append(f'{{\n{body}{made}"stablehlo.return"({value}) : ({TENSOR}) -> ()\n}}')
        made, index = self.operand("tensor<i32>")
        head = f'{made}{self.fresh()} = "stablehlo.case"({index}) ({", ".join(regions)})'
        return f"{head} {attrs} : (tensor<i32>) -> {TENSOR}"

    def computation(self, depth: int) -> str:
        parts = ['name = "foo"']
        kept = [name for name in ("in_shardings", "out_shardings", "sdy.sharding") if self.flip()]
        parts += [f"{name} = {self.per_value(TENSOR)}" for name in kept]
        return self.with_body("named_computation", ", ".join(parts), depth)

    def manual(self, depth: int) -> str:
        mesh, sizes = self.mesh()
        manual = [axis for axis in sizes or {} if axis != "y"]
        if self.bound or not manual or self.flip():
            shardings = f"in_shardings = {self.per_value(TENSOR)}"
            shardings += f", out_shardings = {self.per_value(TENSOR)}"
            return self.with_body("manual_computation", shardings + NO_MANUAL_AXES, depth)
        axes = ", ".join(f'"{axis}"' for axis in manual)
        both = f"#sdy.sharding_per_value<[<{mesh}, [{{}}], replicated={{{axes}}}>]>"
        attrs = f"in_shardings = {both}, out_shardings = {both}"
        self.bound = manual
        text = self.with_body(
            "manual_computation", f"{attrs}, manual_axes = #sdy<manual_axes{{{axes}}}>", depth
        )
        self.bound = []
        return text

    def with_body(self, name: str, attrs: str, depth: int) -> str:
        body, argument = self.statements(depth - 1), self.fresh()
        made, value = self.operand()
        return (
            f'{made}{self.fresh()} = "sdy.{name}"({value}) ({{\n^bb0({argument}: {TENSOR}):\n{body}'
            f'"sdy.return"({argument}) : ({TENSOR}) -> ()\n}}) {{{attrs}}} : ({TENSOR}) -> {TENSOR}'
        )


def sharded_module(source: random.Random) -> str:
    """Write a random module."""
    return Writer(source).module()


def with_nested_module(source: random.Random) -> str:
    """Write a random module with another one in it, which has symbols of its own."""
    outer, inner = Writer(source).module(), Writer(source).module()
    head, body, tail = outer.partition("\n")
    return f"{head}{body}module @inner {inner.removeprefix('module ')}\n{tail}"
