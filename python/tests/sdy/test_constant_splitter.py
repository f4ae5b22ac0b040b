"""The constant splitter against C++: random modules, and the tables of ops."""

from __future__ import annotations

import faulthandler
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import jaxlib
import pytest

from sdykit.mlir import ir, passmanager
from sdykit.passes.sdy.constant_splitter.ops import (
    BITCAST,
    CONSTANT,
    CONSTANT_PRESERVING,
    PURE,
    Shapes,
    keeps_constants,
)
from support import oracle
from support.sdy.constant_modules import random_module

CPP = "sdy-constant-or-scalar-splitter"
MODULES = 1500
SHARDS = 3
"""The number of parts in which the modules are tested, for pytest-xdist."""


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("loose", [False, True], ids=["straight", "loose"])
def test_random_modules_are_split_as_by_the_oracle(shard: int, loose: bool) -> None:
    for seed in range(shard, MODULES, SHARDS):
        oracle.assert_same(random_module(seed, loose=loose), "sdy-constant-splitter", CPP)


def test_a_nested_module_alone_is_split_as_by_the_oracle() -> None:
    text = """
        func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {
          %0 = stablehlo.reverse %arg0, dims = [0] : tensor<8xf32>
          return %0 : tensor<8xf32>
        }
        module {
          func.func @main() -> (tensor<8xf32>, tensor<8xf32>) {
            %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
            %1 = call @foo(%0) : (tensor<8xf32>) -> tensor<8xf32>
            return %1, %1 : tensor<8xf32>, tensor<8xf32>
          }
          func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {
            return %arg0 : tensor<8xf32>
          }
        }"""
    oracle.assert_same(text, f"builtin.module(builtin.module({CPP}))", f"builtin.module({CPP})")


@pytest.mark.parametrize("type_", ["complex<f32>", "complex<f64>", "i1", "ui4", "i2", "bf16"])
def test_constants_of_any_element_type_are_converted(type_: str) -> None:
    value = {"c": "(0.0, 1.0)", "b": "1.0"}.get(type_[0], "0")
    attribute = f"dense<{value}> : tensor<2x{type_}>"
    sharding = '#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>'
    oracle.assert_same(
        f"""
        sdy.mesh @mesh = <["x"=2]>
        func.func @main() -> (tensor<2x{type_}>, tensor<2x{type_}>) {{
          %0 = stablehlo.constant {{foo = {attribute}, sdy.sharding = {sharding}}}
            {attribute} loc("a"("b.py":1:2))
          return %0, %0 : tensor<2x{type_}>, tensor<2x{type_}>
        }}""",
        CPP,
    )


# The tables of ops. Ops are made without the attributes and regions that they need. Some crash
# C++, which runs in a child process. An op is in the tables if it is split in one of its forms.

Form = tuple[str, int, str, str]
"""The name of an op, the number of its operands, their type, and the type of its result."""

FORMS = [
    (1, "tensor<8xf32>", "tensor<8xf32>"),
    (1, "tensor<8xf32>", "tensor<8xf64>"),
    (1, "tensor<8xi32>", "tensor<8xi64>"),
    (2, "tensor<8xf32>", "tensor<8xf32>"),
    (2, "tensor<8xf32>", "tensor<8xi1>"),
    (2, "tensor<8xi32>", "tensor<8xi32>"),
    (3, "tensor<8xf32>", "tensor<8xf32>"),
    (3, "tensor<8xi1>", "tensor<8xi1>"),
]

DIALECTS = ("arith", "chlo", "math", "mhlo", "sdy", "stablehlo")
"""The dialects with classes in the bindings, except `vector`, on which C++ may not terminate."""


def test_the_tables_list_the_ops_that_the_oracle_splits() -> None:
    names = sorted({*_generated_names(), *CONSTANT_PRESERVING} - {CONSTANT})
    split = _split_by_cpp([(name, *form) for name in names for form in FORMS])
    assert {name for name, *_ in split} == CONSTANT_PRESERVING


SHAPES = [
    ("8x", "8x"),
    ("?x", "?x"),
    ("8x", "?x"),
    ("?x", "8x"),
    ("?x4x", "?x4x"),
    ("?x4x", "8x?x"),
    ("4x?x", "4x?x"),
]


def test_shapes_keep_constants_as_in_the_oracle() -> None:
    names = [*sorted(CONSTANT_PRESERVING - PURE), "chlo.sinh", "mhlo.abs", "sdy.reshard"]
    forms = [
        (name, 1, f"tensor<{operand}f32>", f"tensor<{result}f32>")
        for name in names
        for operand, result in SHAPES
    ]
    forms.append((BITCAST, 1, "tensor<8xf32>", "tensor<8x2xf16>"))
    assert _split_by_cpp(forms) == {form for form in forms if _keeps_constants(*form)}


def _generated_names() -> Iterator[str]:
    for path in Path(jaxlib.__file__).parent.glob("mlir/dialects/_*_ops_gen.py"):
        for name in re.findall(r'OPERATION_NAME = "(.*)"', path.read_text()):
            if name.split(".")[0] in DIALECTS:
                yield name


def _split_by_cpp(forms: list[Form]) -> set[Form]:
    """Return the forms of ops that C++ splits; after a crash a new child tries the next form."""
    oracle.context(unregistered=True)  # Made before the children, which share it.
    found: set[Form] = set()
    at = 0
    while at < len(forms):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            _try_forms(forms[at:], write)
        os.close(write)
        with os.fdopen(read, "rb") as answers:
            answer = answers.read()
        os.waitpid(child, 0)
        found |= {form for form, byte in zip(forms[at:], answer, strict=False) if byte == ord("y")}
        at += len(answer) + 1
    return found


def _try_forms(forms: list[Form], write: int) -> NoReturn:
    """Write y or n for one form after the other, in the child process."""
    faulthandler.disable()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    # Whatever other tests of this process have made of it: it ends a child in which C++ does not.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    try:
        for form in forms:
            signal.alarm(10)
            os.write(write, b"y" if _is_split(*form) else b"n")
    finally:
        os._exit(0)


def _is_split(name: str, operands: int, operand: str, result: str) -> bool:
    module, block = _module_with(name, operands, operand, result)
    manager = passmanager.PassManager.parse(f"builtin.module({CPP})", module.context)
    manager.enable_verifier(False)
    try:
        manager.run(module.operation)
    except ir.MLIRError:
        return False
    return len([op for op in block.operations if op.operation.name == name]) == 2


def _keeps_constants(name: str, operands: int, operand: str, result: str) -> bool:
    module, block = _module_with(name, operands, operand, result)
    op = next(op for op in block.operations if op.operation.name == name)
    return keeps_constants(op.operation, name, Shapes()) and bool(module)


_PREDICATES = {
    "stablehlo.compare": ("comparison_direction", "#stablehlo<comparison_direction LT>"),
    "mhlo.compare": ("comparison_direction", "#mhlo<comparison_direction LT>"),
    "chlo.broadcast_compare": ("comparison_direction", "#chlo<comparison_direction LT>"),
    "arith.cmpi": ("predicate", "2 : i64"),
    "arith.cmpf": ("predicate", "2 : i64"),
}


def _module_with(name: str, operands: int, operand: str, result: str) -> tuple[ir.Module, ir.Block]:
    """Return a module that has an op on constants with two users, and the block of the op."""
    context = oracle.context(unregistered=True)
    module = ir.Module.parse("func.func @main() { return }", context)
    block = module.body.operations[0].regions[0].blocks[0]
    at = ir.InsertionPoint(block.operations[0])
    with context, ir.Location.unknown(), at:
        zero = {"iota_dimension": ir.Attribute.parse("0 : i64")}
        iota = [
            ir.Operation.create("stablehlo.iota", [ir.Type.parse(operand)], attributes=zero)
            for _ in range(operands)
        ]
        key, text = _PREDICATES.get(name, ("unused", "unit"))
        op = ir.Operation.create(
            name,
            [ir.Type.parse(result)],
            [op.results[0] for op in iota],
            attributes={key: ir.Attribute.parse(text)},
        )
        for _ in range(2):
            ir.Operation.create("test.use", operands=op.results)
    return module, block
