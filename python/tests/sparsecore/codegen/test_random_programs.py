"""Random programs against the interpreter: the same bits."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.codegen import compile_module, run
from support.amounts import examples
from support.codegen.interpreter import interpret
from support.codegen.tile_programs import assert_same

SIZE = 8
INTEGER_OPS = ["addi", "subi", "muli", "xori", "andi", "maxsi", "minsi"]
FLOAT_OPS = ["addf", "subf", "mulf", "divf"]
INTEGER_PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge"]
FLOAT_PREDICATES = ["oeq", "ogt", "olt", "ugt"]
TYPES = ["i32", "f32", "i64"]


@dataclass
class Writer:
    """Writes a random program, op by op; `names` are the values in scope, by type."""

    draw: st.DrawFn
    lines: list[str] = field(default_factory=list)
    names: dict[str, list[str]] = field(default_factory=dict)
    count: int = 0

    def new(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def pick(self, type_: str) -> str:
        return self.draw(st.sampled_from(self.names[type_]))

    def set(self, type_: str, text: str) -> str:
        name = self.new()
        self.lines.append(f"{name} = {text}")
        self.names.setdefault(type_, []).append(name)
        return name

    def ops(self, depth: int) -> None:
        for _ in range(self.draw(st.integers(1, 5))):
            kinds = [self.binary, self.compare, self.select, self.load, self.store, self.cast]
            if depth:
                kinds += [lambda: self.loop(depth - 1), lambda: self.choice(depth - 1)] * 2
            self.draw(st.sampled_from(kinds))()

    def binary(self) -> None:
        type_ = self.draw(st.sampled_from(TYPES))
        name = self.draw(st.sampled_from(FLOAT_OPS if type_ == "f32" else INTEGER_OPS))
        self.set(type_, f"arith.{name} {self.pick(type_)}, {self.pick(type_)} : {type_}")

    def compare(self) -> None:
        type_ = self.draw(st.sampled_from(TYPES))
        is_float = type_ == "f32"
        predicate = self.draw(st.sampled_from(FLOAT_PREDICATES if is_float else INTEGER_PREDICATES))
        op = "cmpf" if is_float else "cmpi"
        self.set("i1", f"arith.{op} {predicate}, {self.pick(type_)}, {self.pick(type_)} : {type_}")

    def select(self) -> None:
        type_ = self.draw(st.sampled_from(TYPES))
        condition = self.pick("i1")
        self.set(
            type_, f"arith.select {condition}, {self.pick(type_)}, {self.pick(type_)} : {type_}"
        )

    def place(self) -> str:
        masked = self.new()
        self.lines.append(f"{masked} = arith.andi {self.pick('index')}, %mask : index")
        return masked

    def load(self) -> None:
        type_ = self.draw(st.sampled_from(TYPES))
        self.set(type_, f"memref.load %{type_}s[%i, {self.place()}] : memref<?x{SIZE}x{type_}>")

    def store(self) -> None:
        type_ = self.draw(st.sampled_from(TYPES))
        target = f"%{type_}s[%i, {self.place()}] : memref<?x{SIZE}x{type_}>"
        self.lines.append(f"memref.store {self.pick(type_)}, {target}")

    def cast(self) -> None:
        if self.draw(st.booleans()):
            self.set("f32", f"arith.sitofp {self.pick('i32')} : i32 to f32")
        else:
            self.set("index", f"arith.index_cast {self.pick('i32')} : i32 to index")

    def nested(self, names: dict[str, list[str]], yields: list[str], depth: int) -> None:
        """Write a region whose values end with it."""
        outer = {type_: list(found) for type_, found in self.names.items()}
        for type_, more in names.items():
            self.names[type_] = [*self.names[type_], *more]
        self.ops(depth)
        values = ", ".join(self.pick(type_) for type_ in yields)
        self.lines.append(f"scf.yield {values} : {', '.join(yields)}")
        self.names = outer

    def loop(self, depth: int) -> None:
        types = self.draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=3))
        result, counter, arguments = self.new(), self.new(), [self.new() for _ in types]
        bound, step = self.draw(st.integers(-1, 4)), self.draw(st.integers(1, 2))
        bounds = [self.new() for _ in range(2)]
        self.lines.append(f"{bounds[0]} = arith.constant {bound} : index")
        self.lines.append(f"{bounds[1]} = arith.constant {step} : index")
        pairs = zip(arguments, types, strict=True)
        carried = ", ".join(f"{name} = {self.pick(type_)}" for name, type_ in pairs)
        self.lines.append(
            f"{result}:{len(types)} = scf.for {counter} = %c0 to {bounds[0]} step {bounds[1]} "
            f"iter_args({carried}) -> ({', '.join(types)}) {{"
        )
        names = {"index": [counter]}
        for name, type_ in zip(arguments, types, strict=True):
            names.setdefault(type_, []).append(name)
        self.nested(names, types, depth)
        self.close(result, types)

    def choice(self, depth: int) -> None:
        types = self.draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=2))
        condition, result = self.pick("i1"), self.new()
        head = f"{result}:{len(types)} = scf.if {condition} -> ({', '.join(types)}) {{"
        self.lines.append(head)
        self.nested({}, types, depth)
        self.lines.append("} else {")
        self.nested({}, types, depth)
        self.close(result, types)

    def close(self, result: str, types: list[str]) -> None:
        self.lines.append("}")
        for number, type_ in enumerate(types):
            self.names[type_].append(f"{result}#{number}")


@st.composite
def programs(draw: st.DrawFn) -> str:
    writer = Writer(draw)
    writer.names = {"index": ["%i"]}
    for type_, number in (("i32", "-7"), ("i64", "3"), ("f32", "1.5"), ("i1", "true")):
        writer.set(type_, f"arith.constant {number}" + (f" : {type_}" if type_ != "i1" else ""))
    for type_ in TYPES:
        writer.set(type_, f"memref.load %{type_}s[%i, %i] : memref<?x{SIZE}x{type_}>")
    writer.ops(draw(st.integers(1, 3)))
    for type_ in TYPES:
        value = writer.names[type_][-1]
        writer.lines.append(f"memref.store {value}, %{type_}s[%i, %c0] : memref<?x{SIZE}x{type_}>")
    parameters = ", ".join(f"%{type_}s: memref<?x{SIZE}x{type_}>" for type_ in TYPES)
    body = "\n".join(writer.lines)
    return f"""func.func @random({parameters}) attributes {{sparsecore.entry}} {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%mask = arith.constant {SIZE - 1} : index
%n = memref.dim %i32s, %c0 : memref<?x{SIZE}xi32>
scf.parallel (%i) = (%c0) to (%n) step (%c1) {{
{body}
}}
return
}}"""


@settings(
    max_examples=examples(150),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(programs(), st.integers(0, 1000))
def test_random_programs_have_the_bits_of_the_interpreter(text: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    arrays = [
        rng.integers(-9, 9, (SIZE, SIZE)).astype(np.int32),
        rng.standard_normal((SIZE, SIZE), dtype=np.float32),
        rng.integers(-(1 << 62), 1 << 62, (SIZE, SIZE)),
    ]
    expected = [array.copy() for array in arrays]
    interpret(text, expected)
    run(compile_module(text, cache=None), arrays, threads=2)
    for found, wanted in zip(arrays, expected, strict=True):
        assert_same(found.ravel(), wanted.ravel(), text)
