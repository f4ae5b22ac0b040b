"""Plain statements of random modules: constants, expansions, and what may use them."""

from __future__ import annotations

import random
from collections.abc import Callable

Value = tuple[str, str]
"""A value's name and type."""

_SCALAR, _ONE, _VECTOR, _MATRIX = "tensor<f32>", "tensor<1xf32>", "tensor<8xf32>", "tensor<4x8xf32>"
_DYNAMIC, _INDEX, _FLAG = "tensor<?xf32>", "tensor<i32>", "tensor<i1>"
_STATIC = (_SCALAR, _ONE, _VECTOR, _MATRIX)
_FLOATS = (*_STATIC, _VECTOR, _VECTOR, _DYNAMIC)
_UNARY = ("stablehlo.negate", "stablehlo.exponential", "stablehlo.floor", "chlo.sinh", "mhlo.abs")
_BINARY = ("stablehlo.add", "stablehlo.multiply", "mhlo.subtract", "stablehlo.atan2")
_NAMES = ("f", "g", "f0")


class Statements:
    """Writes plain statements; `env` is what a block has at its end, and grows."""

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
        """Choose a value of a type, often a late one; make a constant if there is none."""
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
        if type_ == _DYNAMIC:
            vector = self._pick(env, _VECTOR)
            return self._emit(env, f"stablehlo.negate {vector} : ({_VECTOR}) -> {_DYNAMIC}", type_)[
                0
            ]
        value = {_INDEX: "0", _FLAG: "true"}.get(type_, "1.0")
        op = self._random.choice(["stablehlo.constant", "stablehlo.constant", "sdy.constant"])
        attributes = self._random.choice(["", "", "{mhlo.x = 1 : i32} "])
        return self._emit(env, f"{op} {attributes}dense<{value}> : {type_}", type_)[0]

    # Statements.

    def _new_constant(self, env: list[Value], _: int) -> None:
        self._constant(env, self._random.choice(_STATIC))

    def _iota(self, env: list[Value], _: int) -> None:
        type_ = self._random.choice([_ONE, _VECTOR, _MATRIX])
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
        operand, dims, result = self._random.choice(
            [
                (_SCALAR, "", _VECTOR),
                (_SCALAR, "", _VECTOR),
                (_SCALAR, "", _MATRIX),
                (_SCALAR, "", _SCALAR),
                (_VECTOR, "1", _MATRIX),
                (_ONE, "0", _VECTOR),
                (_DYNAMIC, "1", _MATRIX),
            ]
        )
        value = self._pick(env, operand)
        self._emit(
            env,
            f"stablehlo.broadcast_in_dim {value}, dims = [{dims}] : ({operand}) -> {result}",
            result,
        )

    def _slice(self, env: list[Value], _: int) -> None:
        operand, result = self._random.choice(
            [(_VECTOR, _ONE), (_VECTOR, _ONE), (_DYNAMIC, _ONE), (_VECTOR, _DYNAMIC)]
        )
        value = self._pick(env, operand)
        self._emit(env, f"stablehlo.slice {value} [0:1] : ({operand}) -> {result}", result)

    def _reshape(self, env: list[Value], _: int) -> None:
        operand, result = self._random.choice(
            [(_ONE, _SCALAR), (_ONE, _SCALAR), (_SCALAR, _ONE), (_DYNAMIC, _VECTOR)]
        )
        value = self._pick(env, operand)
        self._emit(env, f"stablehlo.reshape {value} : ({operand}) -> {result}", result)

    def _resize(self, env: list[Value], _: int) -> None:
        operand, result = self._random.choice(
            [(_VECTOR, _DYNAMIC), (_DYNAMIC, _VECTOR), (_VECTOR, _VECTOR)]
        )
        value = self._pick(env, operand)
        op = self._random.choice(["negate", "bitcast_convert", "add"])
        if op == "add":
            self._generic(
                env,
                "stablehlo.add",
                [(value, operand), (self._pick(env, operand), operand)],
                result,
            )
        else:
            self._generic(env, f"stablehlo.{op}", [(value, operand)], result)

    def _fold(self, env: list[Value], _: int) -> None:
        """Add an op that MLIR's dialect conversion folds, or might."""
        zero = self._emit(env, f"stablehlo.constant dense<0> : {_INDEX}", _INDEX)[0]
        other = self._pick(env, _INDEX)
        op = self._random.choice(
            ["arith.addi", "arith.muli", "mhlo.add", "arith.divsi", "mhlo.and"]
        )
        pair = [(zero, _INDEX), (other, _INDEX)]
        self._random.shuffle(pair)
        self._generic(env, op, pair, _INDEX)

    def _reader(self, env: list[Value], _: int) -> None:
        type_ = self._random.choice(_FLOATS)
        values = [(self._pick(env, type_), type_) for _ in range(self._random.randint(1, 3))]
        if self._loose and self._random.random() < 0.3:
            self._generic(
                env, "test.use", values, *self._random.choices(_STATIC, k=self._random.randrange(3))
            )
        elif self._random.random() < 0.3:
            self._generic(
                env, "stablehlo.custom_call", values, type_, tail=' {call_target_name = "x"}'
            )
        elif type_ in (_VECTOR, _MATRIX, _ONE) and self._random.random() < 0.3:
            rank = ", ".join("{}" for _ in range(2 if type_ == _MATRIX else 1))
            self._emit(
                env,
                f'sdy.sharding_constraint {values[0][0]} <mesh<["x"=2]>, [{rank}]> : {type_}',
                type_,
            )
        else:
            types = [type_] * len(values)
            self._generic(env, "stablehlo.optimization_barrier", values, *types)

    def _group(self, env: list[Value], _: int) -> None:
        type_ = self._random.choice(_STATIC)
        value = self._pick(env, type_)
        self._lines.append(
            f"sdy.sharding_group {value} group_id={self._random.randrange(4)} : {type_}"
        )

    def _barrier(self, env: list[Value], _: int) -> None:
        value = self._pick(env, _VECTOR)
        self._emit(
            env, f"sdy.propagation_barrier {value} allowed_direction=NONE : {_VECTOR}", _VECTOR
        )

