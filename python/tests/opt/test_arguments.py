from __future__ import annotations

from dataclasses import asdict

import pytest

from sdykit.opt.flags.arguments import UsageError, parse
from sdykit.opt.flags.mlir import FLAGS, IGNORED, UNAVAILABLE
from sdykit.opt.flags.types import Kind, default


def test_flags_that_are_not_given_have_their_defaults():
    arguments = parse([])
    assert arguments.input == "-"
    assert arguments.passes == ()
    assert asdict(arguments) == {"input": "-", "passes": ()} | {f.field: default(f) for f in FLAGS}


@pytest.mark.parametrize("dashes", ["-", "--"])
@pytest.mark.parametrize("name", ["emit-bytecode", "emit_bytecode"])
@pytest.mark.parametrize(
    ("value", "expected"),
    [("", True), ("=true", True), ("=1", True), ("=TRUE", True), ("=false", False), ("=0", False)],
)
def test_a_boolean_accepts_true_and_false(dashes: str, name: str, value: str, expected: bool):
    assert parse([dashes + name + value]).emit_bytecode is expected


def test_a_boolean_takes_no_second_word():
    arguments = parse(["-emit-bytecode", "false"])
    assert arguments.emit_bytecode is True
    assert arguments.input == "false"


@pytest.mark.parametrize("words", [["-o=x"], ["--o=x"], ["-o", "x"], ["--o", "x"]])
def test_a_required_value_follows_an_equals_sign_or_a_blank(words: list[str]):
    assert parse(words).o == "x"


def test_a_required_value_may_look_like_a_flag():
    assert parse(["-o", "-cse", "f"]).o == "-cse"


def test_an_optional_value_needs_an_equals_sign():
    arguments = parse(["-split-input-file", "f.mlir"])
    assert arguments.split_input_file == "// -----"
    assert arguments.input == "f.mlir"
    assert parse(["-split-input-file=%%"]).split_input_file == "%%"
    assert parse([]).split_input_file is None


def test_an_equals_sign_in_a_value_belongs_to_it():
    assert parse(["-pass-pipeline=m(c{a=1})"]).pass_pipeline == "m(c{a=1})"


def test_passes_keep_their_order_and_options():
    arguments = parse(["-b", "f", "--a_b=x=1 y", "-o", "out", "-b={z}"])
    assert [(p.name, p.options) for p in arguments.passes] == [
        ("b", ""),
        ("a-b", "x=1 y"),
        ("b", "z"),
    ]
    assert arguments.input == "f"


def test_lists_of_names_are_concatenated():
    arguments = parse(["-mlir-print-ir-after=a,b_c", "--mlir-print-ir-after", "d"])
    assert arguments.mlir_print_ir_after == ("a", "b-c", "d")


def test_the_last_value_counts():
    assert parse(["-o=a", "-o=b"]).o == "b"


def test_two_dashes_end_the_flags():
    assert parse(["--", "-o"]).input == "-o"


def test_dash_is_stdin():
    assert parse(["-", "-cse"]).input == "-"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o"], "for the -o option: requires a value!"),
        (["-pass-pipeline"], "for the --pass-pipeline option: requires a value!"),
        (["a", "b"], "Too many positional arguments specified: a, b; can specify at most 1"),
        (["-verify-each=no"], "for the --verify-each option: 'no' is invalid value for boolean"),
        (["-emit-bytecode-version=-1"], "'-1' value invalid for uint argument!"),
        (["-emit-bytecode-version=9999999999"], "'9999999999' value invalid for uint argument!"),
        (["-emit-bytecode-version=" + "9" * 5000], "value invalid for uint argument!"),
        (["-mlir-timing-display=x"], "Cannot find option named 'x'! Try one of tree, list"),
    ],
)
def test_wrong_values_are_usage_errors(words: list[str], message: str):
    with pytest.raises(UsageError) as raised:
        parse(words)
    assert message in str(raised.value)


def test_flags_are_consistent():
    names = [flag.name for flag in FLAGS]
    assert len(set(names)) == len(names)
    assert not set(names) & (IGNORED.keys() | UNAVAILABLE.keys())
    for flag in FLAGS:
        assert flag.help[0].isupper()
        assert flag.kind is not Kind.OPTIONAL or flag.when_bare
        assert flag.kind is Kind.BOOL or flag.metavar or flag.choices
        assert not flag.choices or (flag.default or flag.when_bare) in flag.choices
