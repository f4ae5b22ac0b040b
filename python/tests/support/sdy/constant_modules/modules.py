"""Random modules for the constant splitter: functions, regions, calls."""

from __future__ import annotations

from collections.abc import Callable

from support.sdy.constant_modules.statements import FLAG, INDEX, STATIC, VECTOR, Statements, Value

_COMPUTATIONS = ("f", "g", "f0")
_FUNCTIONS = ("f", "f_0", "g", "g_1", "h")


class RandomModule(Statements):
    """Draws one module; `loose` ones hold unregistered ops and regions of several blocks."""

    def text(self) -> str:
        """Write the module, callees first, and put its functions into any order."""
        names = ["main", *self._random.sample(_FUNCTIONS, self._random.randrange(5))]
        parts = []
        for name in reversed(names):
            self._lines = []
            self._function(name)
            parts.append("\n".join(self._lines))
        self._random.shuffle(parts)
        return "\n".join(parts)

    # Statements.

    def _statements(self, env: list[Value], depth: int, count: int) -> None:
        kinds: list[tuple[int, Callable[[list[Value], int], None]]] = [
            (3, self._new_constant),
            (2, self._iota),
            (6, self._unary),
            (6, self._binary),
            (6, self._broadcast),
            (3, self._slice),
            (3, self._reshape),
            (2, self._resize),
            (2, self._fold),
            (1, self._real),
            (6, self._reader),
            (4, self._group),
            (1, self._barrier),
            (3 if depth < 3 else 0, self._named),
            (4, self._call),
            (2 if depth < 2 else 0, self._region),
            (1 if depth < 2 else 0, self._manual),
            (2 if self._loose and depth < 2 else 0, self._unknown),
        ]
        weights, makers = zip(*kinds, strict=True)
        for make in self._random.choices(makers, weights, k=count):
            make(env, depth)

    # Regions and calls.

    def _body(
        self, env: list[Value], depth: int, types: list[str], end: str, size: int = 5
    ) -> None:
        """Fill a block and end it with values of some types."""
        self._statements(env, depth + 1, self._random.randrange(size))
        values = ", ".join(self._pick(env, type_) for type_ in types)
        self._lines.append(f"{end} {values}{' : ' if types else ''}{', '.join(types)}")

    def _named(self, env: list[Value], depth: int) -> None:
        in_types = self._random.choices(STATIC, k=self._random.randrange(3))
        out_types = self._random.choices(STATIC, k=self._random.randrange(1, 4))
        operands = [self._pick(env, type_) for type_ in in_types]
        arguments = [(self._fresh(), type_) for type_ in in_types]
        pack = self._fresh()
        typed = ", ".join(f"{name}: {type_}" for name, type_ in arguments)
        self._lines.append(
            f'{pack}:{len(out_types)} = sdy.named_computation<"{self._random.choice(_COMPUTATIONS)}">'
            f"({', '.join(operands)}) ({typed}) {{"
        )
        inner = list(arguments)
        if self._random.random() < 0.6:
            # Nothing but constants and what preserves them.
            self._preserving(inner, self._random.randrange(5))
            self._body(inner, depth, out_types, "sdy.return", size=1)
        else:
            self._body(inner, depth, out_types, "sdy.return")
        self._lines.append(f"}} : ({', '.join(in_types)}) -> ({', '.join(out_types)})")
        env.extend((f"{pack}#{index}", type_) for index, type_ in enumerate(out_types))

    def _preserving(self, env: list[Value], count: int) -> None:
        makers = [
            self._new_constant,
            self._iota,
            self._unary,
            self._binary,
            self._broadcast,
            self._group,
            self._call,
        ]
        for make in self._random.choices(makers, k=count):
            make(env, 9)

    def _plain(self, env: list[Value], depth: int) -> None:
        """Add statements without calls: the callee would be looked for in the wrong place."""
        makers = [
            self._new_constant,
            self._unary,
            self._binary,
            self._broadcast,
            self._reader,
            self._group,
        ]
        for make in self._random.choices(makers, k=self._random.randrange(6)):
            make(env, depth)

    def _call(self, env: list[Value], _: int) -> None:
        if not self._functions:
            return
        name, in_types, out_types = self._random.choice(self._functions)
        operands = [(self._pick(env, type_), type_) for type_ in in_types]
        self._generic(env, "func.call", operands, *out_types, tail=f" {{callee = @{name}}}")

    def _region(self, env: list[Value], depth: int) -> None:
        if self._random.random() < 0.5:
            self._while(env, depth)
            return
        index, name = self._pick(env, INDEX), self._fresh()
        self._lines.append(f'{name} = "stablehlo.case"({index}) ({{')
        self._body(list(env), depth, [VECTOR], "stablehlo.return")
        self._lines.append("}, {")
        self._body(list(env), depth, [VECTOR], "stablehlo.return")
        self._lines.append(f"}}) : ({INDEX}) -> {VECTOR}")
        env.append((name, VECTOR))

    def _while(self, env: list[Value], depth: int) -> None:
        init = self._pick(env, VECTOR)
        name, argument = self._fresh(), self._fresh()
        self._lines.append(f"{name} = stablehlo.while({argument} = {init}) : {VECTOR} cond {{")
        self._body([*env, (argument, VECTOR)], depth, [FLAG], "stablehlo.return", size=2)
        self._lines.append("} do {")
        self._body([*env, (argument, VECTOR)], depth, [VECTOR], "stablehlo.return")
        self._lines.append("}")
        env.append((name, VECTOR))

    def _manual(self, env: list[Value], depth: int) -> None:
        operand, name, argument = self._pick(env, VECTOR), self._fresh(), self._fresh()
        sharding = '[<mesh<["x"=2]>, [{}]>]'
        self._lines.append(
            f"{name} = sdy.manual_computation({operand}) in_shardings={sharding}"
            f" out_shardings={sharding} manual_axes={{}} ({argument}: {VECTOR}) {{"
        )
        self._body([(argument, VECTOR)], depth, [VECTOR], "sdy.return")
        self._lines.append(f"}} : ({VECTOR}) -> {VECTOR}")
        env.append((name, VECTOR))

    def _unknown(self, env: list[Value], depth: int) -> None:
        """Add an unregistered op, in whose region a value may be used before it is defined."""
        operand, name = self._pick(env, VECTOR), self._fresh()
        self._lines.append(f'{name} = "test.region"({operand}) ({{')
        inner = list(env)
        if self._random.random() < 0.5:
            late = self._fresh()
            inner.append((late, VECTOR))
            for make in (self._binary, self._reader, self._unary):
                make(inner, depth)
            value = self._pick([value for value in inner if value[0] != late], VECTOR)
            self._lines.append(f"{late} = stablehlo.negate {value} : {VECTOR}")
            self._unary(inner, depth)
        else:
            self._plain(inner, depth)
            self._lines.append('"test.end"() : () -> ()')
            self._lines.append("^unreachable:")
            self._plain(list(env), depth)
        self._lines.append('"test.end"() : () -> ()')
        self._lines.append(f"}}) : ({VECTOR}) -> {VECTOR}")
        env.append((name, VECTOR))

    # Functions.

    def _function(self, name: str) -> None:
        in_types = self._random.choices(STATIC, k=self._random.randrange(3))
        out_types = self._random.choices(STATIC, k=self._random.randrange(1, 3))
        visibility = "" if name == "main" else self._random.choice(["", "private "])
        if name != "main" and self._random.random() < 0.1:
            self._lines.append(
                f"func.func private @{name}({', '.join(in_types)}) -> ({', '.join(out_types)})"
            )
        else:
            arguments = [(self._fresh(), type_) for type_ in in_types]
            typed = ", ".join(f"{argument}: {type_}" for argument, type_ in arguments)
            self._lines.append(
                f"func.func {visibility}@{name}({typed}) -> ({', '.join(out_types)}) {{"
            )
            self._function_body(name, list(arguments), out_types)
            self._lines.append("}")
        self._functions.append((name, in_types, out_types))

    def _function_body(self, name: str, env: list[Value], out_types: list[str]) -> None:
        if name != "main" and self._random.random() < 0.5:
            self._preserving(env, self._random.randrange(5))
            self._body(env, 0, out_types, "return", size=1)
            return
        size = 20 if name == "main" else 6
        if not self._loose or self._random.random() < 0.6:
            self._body(env, 0, out_types, "return", size)
            return
        self._statements(env, 1, self._random.randrange(6))
        self._lines.append("cf.br ^first")
        blocks = []
        for label, end in (("first", "cf.br ^second"), ("second", "return")):
            before, self._lines = self._lines, [f"^{label}:"]
            self._body(env, 0, out_types if end == "return" else [], end)
            blocks.append("\n".join(self._lines))
            self._lines = before
        if self._random.random() < 0.4:
            self._lines.append("^unreachable:")
            self._body(list(env), 0, out_types, "return")
        self._random.shuffle(blocks)
        self._lines += blocks


def random_module(seed: int, *, loose: bool) -> str:
    """Return the text of a random module."""
    return RandomModule(seed, loose=loose).text()
