"""Plain statements of random modules: constants, expansions, and what may use them."""

from __future__ import annotations

import random

Value = tuple[str, str]
"""A value's name and type."""

SCALAR, ONE, VECTOR, MATRIX = "tensor<f32>", "tensor<1xf32>", "tensor<8xf32>", "tensor<4x8xf32>"
DYNAMIC, COMPLEX = "tensor<?xf32>", "tensor<8xcomplex<f32>>"
INDEX, FLAG = "tensor<i32>", "tensor<i1>"
STATIC: tuple[str, ...] = (SCALAR, ONE, VECTOR, MATRIX)
_FLOATS = (*STATIC, VECTOR, VECTOR, DYNAMIC)
_UNARY = ("stablehlo.negate", "stablehlo.exponential", "stablehlo.floor", "chlo.sinh", "mhlo.abs")
_BINARY = ("stablehlo.add", "stablehlo.multiply", "mhlo.subtract", "stablehlo.atan2")
_VALUES = {INDEX: "0", FLAG: "true", COMPLEX: "(1.0, 2.0)"}
_BROADCASTS = (
    *[(SCALAR, "", VECTOR)] * 2,
    (SCALAR, "", MATRIX),
    (SCALAR, "", SCALAR),
    (VECTOR, "1", MATRIX),
    (ONE, "0", VECTOR),
    (DYNAMIC, "1", MATRIX),
)
_SLICES = ((VECTOR, ONE), (VECTOR, ONE), (DYNAMIC, ONE), (VECTOR, DYNAMIC))
_RESHAPES = ((ONE, SCALAR), (ONE, SCALAR), (SCALAR, ONE), (DYNAMIC, VECTOR))
_RESIZES = ((VECTOR, DYNAMIC), (DYNAMIC, VECTOR), (VECTOR, VECTOR))
_FOLDED = ("arith.addi", "arith.muli", "mhlo.add", "arith.divsi", "mhlo.and")


class Statements:
    """Writes plain statements; `env` has the values that are defined at the end of a block."""

    def __init__(self, seed: int, *, loose: bool) -> None:
        self._random = random.Random(seed)
        self._loose = loose
        self._lines: list[str] = []
        self._count = 0
        self._functions: list[tuple[str, list[str], list[str]]] = []

    # Values.

    def _fresh(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def _pick(self, env: list[Value], type_: str) -> str:
        """Return a value of a type, often a late one; a new constant if there is none."""
        names = [name for name, its_type in env if its_type == type_]
        if not names or self._random.random() < 0.03:
            return self._constant(env, type_)
        if self._random.random() < 0.5:
            names = names[-4:]
        return self._random.choice(names)

    def _emit(self, env: list[Value], text: str, *types: str) -> list[str]:
        names = [self._fresh() for _ in types]
        self._lines.append(f"{', '.join(names)}{' = ' if names else ''}{text}")
        env.extend(zip(names, types, strict=True))
        return names

    def _generic(
        self, env: list[Value], op: str, operands: list[Value], *types: str, tail: str = ""
    ) -> list[str]:
        names = ", ".join(name for name, _ in operands)
        in_types = ", ".join(type_ for _, type_ in operands)
        # A pack of results has one name in the text; ops are given results one by one.
        text = f'"{op}"({names}){tail} : ({in_types}) -> ({", ".join(types)})'
        if len(types) < 2:
            return self._emit(env, text, *types)
        pack = self._fresh()
        self._lines.append(f"{pack}:{len(types)} = {text}")
        found = [f"{pack}#{index}" for index in range(len(types))]
        env.extend(zip(found, types, strict=True))
        return found

    def _constant(self, env: list[Value], type_: str) -> str:
        if type_ == DYNAMIC:
            vector = self._pick(env, VECTOR)
            text = f"stablehlo.negate {vector} : ({VECTOR}) -> {DYNAMIC}"
        else:
            op = self._random.choice(["stablehlo.constant", "stablehlo.constant", "sdy.constant"])
            attributes = self._random.choice(["", "", "{mhlo.x = 1 : i32} "])
            text = f"{op} {attributes}dense<{_VALUES.get(type_, '1.0')}> : {type_}"
        return self._emit(env, text, type_)[0]

    # Statements.

    def _new_constant(self, env: list[Value], _: int) -> None:
        self._constant(env, self._random.choice(STATIC))

    def _iota(self, env: list[Value], _: int) -> None:
        type_ = self._random.choice([ONE, VECTOR, MATRIX])
        self._emit(env, f"stablehlo.iota dim = 0 : {type_}", type_)

    def _unary(self, env: list[Value], _: int) -> None:
        type_ = self._random.choice(_FLOATS)
        value = self._pick(env, type_)
        self._generic(env, self._random.choice(_UNARY), [(value, type_)], type_)

    def _binary(self, env: list[Value], _: int) -> None:
        type_ = self._random.choice(_FLOATS)
        values = [(self._pick(env, type_), type_) for _ in range(2)]
        if self._random.random() < 0.2:
            values.append((self._pick(env, type_), type_))
            self._generic(env, "stablehlo.clamp", values, type_)
        else:
            self._generic(env, self._random.choice(_BINARY), values, type_)

    def _broadcast(self, env: list[Value], _: int) -> None:
        operand, dims, result = self._random.choice(_BROADCASTS)
        value = self._pick(env, operand)
        text = f"stablehlo.broadcast_in_dim {value}, dims = [{dims}] : ({operand}) -> {result}"
        self._emit(env, text, result)

    def _slice(self, env: list[Value], _: int) -> None:
        operand, result = self._random.choice(_SLICES)
        value = self._pick(env, operand)
        self._emit(env, f"stablehlo.slice {value} [0:1] : ({operand}) -> {result}", result)

    def _reshape(self, env: list[Value], _: int) -> None:
        operand, result = self._random.choice(_RESHAPES)
        value = self._pick(env, operand)
        self._emit(env, f"stablehlo.reshape {value} : ({operand}) -> {result}", result)

    def _resize(self, env: list[Value], _: int) -> None:
        operand, result = self._random.choice(_RESIZES)
        op = self._random.choice(["negate", "bitcast_convert", "add"])
        operands = [(self._pick(env, operand), operand) for _ in range(2 if op == "add" else 1)]
        self._generic(env, f"stablehlo.{op}", operands, result)

    def _real(self, env: list[Value], _: int) -> None:
        value = self._pick(env, COMPLEX)
        self._generic(env, "stablehlo.real", [(value, COMPLEX)], VECTOR)

    def _fold(self, env: list[Value], _: int) -> None:
        """Add an op that MLIR's dialect conversion folds, or might."""
        zero = self._emit(env, f"stablehlo.constant dense<0> : {INDEX}", INDEX)[0]
        other = self._pick(env, INDEX)
        op = self._random.choice(_FOLDED)
        pair = [(zero, INDEX), (other, INDEX)]
        self._random.shuffle(pair)
        self._generic(env, op, pair, INDEX)

    def _reader(self, env: list[Value], _: int) -> None:
        """Add an op that is no constant."""
        type_ = self._random.choice(_FLOATS)
        values = [(self._pick(env, type_), type_) for _ in range(self._random.randint(1, 3))]
        chance = self._random.random()
        if self._loose and chance < 0.3:
            types = self._random.choices(STATIC, k=self._random.randrange(3))
            self._generic(env, "test.use", values, *types)
        elif chance < 0.5:
            tail = ' {call_target_name = "x"}'
            self._generic(env, "stablehlo.custom_call", values, type_, tail=tail)
        elif chance < 0.7 and type_ in (VECTOR, MATRIX, ONE):
            dims = "{}, {}" if type_ == MATRIX else "{}"
            text = f'sdy.sharding_constraint {values[0][0]} <mesh<["x"=2]>, [{dims}]> : {type_}'
            self._emit(env, text, type_)
        else:
            types = [type_] * len(values)
            self._generic(env, "stablehlo.optimization_barrier", values, *types)

    def _group(self, env: list[Value], _: int) -> None:
        type_ = self._random.choice(STATIC)
        value, group = self._pick(env, type_), self._random.randrange(4)
        self._lines.append(f"sdy.sharding_group {value} group_id={group} : {type_}")

    def _barrier(self, env: list[Value], _: int) -> None:
        value = self._pick(env, VECTOR)
        text = f"sdy.propagation_barrier {value} allowed_direction=NONE : {VECTOR}"
        self._emit(env, text, VECTOR)
