"""Lowering to fragment calls: groups, names and logs, on random programs."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.core.mpmd.origins import origins_name
from sdykit.dialects import mpmd
from sdykit.mlir import ir
from support import oracle
from support.amounts import examples
from support.mpmd.checks import context, random_modules, run
from support.mpmd.oracle import UNTIL_EXPORT, MpmdOracle
from support.mpmd.oracle_compare import assert_same_export
from support.mpmd.programs import programs

LOWER = "mpmd-lower-to-fragment-calls"
PASSES = (
    LOWER,
    LOWER + "{naming=program}",
    LOWER + "{group-across-meshes=true}",
    LOWER + "{group-across-meshes=true naming=program}",
)
TYPE = '!mpmd.mesh_tensor<"{}", tensor<8xf32>>'


# Calls and functions.


def ops_named(module: ir.Module, name: str) -> Iterator[ir.Operation]:
    regions = [region for op in module.body.operations for region in op.operation.regions]
    for op in (op for region in regions for block in region for op in block):
        if op.operation.name == name:
            yield op.operation


def symbols(module: ir.Module) -> list[str]:
    ops = [op.operation for op in module.body.operations]
    return [ir.StringAttr(op.attributes["sym_name"]).value for op in ops]


def callees(module: ir.Module) -> list[str]:
    calls = ops_named(module, "mpmd.fragment_call")
    return [ir.FlatSymbolRefAttr(call.attributes["callee"]).value for call in calls]


def partition(keys: list[str]) -> list[int]:
    """Return for each key the position of its first occurrence."""
    return [keys.index(key) for key in keys]


def body_text(fragment: ir.Operation) -> str:
    """Return the text of a body without locations and names of values."""
    text = str(fragment.get_asm(print_generic_op_form=True, use_local_scope=True))
    return text[text.index("({\n") : text.rindex("\n})")]


# Groups.


@pytest.mark.parametrize("lower", PASSES[:2])
def test_fragments_with_equal_text_share_a_function(lower: str) -> None:
    shared = 0
    for module in random_modules(tokens=False):
        fragments = list(ops_named(module, "mpmd.fragment"))
        keys = [
            f"{f.attributes['mesh_name']} {f.attributes.get('arg_attrs')}"
            f" {f.attributes.get('res_attrs')} {body_text(f)}"
            for f in fragments
        ]
        types = [[v.type for v in (*f.operands, *f.results)] for f in fragments]
        run(module, lower)
        calls = list(ops_named(module, "mpmd.fragment_call"))
        assert partition(callees(module)) == partition(keys), module
        assert [[v.type for v in (*c.operands, *c.results)] for c in calls] == types
        shared += len(keys) - len(set(keys))
    assert shared > 100


@pytest.mark.parametrize("lower", PASSES)
@settings(max_examples=examples(60))
@given(text=programs(oracle=False, tokens=False))
def test_names_of_values_and_locations_do_not_change_the_result(lower: str, text: str) -> None:
    original = ir.Module.parse(text, context())
    renamed = ir.Module.parse(renamed_values(str(original)), context())
    run(original, lower)
    run(renamed, lower)
    assert str(renamed) == str(original)


def renamed_values(text: str) -> str:
    """Rename all values: of 10 values, the name sorted fourth becomes `%v7`."""
    names = sorted(set(re.findall(r"%(\w+)", text)))
    new = {name: f"%v{len(names) - number}" for number, name in enumerate(names)}
    return re.sub(r"%(\w+)", lambda match: new[match[1]], text)


BODIES = [
    "%c = stablehlo.add %a, %b : tensor<8xf32>\nmpmd.return %c : tensor<8xf32>",
    "%c = stablehlo.add %b, %a : tensor<8xf32>\nmpmd.return %c : tensor<8xf32>",
    "%c = stablehlo.add %a, %a : tensor<8xf32>\nmpmd.return %c : tensor<8xf32>",
    "%c = stablehlo.add %a, %b : tensor<8xf32>\nmpmd.return %a : tensor<8xf32>",
    "%c = stablehlo.add %a, %b {foo} : tensor<8xf32>\nmpmd.return %c : tensor<8xf32>",
    "%c = stablehlo.add %a, %b {foo = 1} : tensor<8xf32>\nmpmd.return %c : tensor<8xf32>",
    "%c = stablehlo.add %a, %b {bar} : tensor<8xf32>\nmpmd.return %c : tensor<8xf32>",
    "%c = arith.addf %a, %b : tensor<8xf32>\nmpmd.return %c : tensor<8xf32>",
    "%c = arith.addf %a, %b fastmath<nnan> : tensor<8xf32>\nmpmd.return %c : tensor<8xf32>",
    "%c = stablehlo.constant dense<1.0> : tensor<8xf32>\nmpmd.return %c : tensor<8xf32>",
    "%c = stablehlo.constant dense<2.0> : tensor<8xf32>\nmpmd.return %c : tensor<8xf32>",
    "%i = stablehlo.constant dense<1> : tensor<i32>\nmpmd.return %b : tensor<8xf32>",
    "%i = stablehlo.constant dense<1> : tensor<i64>\nmpmd.return %b : tensor<8xf32>",
    "mpmd.return %b : tensor<8xf32>",
    "mpmd.return %a : tensor<8xf32>",
]


def test_bodies_that_differ_in_one_operand_attribute_or_constant_do_not_share_a_function() -> None:
    value = TYPE.format("m")
    fragments = [
        f'%r{n} = mpmd.fragment<mesh="m", origin=["f"]> (%x, %y)'
        f" (%a: tensor<8xf32>, %b: tensor<8xf32>) {{\n{body}\n}} : ({value}, {value}) -> {value}"
        for n, body in enumerate(BODIES * 2)
    ]
    text = f"""
        func.func @main(%x: {value}, %y: {value})
            attributes {{topology = #mpmd.topology<<"m": <["x"=2]>>>}} {{
          {" ".join(fragments)}
          return
        }}"""
    module = ir.Module.parse(text, context())
    run(module, LOWER)
    assert partition(callees(module)) == list(range(len(BODIES))) * 2


# Documented names.

ORIGINS = st.builds(
    mpmd.UserOriginAttr,
    st.builds("{}{}".format, st.sampled_from("fg"), st.sampled_from(["", "_1", "_2", "_3", "_x"])),
    st.sampled_from([0, 0, 1]),
)


@given(st.lists(ORIGINS))
def test_all_origins_can_be_read_from_a_name(origins: list[mpmd.UserOriginAttr]) -> None:
    name = origins_name(origins)
    assert Counter(parse_name(name)) == Counter((o.user_name, o.transpose_count) for o in origins)


def parse_name(name: str) -> Iterator[tuple[str, int]]:
    for part in name.split(".") if name != "inferred" else ():
        match = re.fullmatch(r"(\w(?:_x)?)(?:\((\d)\))?(?:_(\d)(?::(\d))?)?", part)
        assert match, part
        head, count, first, last = match.groups()
        for counter in range(int(first or 0), int(last or first or 0) + 1):
            yield head + (f"_{counter}" if first else ""), int(count or 0)


@settings(max_examples=examples(50))
@given(
    st.lists(st.lists(ORIGINS, max_size=2), min_size=1, max_size=8),
    st.sets(st.sampled_from(["f", "f_1", "f_2", "g", "f.g", "inferred", "inferred_1"])),
)
def test_names_are_unique(origins: list[list[mpmd.UserOriginAttr]], taken: set[str]) -> None:
    fragments = [
        f'%{n} = mpmd.fragment<mesh="m", origin=[{", ".join(map(origin_text, each))}]> () () {{\n'
        f"%c = stablehlo.constant dense<{n}.0> : tensor<8xf32>\n"
        f"mpmd.return %c : tensor<8xf32> }} : () -> {TYPE.format('m')}\n"
        for n, each in enumerate(origins)
    ]
    others = "".join(f'func.func private @"{name}"()\n' for name in taken)
    module = ir.Module.parse(
        'func.func @main() attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {\n'
        f"{''.join(fragments)}return }}\n{others}",
        context(),
    )
    run(module, LOWER)
    made = symbols(module)[1 + len(taken) :]
    assert callees(module) == made
    assert not taken & set(made)
    assert len(set(made)) == len(made)
    known = {"main", *taken}
    for name, each in zip(made, origins, strict=True):
        plain = origins_name(each)
        smaller = [plain] + [f"{plain}_{index}" for index in range(1, 1 + len(made) + len(taken))]
        assert name == next(other for other in smaller if other not in known)
        known.add(name)


def origin_text(origin: mpmd.UserOriginAttr) -> str:
    count = f"({origin.transpose_count})" if origin.transpose_count else ""
    return f'"{origin.user_name}"{count}'


# Names and logs as in jaxlib.


def named_program(seed: int) -> str:
    """Return a program of which only the names matter; each fragment has an input and an output."""
    rng = random.Random(seed)
    meshes = [rng.choice(("m1", "m2")) for _ in range(rng.randint(1, 7))]
    heads = [rng.choice(("f", "g", "a_b", "F")) for _ in range(rng.randint(1, 3))]
    counts = rng.choice(((0,), (0,), (1,), (0, 1), (0, 1, 2, 3)))
    lines, counter = [], Counter[str]()
    for n, mesh in enumerate(meshes):
        origins = [
            f'"{rng.choice(heads)}{rng.choice(("", "_1", "_2", "_7", "_-3", "_04", "_x", "_"))}"'
            + rng.choice([f"({count})" if count else "" for count in counts])
            for _ in range(rng.choice((0, 1, 1, 2, 3, 5)))
        ]
        marks = [] if origins else ['mpmd.inferred_by = ["uniquify"]']
        if rng.random() < 0.7:
            marks.append(f"call_counter = {counter[mesh]} : ui32")
            counter[mesh] += rng.choice((1, 1, 1, 0, -1, 2)) if counter[mesh] else 1
        if rng.random() < 0.2:
            marks.append("remat")
        stage = f", stage={rng.randint(0, 2)}" if rng.random() < 0.2 else ""
        lines.append(
            f'%r{n} = mpmd.fragment<mesh="{mesh}", origin=[{", ".join(origins)}]{stage}> (%x{n})'
            f" {{{', '.join(marks)}}} (%a: tensor<8xf32>) {{\n"
            f"%b = stablehlo.{rng.choice(('sine', 'cosine'))} %a : tensor<8xf32>\n"
            f"mpmd.return %b : tensor<8xf32> }} : ({TYPE.format(mesh)}) -> {TYPE.format(mesh)}"
        )
    return program(lines, meshes, rng.choice(("", "@f", "@jit_f", "@jit_jit_f", "@jit_")))


def program(lines: list[str], meshes: list[str], name: str = "@jit_f") -> str:
    types = [TYPE.format(mesh) for mesh in meshes]
    arguments = ", ".join(f"%x{n}: {type_}" for n, type_ in enumerate(types))
    results = ", ".join(f"%r{n}" for n in range(len(types)))
    body = "\n".join(lines)
    return f"""
        module {name} {{
          func.func public @main({arguments}) -> ({", ".join(types)}) attributes
              {{topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>}} {{
            {body}
            return {results} : {", ".join(types)}
          }}
        }}"""


def check_names_and_log(
    text: str, partitioner: MpmdOracle, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = assert_same_export(text, partitioner)
    cleaned = partitioner(text, UNTIL_EXPORT).text
    assert cleaned is not None
    capsys.readouterr()
    # The only earlier pass that moves fragments.
    before = "mpmd-delay-inferred-fragments"
    run(oracle.parse(cleaned), f"{before},{LOWER}{{naming=program verbose-logging=true}}")
    assert capsys.readouterr().err.splitlines() == expected.log


@pytest.mark.parametrize("shard", range(4))
def test_names_and_log_of_random_origins_are_those_of_the_oracle(
    shard: int, partitioner: MpmdOracle, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in range(shard, 160, 4):
        check_names_and_log(named_program(seed), partitioner, capsys)


FAMILIAR = [
    # Numbers: as large as they can be, and larger.
    '"f_9223372036854775807", "f_1"',
    '"f_9223372036854775808", "f_1"',
    '"f_-9223372036854775808", "f_1"',
    '"f_0x1", "f_2"',
    '"f_+1", "f_2"',
    '"f_-0", "f_00"',
    '"f_ 1", "f_2"',
    # The order of bytes, and heads that are empty.
    '"B", "a", "_"',
    '"z", "é"',
    '"", "_1", "_2"',
    # 200 bytes, 201, and a cut after a character of two.
    f'"{"a" * 197}"',
    f'"{"a" * 198}"',
    f'"{"é" * 99}"',
]


@pytest.mark.parametrize("origins", FAMILIAR)
def test_names_and_log_of_unusual_origins_are_those_of_the_oracle(
    origins: str, partitioner: MpmdOracle, capsys: pytest.CaptureFixture[str]
) -> None:
    check_names_and_log(program([line_of(origins)], ["m1"]), partitioner, capsys)


def line_of(origins: str) -> str:
    value = TYPE.format("m1")
    return (
        f'%r0 = mpmd.fragment<mesh="m1", origin=[{origins}]> (%x0) (%a: tensor<8xf32>) {{\n'
        "%b = stablehlo.sine %a : tensor<8xf32>\n"
        f"mpmd.return %b : tensor<8xf32> }} : ({value}) -> {value}"
    )


def test_a_name_may_be_cut_within_a_character() -> None:
    module = ir.Module.parse(program([line_of(f'"a{"é" * 99}"')], ["m1"]), context())
    run(module, LOWER + "{naming=program}")
    made = ir.StringAttr(module.body.operations[1].operation.attributes["sym_name"])
    assert made.value_bytes == b"p0_a" + "é".encode() * 95 + b"\xc3<...>.f"


def test_the_log_lists_the_functions_of_each_mesh(capsys: pytest.CaptureFixture[str]) -> None:
    module = ir.Module.parse(
        """
        module @jit_step {
          func.func @main() attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
            mpmd.fragment<mesh="m", origin=["f"(1), "g"], stage=2> ()
                {call_counter = 3 : ui32} () {
              mpmd.return
            } : () -> ()
            return
          }
        }""",
        context(),
    )
    run(module, LOWER + "{verbose-logging=true}")
    assert capsys.readouterr().err == (
        "Module jit_step on mesh m will execute the following XLA programs:\n"
        "\t- f(1).g from program with origins [f(bwd), g(fwd)], stage id 2, call counter 3.\n"
    )
